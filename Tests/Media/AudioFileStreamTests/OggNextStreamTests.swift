import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// A chain whose links need decoders of their own: each is a song, and what is told of it is what is told of it alone.
@Suite(.timeLimit(.minutes(5)))
struct OggNextStreamTests {
    static func opus(_ packets: Int, channels: UInt8 = 2, cut: Int = 0, serial: UInt32, title: String = "") -> [UInt8] {
        var writer = OpusWriter()
        writer.channels = channels
        if !title.isEmpty { writer.comments = ["TITLE=" + title] }
        return writer.file(packets: packets, cut: cut, serial: serial).bytes
    }

    static func vorbis(
        _ packets: Int, rate: UInt32 = 44_100, setup: UInt64 = 1, cut: Int64 = 0, serial: UInt32, title: String = "",
        picture: [UInt8] = []
    ) -> [UInt8] {
        var vorbis = VorbisWriter()
        (vorbis.sampleRate, vorbis.setupSeed) = (rate, setup)
        vorbis.comments = title.isEmpty ? [] : ["TITLE=" + title]
        if !picture.isEmpty { vorbis.comments.append("METADATA_BLOCK_PICTURE=" + base64(pictureBlock(picture))) }
        var writer = vorbis.writerWithHeaders(serial: serial)
        for start in stride(from: 0, to: packets, by: 7) {
            let end = min(start + 7, packets)
            let page = (start..<end).map { index in
                let granule = Int64(index) * 1_024 - (index == packets - 1 ? cut : 0)
                return (
                    vorbis.packet(isLong: true, byteCount: 200, seed: UInt64(serial) << 16 + UInt64(index)), granule
                )
            }
            writer.add(page, isLast: end == packets)
        }
        return writer.bytes
    }

    static func flac(_ blocks: Int, bits: Int = 16, isLastMarked: Bool = true, serial: UInt32) -> [UInt8] {
        var flac = FLACWriter()
        flac.bits = bits
        let frames = flac.frames(blockSizes: [Int](repeating: 4_096, count: blocks), payloadByteCount: 2_000)
        var writer = OggWriter(serial: serial)
        let first = Array("\u{7F}FLAC".utf8) + [1, 0, 1, 0] + Array("fLaC".utf8)
        writer.add([(first + FLACWriter.block(0, flac.streamInfo, isLast: false), 0)], isFirst: true)
        writer.add([(FLACWriter.block(4, vorbisComments(["TITLE=F"]), isLast: isLastMarked), 0)])
        for (index, frame) in frames.enumerated() {
            writer.add([(frame, Int64((index + 1) * 4_096))], isLast: index == blocks - 1)
        }
        return writer.bytes
    }

    private func offsets(_ links: [[UInt8]]) -> [Int64] {
        links.reduce(into: [0]) { $0.append($0.last! + Int64($1.count)) }
    }

    /// What is told of a song wherever it lies in a file, and at its end: no places, and how much is heard instead of
    /// what is cut off its last packets or said to be.
    private func facts(_ song: ParsedStream) -> [StreamEvent] {
        var (events, table): ([StreamEvent], AudioPacketTableInfo?) = ([], nil)
        var decoded = 0
        for event in song.events {
            switch event {
            case .property(.dataOffset), .property(.nextStreamOffset), .property(.bitRate): continue
            case .property(.packetTableInfo(let latest)): table = latest
            case .packet(let bytes, let frameCount):
                decoded += frameCount
                events.append(.packet(bytes: bytes, frameCount: 0))
            default: events.append(event)
            }
        }
        guard var table else { return events }
        let heard = decoded - table.primingFrameCount - table.remainderFrameCount
        #expect(table.validFrameCount == Int64(heard))
        table.remainderFrameCount = 0
        return events + [.property(.packetTableInfo(table))]
    }

    private static let chains: [(name: String, links: [[UInt8]])] = [
        ("other codec", [opus(60, cut: 300, serial: 1, title: "A"), vorbis(30, serial: 2, title: "B")]),
        ("other rate", [vorbis(30, cut: 77, serial: 1), vorbis(30, rate: 48_000, cut: 9, serial: 2)]),
        ("other setup", [vorbis(30, serial: 1), vorbis(30, setup: 2, serial: 2), vorbis(25, setup: 3, serial: 3)]),
        ("one number", [vorbis(30, serial: 1), opus(25, serial: 1), vorbis(25, serial: 1), flac(4, serial: 1)]),
        ("other channels", [opus(20, serial: 1), opus(20, channels: 1, cut: 5, serial: 2), opus(20, serial: 3)]),
        ("FLAC", [flac(3, serial: 1), flac(4, bits: 24, serial: 2), flac(3, isLastMarked: false, serial: 3)]),
        ("picture", [opus(20, serial: 1), vorbis(20, serial: 2, title: "P", picture: payload(150_000))]),
    ]

