import AudioCore
import AudioDecoding
import Glibc
import LibavcodecDecoding

/// What one worker answers, and what of it an honest one would have said.
struct WorkerScript {
    /// The frames of one packet; the samples follow from the seed.
    struct Frames {
        var frameCount: Int
        var channelCount: Int
        var seed: UInt32

        /// Words that are floats between 1 and 2 as well as integers. With seed 0 all channels of a frame are equal.
        var words: [UInt32] {
            (0..<frameCount * channelCount).map { index in
                let number =
                    seed == 0 ? UInt32(index / max(channelCount, 1)) : UInt32(index) &* 0x9E37 &+ seed
                return 0x3F80_0000 | number & 0x7F_FFFF
            }
        }

        /// Whether the two channels differ.
        var isStereo: Bool {
            let words = words
            return channelCount == 2
                && stride(from: 0, to: words.count - 1, by: 2).contains { words[$0] != words[$0 + 1] }
        }

        var message: [UInt8] {
            let numbers = [1, 48_000, UInt32(channelCount), UInt32(frameCount), 0]
            return WorkerScript.message(.frames, numbers + words)
        }

        func floats(_ format: AudioStreamFormat, _ count: Int) -> [Float]? {
            fitted(words.map { Float(bitPattern: $0) }, format, count)
        }

        func integers(_ format: AudioStreamFormat, _ count: Int) -> [Int32]? {
            fitted(words.map { Int32(bitPattern: $0) }, format, count)
        }

        /// As many frames as the packet has; nil where channels would have to be mixed.
        private func fitted<Sample: Numeric>(
            _ samples: [Sample], _ format: AudioStreamFormat, _ count: Int
        ) -> [Sample]? {
            guard channelCount == format.channelsPerFrame else { return nil }
            let sampleCount = count * channelCount
            let rest = [Sample](repeating: 0, count: max(0, sampleCount - samples.count))
            return samples.prefix(sampleCount) + rest
        }
    }

    private(set) var bytes: [UInt8] = []
    /// What it answers to packets, as far as all was honest.
    private(set) var answers: [Frames] = []
    private(set) var isHonest = false
    private var isOpen = false

    /// Sockets hold that many bytes without anybody who reads.
    private static let byteCountLimit = 128 * 1024

    static func message(_ kind: WorkerMessageKind, _ numbers: [UInt32]) -> [UInt8] {
        ([kind.rawValue, UInt32(numbers.count * 4)] + numbers).flatMap {
            withUnsafeBytes(of: $0) { Array($0) }
        }
    }

    /// Workers, one after the other.
    static func scripts(_ reader: inout InputReader) -> [WorkerScript] {
        var scripts = [WorkerScript()]
        while !reader.isEmpty, scripts.count < 8 {
            let operation = reader.byte()
            if operation & 0x0F == 0 { scripts.append(WorkerScript()) }
            scripts[scripts.count - 1].take(operation, &reader)
        }
        return scripts
    }

    private mutating func take(_ operation: UInt8, _ reader: inout InputReader) {
        switch operation & 0x0F {
        case 0, 1:
            let versions = [UInt32(CodecLibraryVersion.codec), UInt32(CodecLibraryVersion.util)]
            append(
                Self.message(.ready, versions) + Self.message(.opened, [WorkerStatus.fine.rawValue, 0]))
            if bytes.count == 32 { (isOpen, isHonest) = (true, true) } else { lie() }
        case 2, 3, 4, 5:
            let frames = Frames(
                frameCount: Int(reader.byte()) << Int(operation >> 4 & 3),
                channelCount: [1, 2, 6, 0][Int(operation & 0x0F) - 2], seed: UInt32(operation >> 6))
            let message = frames.message
            guard frames.channelCount > 0, bytes.count + message.count <= Self.byteCountLimit else {
                return lie()
            }
            append(message)
            if isOpen { answers.append(frames) }
        case 6:
            lie()
            append(Self.message(.frames, (0..<5).map { _ in reader.number(UInt32.self) }))
        case 7:
            lie()
            let kinds = [WorkerMessageKind.ready, .opened, .frames]
            append(
                Self.message(
                    kinds[Int(operation >> 4) % 3], (0..<Int(reader.byte() & 7)).map { _ in reader.number() })
            )
        case 8:
            // Frames of which some numbers or samples are any.
            lie()
            let numbers = [1, 48_000, UInt32(reader.byte() & 7), reader.number(), 0]
            append(Self.message(.frames, numbers + (0..<Int(reader.byte())).map { _ in reader.number() }))
        case 9:
            lie()
            append((0..<8).map { _ in reader.byte() })
        default:
            lie()
            append(reader.bytes(Int(reader.byte())))
        }
    }

