import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Edit lists that cut parts out: what is given are the frames of their stretches, one after another, and nothing else.
@Suite(.timeLimit(.minutes(5)))
struct MPEG4EditTests {
    /// Frames that are given: those before the first stretch are priming.
    private static func given(_ stretches: [Range<Int64>], _ silences: [Int]) -> [Int64] {
        stretches.indices.reduce(into: Array(0..<stretches[0].lowerBound)) { frames, index in
            if index > 0, index <= silences.count { frames += Array(repeating: -1, count: silences[index - 1]) }
            frames += stretches[index]
        }
    }

    private static func info(_ stretches: [Range<Int64>], _ silences: [Int]) -> AudioPacketTableInfo {
        AudioPacketTableInfo(
            validFrameCount: stretches.reduce(Int64(silences.reduce(0, +))) { $0 + Int64($1.count) },
            primingFrameCount: Int(stretches[0].lowerBound), remainderFrameCount: 0)
    }

    /// Checks what was parsed of a file against its stretches.
    static func check(
        _ stream: ParsedStream, _ media: EditedMedia, _ stretches: [Range<Int64>], silences: [Int] = []
    ) {
        #expect(stream.failure == nil && stream.toldProblems == [], "\(media) \(stretches)")
        let packets = stream.packets
        let given = given(stretches, silences)
        #expect(media.frames(of: packets) == given, "\(media) \(stretches) \(silences)")
        let info = info(stretches, silences)
        #expect(stream.table == info && stream.announcedTable == info)
        #expect(packets.reduce(0) { $0 + $1.frameCount } == given.count)
        // All that is told was told in front.
        let counts = stream.properties.compactMap {
            if case .audioDataPacketCount(let count) = $0 { count } else { nil }
        }
        #expect(counts == [Int64(packets.count)])
        let sizes = stream.properties.compactMap { if case .audioDataByteCount(let count) = $0 { count } else { nil } }
        #expect(sizes == [packets.reduce(0) { $0 + Int64($1.bytes.count) }])
        for case .packetSizeUpperBound(let size) in stream.properties {
            #expect(packets.allSatisfy { $0.bytes.count <= size })
        }
        #expect(stream.format?.framesPerPacket == 0 && stream.format?.bytesPerPacket == 0)
        guard let preroll = media.preroll else { return }
        for packet in packets {
            guard let splice = AudioPacketSplice(packet.bytes.span.bytes), !splice.packets.isEmpty else { continue }
            let first = media.starts.lastIndex { $0 <= splice.streamFrame + Int64(splice.droppedFrameCount) } ?? 0
            #expect(splice.packets.count == min(first, preroll) + 1)
        }
    }

    @Test(arguments: EditedMedia.all) func stretchesAreGivenToTheFrame(media: EditedMedia) {
        let end = media.frameCount
        for stretches in [
            // A cut; one inside a packet; one at packets' edges; the media's end is cut off, or not.
            [100..<2_000, 2_900..<end - 10], [0..<1_500, 1_501..<end], [64..<1_024, 2_048..<3_072],
            [0..<2_304, 3_456..<end],
            // Less than a packet; several in one.
            [5..<1_030, 3_000..<3_001, 3_003..<3_009, 3_050..<3_060, 3_500..<end],
        ] as [[Range<Int64>]] {
            let file = media.file(stretches)
            let stream = parse(file)
            Self.check(stream, media, stretches)
            #expect(splitThatDiffers(file, from: stream) == nil)
            #expect(parseFile(file).stream == stream)
            Self.check(parseFile(media.file(stretches, movieFirst: false)).stream, media, stretches)
        }
    }

