import AudioCore
import AudioDecoding
import AudioFileWriting
import Recording

/// A broadcast's streams, packets and commands, in any order and with any numbers, as the recorder makes files of them.
///
/// In the end the files are whole and hold as many frames as the summary counts, and no other file is left. Samples of
/// 16 bits say which frame they are: whatever is in a file is at its place behind what came before.
struct RecorderRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    /// Silence is cheap to ask for; so many frames are enough.
    private static let frameLimit: Int64 = 40_000_000
    private static let operationLimit = 200

    func violation() -> String? {
        var reader = InputReader(input)
        guard let directory = RecordingDirectory() else { return "no directory for recordings" }
        let setting = reader.byte()
        var options = RecordingOptions(
            path: directory.path + "/r." + ["wav", "aiff", "caf", "wav"][Int(setting & 3)])
        options.samples =
            [nil, nil, .integer(bits: 16), .float32, .integer(bits: 8), .integer(bits: 20)][
                Int(setting >> 2) % 6]
        if setting & 0x80 != 0 { options.duration = .milliseconds(Int64(reader.number(UInt16.self))) }
        guard let file = try? TimelineRecorder.claim(options) else {
            return "the file cannot be claimed"
        }
        var recorder = TimelineRecorder(options, file: file, decoders: .builtIn)
        var broadcast = RecordedBroadcast()
        for _ in 0..<Self.operationLimit
        where !reader.isEmpty && recorder.summary.frameCount < Self.frameLimit {
            // Whoever records closes after an error.
            guard (try? broadcast.take(&reader, &recorder)) != nil else { break }
            if let violation = Self.violation(in: recorder, options) { return violation }
        }
        try? recorder.close()
        let files = RecordedFiles(recorder.summary.paths)
        return Self.violation(in: recorder, options) ?? directory.violation(
            paths: recorder.summary.paths)
            ?? files.violation(frameCount: recorder.summary.frameCount)
            ?? (broadcast.isCounted && options.samples == nil
                ? files.breakViolation(limit: broadcast.beginCount) : nil)
    }

    private static func violation(
        in recorder: borrowing TimelineRecorder, _ options: RecordingOptions
    ) -> String? {
        let summary = recorder.summary
        if summary.frameCount < 0 || summary.missingFrameCount < 0 { return "\(summary)" }
        if Set(summary.paths).count != summary.paths.count { return "a file twice: \(summary.paths)" }
        guard let duration = options.duration else { return nil }
        // Each file may round up by half a frame.
        let most = duration + .milliseconds(1 + Int64(summary.paths.count))
        return summary.duration > most ? "\(summary.duration) recorded, \(duration) wanted" : nil
    }
}

/// What a broadcaster says: mostly one packet behind the other, and sometimes anything.
private struct RecordedBroadcast {
    private var epoch = Epoch(0)
    private var format = formats[0]
    private var cursor = FramePosition.zero
    /// Streams that began: as often the frames of a file may not follow each other.
    private(set) var beginCount = 0
    /// Whether all samples say which frame they are.
    private(set) var isCounted = true

    private static func pcm(_ rate: Double, _ channels: Int, _ bits: Int, _ layout: PCMLayout)
        -> AudioStreamFormat
    {
        .linearPCM(
            sampleRate: rate, channels: channels, bitsPerChannel: bits, bytesPerSample: (bits + 7) / 8,
            layout: layout)
    }

    private static let formats: [AudioStreamFormat] = [
        pcm(8_000, 1, 16, .signedInteger), pcm(8_000, 1, 16, [.signedInteger, .bigEndian]),
        pcm(8_000, 1, 8, []), pcm(11_025, 2, 16, .signedInteger), pcm(8_000, 1, 24, .signedInteger),
        pcm(192_000, 8, 24, [.signedInteger, .bigEndian]), pcm(8_000, 1, 32, .float),
        AudioStreamFormat(
            codec: .muLaw, sampleRate: 8_000, bytesPerPacket: 1, framesPerPacket: 1, bytesPerFrame: 1,
            channelsPerFrame: 1, bitsPerChannel: 8),
        AudioStreamFormat(codec: .mpegLayer3, sampleRate: 44_100, channelsPerFrame: 2),
    ]

    mutating func take(
        _ reader: inout InputReader, _ recorder: inout TimelineRecorder
    ) throws(RecordingFailure) {
        let operation = reader.byte()
        // The present epoch, or another one.
        let id = operation & 0x80 == 0 ? epoch : Epoch(UInt32(reader.byte()))
        switch operation & 0x0F {
        case 0, 1: try begin(&reader, &recorder)
        case 2, 3, 4, 5, 6, 7, 8: try takePacket(operation, &reader, &recorder, id)
        case 9: recorder.reenter(at: position(&reader), epoch: id)
        case 10: try recorder.finish(at: position(&reader), epoch: id)
        case 11: recorder.cut(at: position(&reader), epoch: id)
        case 12: recorder.resume(id)
        case 13: try recorder.drop(id)
        case 14: try recorder.flush()
        default: cursor += Int64(reader.number(Int16.self))
        }
    }

