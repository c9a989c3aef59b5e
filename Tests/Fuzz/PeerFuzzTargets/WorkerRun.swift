import AudioCore
import AudioDecoding
import Glibc
import LibavcodecDecoding

/// What a decode worker answers, as the program that started it reads it.
///
/// The answers lie in sockets before anybody asks, and end where the input ends. So no process is started, and nothing
/// waits. As long as a worker says what an honest one would, the samples are exactly its own.
struct WorkerRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        var reader = InputReader(input)
        let setting = reader.byte()
        let format = Self.formats[Int(setting >> 2) % Self.formats.count]
        let counts = reader.bytes(Int(reader.byte() & 0x0F)).map { Int($0) << 2 }
        let workers = WorkerScript.scripts(&reader)
        let stage = WorkerStage(workers, isGone: setting & 2 != 0)
        return setting & 1 == 0
            ? Self.decodingViolation(format, counts, stage)
            : Self.trialViolation(format.channelsPerFrame, counts, stage)
    }

    private static let formats = [1, 2, 6].map { channelCount in
        AudioStreamFormat(codec: .flac, sampleRate: 48_000, channelsPerFrame: channelCount)
    }

    // MARK: Decoding

    /// Workers that may follow the first: four in a row; a further one would be earned by hundreds of packets.
    private static let restartLimit = 4

    private static func decodingViolation(
        _ format: AudioStreamFormat, _ counts: [Int], _ stage: WorkerStage
    ) -> String? {
        // STREAMINFO's bits per sample (RFC 9639 section 8.2): 32 are decoded to integers.
        var cookie = [UInt8](repeating: 0, count: 34)
        if counts.count & 1 == 0 { (cookie[12], cookie[13]) = (1, 0xF0) }
        guard
            let decoder = try? WorkerDecoder(
                format: format, magicCookie: cookie,
                start: { setup throws(AudioDecodingError) in try stage.start(setup) })
        else { return stage.startCount == 1 ? nil : "\(stage.startCount) workers started at once" }
        for (index, count) in counts.enumerated() {
            if index > 0, count & 4 != 0 { decoder.reset(streamFrame: Int64(count)) }
            let expected = stage.nextAnswer()
            if let violation = violation(of: count, decoder, expected, format) { return violation }
            if decoder.damagedPacketCount > index + 1 {
                return "\(decoder.damagedPacketCount) damaged of \(index + 1)"
            }
        }
        guard stage.startCount <= 1 + restartLimit, decoder.restartCount == stage.startCount - 1 else {
            return "\(stage.startCount) workers, \(decoder.restartCount) restarts"
        }
        return nil
    }

    private static let packet: [UInt8] = [1, 2, 3]

    private static func violation(
        of count: Int, _ decoder: WorkerDecoder, _ expected: WorkerScript.Frames?,
        _ format: AudioStreamFormat
    ) -> String? {
        guard decoder.outputsIntegers else {
            return decode(count, decoder, filler: Float.nan, expected?.floats(format, count)) {
                output throws(AudioDecodingError) in
                try decoder.decode(packet: packet.span.bytes, frameCount: count, into: &output)
            }
        }
        return decode(count, decoder, filler: Int32(0x5A5A), expected?.integers(format, count)) {
            output throws(AudioDecodingError) in
            try decoder.decode(packet: packet.span.bytes, frameCount: count, into: &output)
        }
    }

    /// Decodes one packet.
    /// - Parameter expected: what an honest worker's answer becomes; nil where it is not known.
    private static func decode<Sample: Checkable>(
        _ frameCount: Int, _ decoder: WorkerDecoder, filler: Sample, _ expected: [Sample]?,
        _ body: (inout MutableSpan<Sample>) throws(AudioDecodingError) -> Void
    ) -> String? {
        let count = frameCount * decoder.channelCount
        var samples = [Sample](repeating: filler, count: count + 1)
        var output = samples.mutableSpan
        do throws(AudioDecodingError) { try body(&output) } catch {
            return expected == nil ? nil : "an honest answer is refused: \(error)"
        }
        if !samples[count].isSame(as: filler) { return "more samples than \(frameCount) frames have" }
        if samples.dropLast().contains(where: { !$0.isPlayable }) {
            return "a packet of \(frameCount) was not filled"
        }
        guard let expected else { return nil }
        return zip(samples, expected).allSatisfy { $0.isSame(as: $1) } && expected.count == count
            ? nil : "other samples than the worker's"
    }

    // MARK: Trial

    private static func trialViolation(_ channelCount: Int, _ counts: [Int], _ stage: WorkerStage)
        -> String?
    {
        let isMono = channelCount == 1
        let format = AudioStreamFormat(
            codec: isMono ? .aacHE : .aac, sampleRate: isMono ? 48_000 : 24_000, framesPerPacket: 1_024,
            channelsPerFrame: channelCount)
        let packets = counts.map { _ in packet }
        let found: AudioStreamFormat
        do throws(AudioDecodingError) {
            found = try TrialDecoding.decodedFormat(of: format, magicCookie: [], packets: packets) {
                setup throws(AudioDecodingError) in try stage.start(setup)
            }
        } catch { return nil }
        guard Limits.sampleRateRange.contains(found.sampleRate),
            Limits.channelRange.contains(found.channelsPerFrame),
            found.framesPerPacket <= Limits.packetFrameCount
        else { return "a format of \(found)" }
        guard isMono, let answers = stage.honestAnswers, answers.count >= packets.count else {
            return nil
        }
        let isStereo = answers.prefix(packets.count).contains(where: \.isStereo)
        return (found.codec == .aacHEv2) == isStereo
            ? nil : "\(found) is taken for \(isStereo ? "stereo" : "mono")"
    }
}

/// What samples are compared by.
private protocol Checkable {
    var isPlayable: Bool { get }
    func isSame(as other: Self) -> Bool
}

extension Float: Checkable {
    fileprivate var isPlayable: Bool { isFinite }
    fileprivate func isSame(as other: Float) -> Bool { self == other || isNaN && other.isNaN }
}

extension Int32: Checkable {
    fileprivate var isPlayable: Bool { true }
    fileprivate func isSame(as other: Int32) -> Bool { self == other }
}
