import AudioCore
import StreamTestKit
import Testing

@testable import AudioFileStreamServices

/// The walk over boxes, alone.
@Suite(.timeLimit(.minutes(5)))
struct MovieReaderTests {
    /// A reader, and where it stands in a file.
    struct Walk {
        var reader: MovieReader
        var wishes = MovieReader.Wishes(segmentIndex: true, indexAtEnd: false)
        let file: [UInt8]
        let isAtHand: Bool
        let piece: Int
        var position = 0
        var recorder = EventRecorder()

        init(_ file: [UInt8], isAtHand: Bool = true, piece: Int = .max) {
            self.file = file
            self.isAtHand = isAtHand
            self.piece = piece
            reader = MovieReader(fileByteCount: isAtHand ? Int64(file.count) : nil)
        }

        /// The next landmark. In pieces that grow where more is needed; what is gone to lies ahead, or anywhere at
        /// hand.
        mutating func next() throws -> MovieReader.Landmark {
            let file = file
            var needed = 1
            while true {
                let end = min(file.count, max(position &+ needed, piece == .max ? file.count : position + piece))
                let window = file.span.bytes.extracting(min(position, file.count)..<end)
                let walk = try reader.walk(
                    window, at: 0, Int64(position), isAtEnd: end == file.count, isPlaying: true, wishes,
                    into: &recorder)
                needed = 1
                switch walk {
                case .step(.took(let count)): position += count
                case .step(.goTo(let target)): position = min(Int(target), isAtHand ? .max : file.count)
                case .step(.needsMore(let count)): needed = count
                case .met(let landmark):
                    if case .segmentIndex(_, _, let count) = landmark { position += count }
                    return landmark
                }
            }
        }

        /// The names of all that follow.
        mutating func rest() throws -> [String] {
            var names: [String] = []
            while names.last != "end" {
                switch try next() {
                case .movie: names.append("movie")
                case .fragment: names.append(reader.fragment.isEmpty ? "empty fragment" : "fragment")
                case .indexWanted:
                    names.append("index wanted at \(position)")
                    wishes.indexAtEnd = false
                case .segmentIndex(let body, let end, _): names.append("index of \(body.count) bytes up to \(end)")
                case .end: names.append("end")
                }
            }
            return names
        }
    }

    @Test(arguments: [1, 7, 100, Int.max], [false, true])
    func aMovieIsReadWherever(piece: Int, isFirst: Bool) throws {
        var writer = MPEG4Writer()
        writer.userData = MPEG4Writer.fullBox("titl", [0, 0] + Array("Song".utf8) + [0])
        let file = writer.file(movieFirst: isFirst)
        var walk = Walk(file, piece: piece)
        #expect(walk.reader.movieEnd == nil && walk.reader.entry == nil)
        #expect(try walk.rest() == ["movie", "end"])
        #expect(walk.reader.movie.track?.table.sampleCount == 40)
        #expect(walk.reader.entry?.format.codec == .aac)
        let media = 8 + writer.packets.joined().count
        #expect(walk.reader.movieEnd == Int64(isFirst ? file.count - media : file.count))
        #expect(ParsedStream(events: walk.recorder.events).info(.title) == "Song")
    }

    @Test(arguments: [1, 100, Int.max], [false, true])
    func fragmentsAreLandmarks(piece: Int, isAtHand: Bool) throws {
        let writer = MPEG4Writer()
        var walk = Walk(writer.fragmented(packetsPerFragment: 15), isAtHand: isAtHand, piece: piece)
        #expect(try walk.rest() == ["movie", "fragment", "fragment", "fragment", "end"])
        // The last one: ten packets in two runs.
        var cursor = walk.reader.fragment
        var sizes: [Int64] = []
        while let place = cursor.next() {
            sizes.append(place.byteCount)
            cursor.pass(place)
        }
        #expect(sizes == writer.packets[30...].map { Int64($0.count) })
    }

    @Test func indexesAreMetWhereTheyAreOfUse() throws {
        let index = MPEG4Writer.fullBox("sidx", MPEG4Writer.numbers([1, 44_100, 0, 0, 0]))
        let fragments = MPEG4Writer().fragmented(packetsPerFragment: 20)
        let plain = IndexedFragments(fragments, packets: [])
        let indexed = plain.with(index, at: plain.starts[0])
        var walk = Walk(indexed.file)
        walk.wishes.indexAtEnd = true
        let end = plain.starts[0] + index.count
        #expect(
            try walk.rest() == [
                "movie", "index of \(index.count - 8) bytes up to \(end)", "index wanted at \(end)", "fragment",
                "fragment", "end",
            ])
        walk = Walk(indexed.file)
        walk.wishes.segmentIndex = false
        #expect(try walk.rest() == ["movie", "fragment", "fragment", "end"])
    }

    @Test func aPureStreamNeedsTheMovieFirst() throws {
        var walk = Walk(MPEG4Writer().file(movieFirst: false), isAtHand: false)
        #expect(throws: AudioStreamError.notOptimized) { try walk.next() }
    }

    @Test func aMovieWithoutSoundIsRefused() throws {
        var writer = MPEG4Writer()
        writer.handler = "vide"
        var walk = Walk(writer.file())
        #expect(throws: AudioStreamError.unsupportedDataFormat("an MPEG-4 file without sound")) { try walk.next() }
    }

    /// While packets are played boxes on the way are passed, but for a fragment that can be had later.
    @Test(arguments: [false, true])
    func boxesOnTheWayArePassed(isAtHand: Bool) throws {
        let fragments = IndexedFragments(MPEG4Writer(), packetsPerFragment: 20)
        var walk = Walk(fragments.file, isAtHand: isAtHand)
        guard case .movie = try walk.next(), case .fragment = try walk.next() else {
            Issue.record("other landmarks")
            return
        }
        let (media, second) = (Int64(walk.position), Int64(fragments.starts[1]))
        #expect(walk.reader.next == media)
        // Inside of `mdat`, and behind the second `moof`.
        func pass(_ target: Int64, from position: Int64) -> MovieProgress {
            let all = fragments.file.span.bytes
            return walk.reader.pass(towards: target, all, at: Int(position), position, isAtEnd: false)
        }
        #expect(pass(media + 8, from: media) == .took(0))
        #expect(walk.reader.next == second)
        #expect(pass(media + 8, from: media) == .goTo(media + 8))
        #expect(pass(second + 900, from: media + 8) == .goTo(second))
        #expect(pass(second + 900, from: second) == (isAtHand ? .goTo(second + 900) : .took(0)))
        #expect(walk.reader.next == second || !isAtHand)
    }
}
