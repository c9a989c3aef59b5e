import AudioCore
import StreamTestKit
import Testing

@testable import AudioFileStreamServices

/// `MovieReader` alone, without the parser around it.
@Suite(.timeLimit(.minutes(5)))
struct MovieReaderTests {
    /// A reader, and where it stands in a file.
    struct Stepper {
        var reader: MovieReader
        var options = MovieReader.Options(collectsSegmentIndex: true, stopsBeforeFragment: false)
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

        /// The next stop. Bytes come in pieces, in larger ones where more are needed. A jump leads forward, in a file
        /// anywhere.
        mutating func next() throws -> MovieReader.Stop {
            let file = file
            var needed = 1
            while true {
                let end = min(file.count, max(position &+ needed, piece == .max ? file.count : position + piece))
                let window = file.span.bytes.extracting(min(position, file.count)..<end)
                let outcome = try reader.step(
                    window, at: 0, Int64(position), isAtEnd: end == file.count, isPlaying: true, options,
                    into: &recorder)
                needed = 1
                switch outcome {
                case .progress(.took(let count)): position += count
                case .progress(.goTo(let target)): position = min(Int(target), isAtHand ? .max : file.count)
                case .progress(.needsMore(let count)): needed = count
                case .stopped(let stop):
                    if case .segmentIndex(_, _, let count) = stop { position += count }
                    return stop
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
                case .beforeFragment:
                    names.append("before the fragment at \(position)")
                    options.stopsBeforeFragment = false
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
        var stepper = Stepper(file, piece: piece)
        #expect(stepper.reader.movieEnd == nil && stepper.reader.entry == nil)
        #expect(try stepper.rest() == ["movie", "end"])
        #expect(stepper.reader.movie.track?.table.sampleCount == 40)
        #expect(stepper.reader.entry?.format.codec == .aac)
        let media = 8 + writer.packets.joined().count
        #expect(stepper.reader.movieEnd == Int64(isFirst ? file.count - media : file.count))
        #expect(ParsedStream(events: stepper.recorder.events).info(.title) == "Song")
    }

    @Test(arguments: [1, 100, Int.max], [false, true])
    func readingStopsAfterEachFragment(piece: Int, isAtHand: Bool) throws {
        let writer = MPEG4Writer()
        var stepper = Stepper(writer.fragmented(packetsPerFragment: 15), isAtHand: isAtHand, piece: piece)
        #expect(try stepper.rest() == ["movie", "fragment", "fragment", "fragment", "end"])
        // The last one: ten packets in two runs.
        var cursor = stepper.reader.fragment
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
        var stepper = Stepper(indexed.file)
        stepper.options.stopsBeforeFragment = true
        let end = plain.starts[0] + index.count
        #expect(
            try stepper.rest() == [
                "movie", "index of \(index.count - 8) bytes up to \(end)", "before the fragment at \(end)", "fragment",
                "fragment", "end",
            ])
        stepper = Stepper(indexed.file)
        stepper.options.collectsSegmentIndex = false
        #expect(try stepper.rest() == ["movie", "fragment", "fragment", "end"])
    }

    @Test func aPureStreamNeedsTheMovieFirst() throws {
        var stepper = Stepper(MPEG4Writer().file(movieFirst: false), isAtHand: false)
        #expect(throws: AudioStreamError.notOptimized) { try stepper.next() }
    }

    @Test func aMovieWithoutSoundIsRefused() throws {
        var writer = MPEG4Writer()
        writer.handler = "vide"
        var stepper = Stepper(writer.file())
        #expect(throws: AudioStreamError.unsupportedDataFormat("an MPEG-4 file without sound")) { try stepper.next() }
    }

    /// While packets are played boxes on the way are passed, but for a fragment that can be had later.
    @Test(arguments: [false, true])
    func boxesOnTheWayArePassed(isAtHand: Bool) throws {
        let fragments = IndexedFragments(MPEG4Writer(), packetsPerFragment: 20)
        var stepper = Stepper(fragments.file, isAtHand: isAtHand)
        guard case .movie = try stepper.next(), case .fragment = try stepper.next() else {
            Issue.record("other landmarks")
            return
        }
        let (media, second) = (Int64(stepper.position), Int64(fragments.starts[1]))
        #expect(stepper.reader.next == media)
        // Inside of `mdat`, and behind the second `moof`.
        func pass(_ target: Int64, from position: Int64) -> MovieProgress {
            let all = fragments.file.span.bytes
            return stepper.reader.pass(towards: target, all, at: Int(position), position, isAtEnd: false)
        }
        #expect(pass(media + 8, from: media) == .took(0))
        #expect(stepper.reader.next == second)
        #expect(pass(media + 8, from: media) == .goTo(media + 8))
        #expect(pass(second + 900, from: media + 8) == .goTo(second))
        #expect(pass(second + 900, from: second) == (isAtHand ? .goTo(second + 900) : .took(0)))
        #expect(stepper.reader.next == second || !isAtHand)
    }
}