    @Test func eachLinkIsTheSongThatItIsAlone() {
        for (name, links) in Self.chains {
            let places = offsets(links)
            let alone = links.map { facts(parse($0)) }
            for songs in [parseSongs(links.flatMap(\.self)), parseSongsAtHand(links.flatMap(\.self))] {
                #expect(songs.count == links.count, "\(name)")
                for (index, song) in songs.enumerated() {
                    #expect(song.failure == nil && song.reportedProblems.isEmpty, "\(name), \(index)")
                    #expect(facts(song) == alone[index], "\(name), \(index)")
                    let next = index + 1 < links.count ? [places[index + 1]] : []
                    #expect(song.nextStreamOffsets == next, "\(name), \(index)")
                    let dataOffset = alone.isEmpty ? 0 : parse(links[index]).dataOffset! + places[index]
                    #expect(song.dataOffset == dataOffset, "\(name), \(index)")
                }
            }
        }
    }

    /// However the bytes come, as a stream and at hand.
    @Test func chainsMayBeCutAnyhow() {
        for (name, links) in Self.chains {
            let bytes = links.flatMap(\.self)
            let (whole, atHand) = (parseSongs(bytes), parseSongsAtHand(bytes))
            for size in [1, 26, 1_000, 40_000] {
                #expect(parseSongs(bytes, pieces: size) == whole, "\(name), \(size)")
                #expect(parseSongsAtHand(bytes, pieces: size) == atHand, "\(name), \(size)")
            }
            #expect(splitThatDiffers(bytes, from: parse(bytes)) == nil, "\(name)")
        }
    }

    /// Who does not want what follows has the first song, and is asked for no more of a file.
    @Test func whatFollowsNeedNotBeTaken() throws {
        let (first, second) = (Self.opus(60, cut: 300, serial: 1), Self.vorbis(300, serial: 2))
        let stream = parse(first + second)
        #expect(stream.failure == nil && stream.reportedProblems.isEmpty)
        #expect(facts(stream) == facts(parse(first)))
        let (song, byteCount) = parseFile(first + second, pieces: repeatElement(4_096, count: .max))
        #expect(facts(song) == facts(parse(first)))
        // The look at the file's end is the larger part.
        #expect(byteCount < first.count + 3 * 65_536 + 8_192)
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse((first + second).span.bytes, discontinuity: false, into: &recorder)
        let hasNext = parser.hasNextStream
        #expect(hasNext && parser.summary.nextStreamOffset == Int64(first.count))
        try parser.parse(second.span.bytes, discontinuity: false, into: &recorder)
        let isGone = parser.nextStream() == nil
        #expect(isGone)
    }

    /// A seek back into a song that was over, and to its end once more.
    @Test func aSongThatIsOverMayBeHeardAgain() throws {
        let bytes = Self.opus(60, cut: 300, serial: 1) + Self.vorbis(30, serial: 2)
        let reading = FileReading(bytes)
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        let whole = reading.read(with: &parser) { $0.nextByteOffset }
        for packet in [59, 30, 0] {
            let place = try parser.seek(toPacket: Int64(packet))
            let isOver = parser.hasNextStream
            #expect(!isOver)
            let rest = reading.read(with: &parser) { $0.nextByteOffset }
            #expect(rest.packetBytes == Array(whole.packetBytes[Int(place.packet)...]))
            #expect(rest.nextStreamOffsets == whole.nextStreamOffsets)
        }
        guard var next = parser.nextStream() else {
            Issue.record("nothing follows")
            return
        }
        let second = reading.read(with: &next) { $0.nextByteOffset }
        #expect(second.packetBytes.count == 30)
        _ = try next.seek(toPacket: 20)
        #expect(reading.read(with: &next) { $0.nextByteOffset }.packetBytes == Array(second.packetBytes[20...]))
    }