    private mutating func begin(
        _ reader: inout InputReader, _ recorder: inout TimelineRecorder
    ) throws(RecordingFailure) {
        let choice = Int(reader.byte())
        format = Self.formats[choice % Self.formats.count]
        isCounted = isCounted && choice % Self.formats.count < 2
        epoch = choice & 0x80 == 0 ? epoch.next : Epoch(UInt32(reader.byte()))
        cursor = position(&reader)
        beginCount += 1
        var stream = AudioStreamSummary()
        stream.note(.dataFormat(format))
        if choice & 0x40 != 0 {
            stream.note(
                .packetTableInfo(
                    AudioPacketTableInfo(
                        validFrameCount: nil, primingFrameCount: Int(reader.byte()), remainderFrameCount: 0)))
        }
        stream.note(.readyToProducePackets)
        try recorder.begin(epoch, stream, firstFrame: cursor)
    }

    private mutating func takePacket(
        _ operation: UInt8, _ reader: inout InputReader, _ recorder: inout TimelineRecorder, _ id: Epoch
    ) throws(RecordingFailure) {
        let frameCount = Int(reader.byte()) << Int(operation >> 4 & 3)
        let first = operation & 0x0F == 8 ? position(&reader) : cursor
        var packet = samples(first, frameCount)
        // Sizes that are not what the description says.
        if operation & 0x40 != 0 {
            packet.removeLast(min(packet.count, Int(reader.byte())))
            // Half a sample may say that it is another frame.
            isCounted = isCounted && packet.count % 2 == 0
        }
        if operation & 0x0F == 7 { packet += [UInt8](repeating: 0, count: Int(reader.byte())) }
        cursor = first + Int64(frameCount)
        try recorder.take(packet.span.bytes, frame: first, frameCount: frameCount, epoch: id)
    }

    /// Each 16-bit sample is the number of its frame, and never 0, which is silence.
    private func samples(_ first: FramePosition, _ frameCount: Int) -> [UInt8] {
        let size = max(format.bytesPerFrame, 1)
        guard size == 2 else {
            return [UInt8](repeating: UInt8(truncatingIfNeeded: first.index), count: frameCount * size)
        }
        var bytes: [UInt8] = []
        for index in 0..<Int64(frameCount) {
            let sample = RecordedFiles.sample(first.index &+ index)
            let pair = [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
            bytes += format.pcm.contains(.bigEndian) ? pair.reversed() : pair
        }
        return bytes
    }

    /// Near the last packet, or anywhere.
    private func position(_ reader: inout InputReader) -> FramePosition {
        switch reader.byte() {
        case 0..<0x80: cursor + Int64(Int8(bitPattern: reader.byte()))
        case 0x80..<0xC0: cursor + Int64(reader.number(Int32.self))
        case 0xC0..<0xE0: FramePosition(Int64(reader.number(Int16.self)))
        case 0xE0..<0xF0: FramePosition([.max, .min, 1 << 53, -(1 << 53)][Int(reader.byte() & 3)])
        default: FramePosition(reader.number())
        }
    }
}

extension RecorderRun {
    static var seeds: [[UInt8]] {
        let begin: [UInt8] = [0, 0, 0, 0]
        let packets: [UInt8] = [2, 100, 2, 100, 2, 50]
        let gap: [UInt8] = [15, 0x10, 0, 9, 0, 0, 2, 100, 2, 100]
        let pause: [UInt8] = [11, 0x80, 0xFF, 0xFF, 0xFF, 0xCE, 12, 2, 30, 11, 0, 0xC0]
        let end: [UInt8] = [10, 0, 0xF0]
        let others: [UInt8] = [
            0, 2, 0, 5, 2, 200, 0, 3, 0, 0, 2, 10, 0x82, 2, 10, 13, 0, 4, 0, 0, 0x32, 200, 14,
        ]
        let wild: [UInt8] = [
            0, 0, 0xE0, 2, 2, 5, 0, 0, 0xF0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 9, 11, 0xE0, 0, 0, 7, 0, 0, 2, 9,
        ]
        let songs = [
            begin + packets + end, begin + packets + gap + pause + begin + packets, others + others, wild,
        ]
        var seeds: [[UInt8]] = []
        for (index, song) in songs.enumerated() {
            let number = UInt8(index)
            seeds.append([number] + song)
            seeds.append([4 + number * 4] + song)
            seeds.append([0x80 | number, 0, 20] + song)
        }
        return seeds
    }
}
