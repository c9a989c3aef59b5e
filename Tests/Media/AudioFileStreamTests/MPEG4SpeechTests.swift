import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// AMR in 3GPP files: as many frames in a sample as the writer liked.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4SpeechTests {
    /// Frames of both kinds, of every length there is, in samples of so many.
    private static func frames(isWideband: Bool, _ count: Int) -> [[UInt8]] {
        let lengths = isWideband ? [18, 24, 33, 37, 41, 47, 51, 59, 61, 6] : [13, 14, 16, 18, 20, 21, 27, 32, 6]
        return (0..<count).map { index in
            // The last of each round holds nothing.
            let type = index % (lengths.count + 1)
            return type == lengths.count
                ? AMRWriter.frame(type: 15, byteCount: 1)
                : AMRWriter.frame(type: UInt8(type), byteCount: lengths[type], seed: UInt64(index))
        }
    }

    private static func writer(isWideband: Bool, framesPerSample: Int, _ frames: [[UInt8]]) -> MPEG4Writer {
        let starts = stride(from: 0, to: frames.count, by: framesPerSample)
        let frameCount: UInt32 = isWideband ? 320 : 160
        var writer = MPEG4Writer()
        writer.sampleEntry = MPEG4Writer.entry(
            isWideband ? "sawb" : "samr", channels: 1, rate: isWideband ? 16_000 : 8_000,
            MPEG4Writer.box("damr", Array("xyzw".utf8) + [0, 0x83, 0xFF, 0, UInt8(framesPerSample)]))
        writer.timescale = isWideband ? 16_000 : 8_000
        writer.packets = starts.map { frames[$0..<min(frames.count, $0 + framesPerSample)].flatMap { $0 } }
        writer.duration = frameCount * UInt32(framesPerSample)
        let rest = frames.count % framesPerSample
        writer.lastDuration = rest > 0 ? frameCount * UInt32(rest) : nil
        writer.packetsPerChunk = 3
        writer.betweenChunks = payload(77)
        return writer
    }

    private func packetCount(_ stream: ParsedStream) -> Int64? {
        stream.properties.compactMap { if case .audioDataPacketCount(let count) = $0 { count } else { nil } }.last
    }

    static let kinds: [(isWideband: Bool, framesPerSample: Int, frames: Int)] = [
        (false, 1, 60), (false, 2, 61), (false, 10, 57), (true, 1, 44), (true, 5, 60), (true, 10, 63),
    ]

    @Test(arguments: kinds.indices)
    func eachFrameIsAPacket(index: Int) {
        let kind = Self.kinds[index]
        let frames = Self.frames(isWideband: kind.isWideband, kind.frames)
        let writer = Self.writer(isWideband: kind.isWideband, framesPerSample: kind.framesPerSample, frames)
        let frameCount = kind.isWideband ? 320 : 160
        for (file, isAtHand) in [(writer.file(), false), (writer.file(movieFirst: false), true)] {
            let stream = isAtHand ? parseFile(file, pieces: repeatElement(333, count: .max)).stream : parse(file)
            #expect(stream.failure == nil)
            #expect(stream.packetBytes == frames)
            #expect(stream.packets.allSatisfy { $0.frameCount == frameCount })
            #expect(stream.format?.framesPerPacket == frameCount)
            #expect(packetCount(stream) == Int64(frames.count))
            let all = AudioPacketTableInfo(
                validFrameCount: Int64(frameCount * frames.count), primingFrameCount: 0, remainderFrameCount: 0)
            #expect(stream.announcedTable == all && stream.table == all)
            #expect(stream.reportedProblems == [])
            if !isAtHand { #expect(splitThatDiffers(file, from: stream) == nil) }
        }
    }

    @Test func timesOfAnotherUnitSayHowManyFramesThereAre() {
        let frames = Self.frames(isWideband: false, 35)
        var writer = Self.writer(isWideband: false, framesPerSample: 7, frames)
        writer.timescale = 1_000
        writer.duration = 140
        let stream = parse(writer.file())
        #expect(stream.packetBytes == frames)
        #expect(stream.announcedTable == stream.table)
        #expect(stream.table?.validFrameCount == 5_600)
        let fragmented = writer.fragmented(packetsPerFragment: 2)
        let inFragments = parse(fragmented)
        #expect(inFragments.packetBytes == frames)
        #expect(inFragments.table?.validFrameCount == 5_600)
        #expect(splitThatDiffers(fragmented, from: inFragments) == nil)
    }

    // MARK: Places

    private func open(_ file: [UInt8]) throws -> AudioFileStream {
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, into: &recorder)
        try parser.finish(into: &recorder)
        return parser
    }

    private func rest(_ file: [UInt8], of parser: inout AudioFileStream) throws -> [[UInt8]] {
        var recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, pieces: 200, into: &recorder)
        return ParsedStream(events: recorder.events).packetBytes
    }

    @Test(arguments: kinds.indices)
    func seeksLandOnTheFirstFrameOfASample(index: Int) throws {
        let (isWideband, framesPerSample, count) = Self.kinds[index]
        let frames = Self.frames(isWideband: isWideband, count)
        let file = Self.writer(isWideband: isWideband, framesPerSample: framesPerSample, frames).file()
        var parser = try open(file)
        for packet in [0, 1, framesPerSample, count / 2, count - 1] {
            let place = try parser.seek(toPacket: Int64(packet))
            let first = packet / framesPerSample * framesPerSample
            #expect(place.packet == Int64(first) && !place.isEstimate)
            #expect(Array(file[Int(place.byteOffset)..<Int(place.byteOffset) + frames[first].count]) == frames[first])
            #expect(try rest(file, of: &parser) == Array(frames[first...]))
            let frame = Int64(packet) * (isWideband ? 320 : 160)
            #expect(try parser.firstFrame(ofPacket: Int64(packet)) == frame)
            #expect(try parser.packet(containingFrame: frame + 159) == (Int64(packet), 159))
            #expect(try parser.packet(atByteOffset: place.byteOffset) == (Int64(first), true))
        }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.place(ofPacket: Int64(count)) }
    }

    // MARK: Damage

    @Test func whatIsBehindABadFrameOfASampleIsPassedOver() throws {
        let frames = Self.frames(isWideband: false, 50)
        let samples = stride(from: 0, to: 50, by: 10).map { Array(frames[$0..<$0 + 10]) }
        var writer = Self.writer(isWideband: false, framesPerSample: 10, frames)
        writer.betweenChunks = []
        // A reserved type in the second sample's fourth frame; the fourth sample ends within its last frame.
        writer.packets[1][samples[1][..<3].joined().count] = 12 << 3
        writer.packets[3] = Array(samples[3][..<9].joined()) + [7 << 3, 1, 2]
        let file = writer.file()
        let stream = parse(file)
        #expect(stream.packetBytes == samples[0] + samples[1][..<3] + samples[2] + samples[3][..<9] + samples[4])
        let start = file.count - writer.packets.joined().count
        let second = start + writer.packets[0].count + samples[1][..<3].joined().count
        let fourth = start + writer.packets[..<4].joined().count - 3
        #expect(
            stream.reportedProblems == [
                AudioStreamProblem(
                    .skipped(byteCount: Int64(samples[1][3...].joined().count)), at: Int64(second)),
                AudioStreamProblem(.skipped(byteCount: 3), at: Int64(fourth)),
            ])
        #expect(packetCount(stream) == 42)
        #expect(stream.table?.validFrameCount == 6_720)
        #expect(splitThatDiffers(file, from: stream) == nil)
        // The times are not true any more from there on.
        let parser = try open(file)
        #expect(try parser.place(ofPacket: 9).isEstimate == false)
        #expect(try parser.place(ofPacket: 19).isEstimate == false)
        #expect(try parser.place(ofPacket: 20).isEstimate)
    }

    @Test func samplesOfNothingButJunkAreHarmless() {
        let frames = Self.frames(isWideband: true, 40)
        var writer = Self.writer(isWideband: true, framesPerSample: 4, frames)
        writer.packets[0] = [0x50] + payload(60)
        let stream = parse(writer.file())
        #expect(stream.packetBytes == Array(frames[4...]))
        #expect(splitThatDiffers(writer.file(), from: stream) == nil)
        writer.packets = writer.packets.map { _ in [0x50, 1, 2] }
        #expect(parse(writer.file()).failure == .dataUnavailable)
        // Times of nonsense: one packet, or many, are announced; what is there is given.
        for duration in [0, 7, .max] as [UInt32] {
            writer = Self.writer(isWideband: true, framesPerSample: 4, frames)
            writer.duration = duration
            #expect(parse(writer.file()).packetBytes == frames)
        }
    }

    @Test func editsOfBundlesTrimToTheFrame() {
        var writer = EditedMedia.bundles.writer
        writer.movieTimescale = 8_000
        writer.edits = [(900, 333)]
        let file = writer.file()
        let stream = parse(file)
        #expect(stream.packetBytes == EditedMedia.bundles.packets && stream.reportedProblems == [])
        let info = AudioPacketTableInfo(
            validFrameCount: 900, primingFrameCount: 333, remainderFrameCount: 82 * 160 - 1_233)
        #expect(stream.table == info && stream.announcedTable == info)
        #expect(splitThatDiffers(file, from: stream) == nil)
    }
}