    @Test(arguments: EditedMedia.all) func anyStretches(media: EditedMedia) {
        for seed in 1...60 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let stretches = media.stretches(using: &generator)
            let silences =
                seed > 30 ? EditedMedia.silences(between: stretches.count, using: &generator) : []
            let file = media.file(stretches, silences: silences)
            let stream = parse(file)
            Self.check(stream, media, stretches, silences: silences)
            let size = Int.random(in: 1...900, using: &generator)
            #expect(parse(file, with: AudioFileStream(), pieces: repeatElement(size, count: .max)) == stream)
            #expect(parseFile(file, pieces: repeatElement(size, count: .max)).stream == stream, "seed \(seed)")
        }
    }

    /// Also in another order, and several times.
    @Test(arguments: EditedMedia.all) func allOfTheFileAtHand(media: EditedMedia) throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var stretches = media.stretches(using: &generator)
            stretches.append(stretches[0])
            stretches.swapAt(1, stretches.count - 2)
            let isJoined = zip(stretches, stretches.dropFirst()).contains { $0.upperBound == $1.lowerBound }
            guard !isJoined else { continue }
            let silences = seed > 10 ? EditedMedia.silences(between: stretches.count, using: &generator) : []
            let file = media.file(stretches, silences: silences)
            let stream = parseFile(file).stream
            Self.check(stream, media, stretches, silences: silences)
            #expect(parseFile(file, pieces: repeatElement(77, count: .max)).stream == stream)
            // What goes by cannot be had twice.
            let text = "MPEG-4 edits inside the song, which are not followed, at byte "
            let problems = parse(file).toldProblems
            #expect(problems.count == 1 && problems[0].description.hasPrefix(text))
            try Self.checkSeeks(file, stream, media)
        }
    }

    @Test(arguments: EditedMedia.all) func seeksAreExact(media: EditedMedia) throws {
        for seed in 100...110 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let stretches = media.stretches(using: &generator)
            let silences = seed > 105 ? EditedMedia.silences(between: stretches.count, using: &generator) : []
            let file = media.file(stretches, silences: silences)
            try Self.checkSeeks(file, parseFile(file).stream, media)
        }
    }

    /// From every packet on what follows is what followed, and frames are where they were.
    private static func checkSeeks(_ file: [UInt8], _ whole: ParsedStream, _ media: EditedMedia) throws {
        let packets = whole.packets
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        func bring() throws {
            while parser.nextByteOffset < file.count {
                let start = Int(parser.nextByteOffset)
                let part = file.span.bytes.extracting(start..<min(file.count, start + 777))
                try parser.parse(part, discontinuity: false, into: &recorder)
            }
        }
        try bring()
        var frame: Int64 = 0
        for (number, packet) in packets.enumerated() {
            #expect(try parser.firstFrame(ofPacket: Int64(number)) == frame)
            for offset in [0, packet.frameCount - 1] {
                let found = try parser.packet(containingFrame: frame + Int64(offset))
                #expect(found.packet == Int64(number) && found.frameOffset == offset, "\(media) \(number)")
            }
            frame += Int64(packet.frameCount)
            let place = try parser.seek(toPacket: Int64(number))
            try #require((0...number).contains(Int(place.packet)) && !place.isEstimate)
            let passed = packets[Int(place.packet)..<number].filter { !media.isSilence($0.bytes) }
            #expect(passed.count <= 64)
            #expect(try parser.place(ofPacket: place.packet) == place)
            recorder = EventRecorder()
            try bring()
            let rest = ParsedStream(events: recorder.events).packets
            let expected = packets[Int(place.packet)...]
            #expect(rest.map(\.bytes) == expected.map(\.bytes), "\(media) \(number)")
            #expect(rest.map(\.frameCount) == expected.map(\.frameCount))
        }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.place(ofPacket: Int64(packets.count)) }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.packet(containingFrame: frame) }
    }

    @Test func bytesOfTheFileAreFoundInPackets() throws {
        let media = EditedMedia.all[0]
        // Packets 0 to 2, and 10 (after 9, which the decoder needs) to 12.
        let file = media.file([100..<3_000, 10_300..<13_000])
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, into: &recorder)
        for (packet, number) in [(0, 0), (2, 2), (9, 3), (10, 3), (11, 4), (12, 5)] as [(Int, Int64)] {
            let place = try #require(Self.place(of: media.writer.packets[packet], in: file))
            #expect(try parser.packet(atByteOffset: Int64(place)) == (number, false))
        }
        for packet in [3, 8, 13] {
            let place = try #require(Self.place(of: media.writer.packets[packet], in: file))
            #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.packet(atByteOffset: Int64(place)) }
        }
    }

    private static func place(of part: [UInt8], in file: [UInt8]) -> Int? {
        file.indices.first { file[$0] == part[0] && file[$0...].starts(with: part) }
    }
}