    private mutating func append(_ more: [UInt8]) {
        if bytes.count + more.count <= Self.byteCountLimit { bytes += more }
    }

    /// From here on nobody knows what is expected.
    private mutating func lie() { (isOpen, isHonest) = (false, false) }
}

/// Workers to be started one after the other; those beyond the last say nothing.
final class WorkerStage {
    private let scripts: [WorkerScript]
    private let isGone: Bool
    private var ends: [Int32] = []
    private var answerIndex = 0
    private(set) var startCount = 0

    /// - Parameter isGone: whether each worker has ended before it is asked anything.
    init(_ scripts: [WorkerScript], isGone: Bool) {
        self.scripts = scripts
        self.isGone = isGone
    }

    deinit { for end in ends { close(end) } }

    private var script: WorkerScript? {
        startCount > 0 && startCount <= scripts.count && !isGone ? scripts[startCount - 1] : nil
    }

    /// Those of the worker that was started last, if it says nothing but these.
    var honestAnswers: [WorkerScript.Frames]? { script.flatMap { $0.isHonest ? $0.answers : nil } }

    /// What the present worker's next answer is, if it is known.
    func nextAnswer() -> WorkerScript.Frames? {
        defer { answerIndex += 1 }
        guard let script, answerIndex < script.answers.count else { return nil }
        return script.answers[answerIndex]
    }

    func start(_ setup: LibraryDecoderSetup) throws(AudioDecodingError) -> DecodeSession {
        startCount += 1
        answerIndex = startCount == 1 ? 0 : 1
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { fatalError("socketpair: \(errno)") }
        let bytes = startCount <= scripts.count ? scripts[startCount - 1].bytes : []
        let sent = bytes.isEmpty ? 0 : send(pair[1], bytes, bytes.count, Int32(MSG_DONTWAIT))
        guard sent == bytes.count else { fatalError("a socket takes \(sent) of \(bytes.count) bytes") }
        if isGone {
            close(pair[1])
        } else {
            shutdown(pair[1], Int32(SHUT_WR))
            ends.append(pair[1])
        }
        return try DecodeSession.start(setup, socket: pair[0])
    }
}

extension WorkerRun {
    static var seeds: [[UInt8]] {
        // Opens, and frames of one, two and six channels.
        let mono: [UInt8] = [1, 2, 10, 0x42, 64, 0x92, 3, 2, 0]
        let stereo: [UInt8] = [1, 3, 10, 0x43, 64, 0x93, 255, 3, 0]
        let lies: [UInt8] = [
            1, 3, 10, 6, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 0, 0, 7, 0, 0, 0, 2, 0x27, 1, 1, 2, 3,
            4,
        ]
        let sizes: [UInt8] = [
            1, 9, 5, 0, 0, 0x80, 0xFF, 0xFF, 0x3F, 0, 8, 2, 0, 0, 0, 1, 2, 0x7F, 0xC0, 0, 0, 1, 0x7F,
            0x80, 0, 0,
        ]
        let packets: [UInt8] = [4, 3, 16, 1, 64]
        let integers: [UInt8] = [3, 3, 16, 8]
        let scripts = [mono, stereo, lies, sizes, mono + [0] + stereo + [0, 3, 1, 0, 0, 0, 0]]
        var seeds: [[UInt8]] = []
        for setting in UInt8(0)..<6 {
            for script in scripts {
                seeds.append([(setting << 1 & 0xFC) | (setting & 1)] + packets + script)
                seeds.append([setting * 2] + integers + script)
            }
        }
        return seeds
    }
}