    /// Links without audio, as many as there may be: no song, no trace, and no time to speak of.
    @Test func linksWithoutAudioAreNoSongs() {
        let empty = (100..<4_100 as Range<UInt32>).map { number -> [UInt8] in
            if number % 2 == 0 { return OpusWriter().writerWithHeaders(serial: number).bytes }
            return Self.vorbis(0, rate: 8_000 + number, serial: number, title: "none")
        }
        let emptyBytes: [UInt8] = empty.flatMap(\.self)
        let (first, last) = (Self.opus(20, serial: 1, title: "first"), Self.vorbis(20, serial: 2, title: "last"))
        let songs = parseSongs(first + emptyBytes + last)
        #expect(songs.count == 2 && songs.map { $0.info(.title) } == ["first", "last"])
        #expect(songs[0].nextStreamOffsets == [Int64(first.count + emptyBytes.count)])
        // In front, too; and at the end they say nothing.
        let front = parseSongs(emptyBytes + last)
        #expect(front.count == 1 && front[0].format?.codec == .vorbis && front[0].info(.title) == "last")
        #expect(front[0].packetBytes == parse(last).packetBytes)
        let end = parseSongs(first + emptyBytes)
        #expect(end.count == 1 && end[0].nextStreamOffsets.isEmpty && facts(end[0]) == facts(parse(first)))
        // Headers that break off.
        var writer = OggWriter(serial: 9)
        writer.add([(VorbisWriter().identification, 0)], isFirst: true)
        writer.add([(VorbisWriter().commentHeader, 0)])
        let broken = writer.bytes
        #expect(parse(broken + broken + first).packetBytes == parse(first).packetBytes)
    }

    @Test func shortSongsCostLinearTime() {
        func seconds(_ count: Int) -> Double {
            let bytes = (0..<count).flatMap { Self.opus(1, channels: UInt8(1 + $0 % 2), serial: 7) }
            var songCount = 0
            let seconds = processorSeconds { songCount = parseSongsAtHand(bytes, pieces: 65_536).count }
            #expect(songCount == count)
            return seconds
        }
        let (short, long) = (seconds(500), seconds(8_000))
        // Sixteen times the songs; quadratic time would be 256 times as much.
        #expect(long < short * 100)
    }

    @Test func whatCannotBePlayedIsToldAndPassedOver() {
        let (first, last) = (Self.opus(20, serial: 1), Self.vorbis(20, serial: 2))
        let speex = OggTests.foreignStream("Speex   ", pages: 5).bytes
        var family = OpusWriter()
        family.family = 255
        var lost = VorbisWriter().writerWithHeaders(serial: 5).pages
        lost.remove(at: 1)
        let damaged = lost.flatMap { $0 } + OpusWriter().file(packets: 3, serial: 5).pages[2]
        for (link, text) in [
            (speex, "an Ogg stream with Speex, which is not played,"),
            (
                family.file(packets: 3, serial: 5).bytes,
                "an Ogg stream with Opus with channel mapping family 255, which is not played,"
            ),
            (
                damaged,
                "an Ogg stream that cannot be played (the comment header is missing in the Ogg page at byte "
                    + "\(first.count + lost[0].count)),"
            ),
        ] {
            let songs = parseSongs(first + link + last)
            #expect(songs.count == 2)
            #expect(songs[0].reportedProblems == [AudioStreamProblem(.damaged(text), at: Int64(first.count))])
            #expect(songs[0].packetBytes == parse(first).packetBytes)
            #expect(songs.last?.packetBytes == parse(last).packetBytes && songs.last?.reportedProblems == [])
            let end = parse(first + link)
            #expect(
                end.failure == nil && end.reportedProblems.count == 1 && end.packetBytes == parse(first).packetBytes)
        }
        // What goes beside a song is no link of its own.
        let film = OggTests.foreignStream("\u{1}video", pages: 4)
        let beside = film.pages[0] + last + film.pages[1...].flatMap { $0 }
        let songs = parseSongs(first + beside)
        #expect(songs.count == 2 && songs.allSatisfy { $0.reportedProblems.isEmpty })
        #expect(songs[0].nextStreamOffsets == [Int64(first.count)])
    }

    private static let unplayable: [(name: String, link: [UInt8], list: String)] = {
        let film = OggTests.foreignStream("OVP80", pages: 3).pages
        var skeleton = OggWriter(serial: 78)
        skeleton.add([(Array("fishead\0".utf8) + payload(50), 0)], isFirst: true)
        return [
            ("Speex", OggTests.foreignStream("Speex   ", pages: 5).bytes, "Speex"),
            ("unknown", OggTests.foreignStream("????", pages: 80).bytes, "an unknown codec"),
            (
                "group",
                skeleton.bytes + film.flatMap { $0 } + OggTests.foreignStream("??", pages: 0).pages[1...].joined(),
                "Skeleton and VP8"
            ),
        ]
    }()

    /// What goes before the first link that can be played is told, and all else is as without it.
    @Test func firstLinksThatCannotBePlayedAreToldAndPassedOver() {
        let chain = Self.opus(60, cut: 300, serial: 1, title: "A") + Self.vorbis(30, cut: 7, serial: 77, title: "B")
        let alone = (parseSongs(chain), parseSongsAtHand(chain))
        for (name, link, list) in Self.unplayable {
            let text = "an Ogg stream with \(list), which is not played,"
            for count in 1...2 {
                let bytes = (0..<count).flatMap { _ in link } + chain
                let problems = (0..<count).map { AudioStreamProblem(.damaged(text), at: Int64($0 * link.count)) }
                for (songs, expected) in [(parseSongs(bytes), alone.0), (parseSongsAtHand(bytes), alone.1)] {
                    #expect(songs.count == 2, "\(name)")
                    #expect(songs[0].reportedProblems == problems && songs[1].reportedProblems == [], "\(name)")
                    for (song, other) in zip(songs, expected) {
                        #expect(song.failure == nil && song.packetBytes == other.packetBytes, "\(name)")
                        #expect(song.announcedTable == other.announcedTable && song.table == other.table, "\(name)")
                        #expect(song.dataOffset == other.dataOffset! + Int64(count * link.count), "\(name)")
                        let places = other.nextStreamOffsets.map { $0 + Int64(count * link.count) }
                        #expect(song.nextStreamOffsets == places, "\(name)")
                    }
                }
                let (whole, atHand) = (parseSongs(bytes), parseSongsAtHand(bytes))
                for size in [1, 26, 1_000, 40_000] {
                    #expect(parseSongs(bytes, pieces: size) == whole, "\(name), \(size)")
                    #expect(parseSongsAtHand(bytes, pieces: size) == atHand, "\(name), \(size)")
                }
                #expect(splitThatDiffers(bytes, from: parse(bytes)) == nil, "\(name)")
            }
        }
    }

    /// Whoever reads a file at hand gets anywhere in what is played of it.
    @Test func behindFirstLinksThatCannotBePlayedPlacesAreExact() throws {
        let link = Self.unplayable[0].link
        let bytes = link + Self.opus(60, cut: 300, serial: 1)
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        let song = FileReading(bytes, pieceByteCount: 5_000).read(with: &parser) { $0.nextByteOffset }
        for packet in [0, 1, 17, 59] as [Int64] {
            let place = try parser.seek(toPacket: packet)
            #expect(place.packet == packet && place.byteOffset >= Int64(link.count))
            #expect(try parser.firstFrame(ofPacket: packet) == packet * 960)
        }
        #expect(song.packets.count == 60 && song.table?.validFrameCount == 60 * 960 - 312 - 300)
    }

    @Test func wherePlayableLinksAreNoneTheFileIsRefused() {
        let links = Self.unplayable.map(\.link)
        for pieces in [1, 1_000, 1_000_000] {
            let songs = [links[0] + links[0], links[0] + links[1] + links[2]].map { parseSongs($0, pieces: pieces) }
            #expect(songs.allSatisfy { $0.count == 1 && $0[0].packets.isEmpty })
            #expect(songs[0][0].failure == .unsupportedDataFormat("Ogg with Speex"))
            let list = "Speex and an unknown codec and Skeleton and VP8"
            #expect(songs[1][0].failure == .unsupportedDataFormat("Ogg with " + list))
        }
    }

    @Test func manyFirstLinksThatCannotBePlayedTakeLinearTime() {
        let (link, last) = (OggTests.foreignStream("????", pages: 1).bytes, Self.opus(20, serial: 1))
        func seconds(_ count: Int) -> Double {
            let bytes = [[UInt8]](repeating: link, count: count).flatMap(\.self) + last
            return processorSeconds {
                for songs in [parseSongs(bytes), parseSongsAtHand(bytes)] {
                    #expect(songs.count == 1 && songs[0].packetBytes == parse(last).packetBytes)
                    #expect(songs[0].reportedProblems.count <= 1_024)
                }
            }
        }
        let (short, long) = (seconds(500), seconds(8_000))
        #expect(long < short * 100)
    }

    /// More links than one song may have go on as another.
    @Test func aLongChainOfOneSetupIsSeveralSongs() {
        let links = (0..<100).map { Self.opus(3, serial: UInt32($0)) }
        let songs = parseSongs(links.flatMap(\.self))
        #expect(songs.count == 2)
        #expect(songs.reduce(0) { $0 + ($1.table?.validFrameCount ?? 0) } == 100 * (3 * 960 - 312))
    }

    /// Where nothing follows that might go on with the song.
    @Test func aLengthIsToldInFrontIfItIsKnown() {
        let songs = parseSongsAtHand(Self.vorbis(30, serial: 1) + Self.opus(60, cut: 300, serial: 2))
        let lengths: [Int64?] = [nil, 56_988]
        #expect(songs.map { $0.announcedTable?.validFrameCount } == lengths)
        #expect(songs.map { $0.table?.validFrameCount } == [29_696, 56_988])
        // Of the rest of the file nothing is reckoned: Vorbis says its own rate.
        #expect(songs[0].bitRate == 128_000)
    }
}
