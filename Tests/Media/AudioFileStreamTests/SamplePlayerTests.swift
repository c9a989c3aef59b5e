import AudioCore
import StreamTestKit
import Testing

@testable import AudioFileStreamServices

/// Packets that are given, wherever a cursor says that they lie.
@Suite(.timeLimit(.minutes(5)))
struct SamplePlayerTests {
    /// Samples one by one, each where it is said to be.
    private struct Samples: SampleCursor {
        let places: [Range<Int64>]
        private var index = -1
        let blocks: BlockLayout? = nil
        var extent = SampleExtent(offset: 0, sampleCount: 0, byteCount: 0)

        init(_ places: [Range<Int64>]) { self.places = places }

        var sampleByteCount: Int64 { Int64(places[index].count) }
        var sampleDuration: Int64 { 1_024 }
        var hasEqualSizes: Bool { false }

        mutating func openExtent() -> Bool {
            guard index + 1 < places.count else { return false }
            index += 1
            extent = SampleExtent(offset: places[index].lowerBound, sampleCount: 1, byteCount: 0)
            return true
        }

        mutating func didPass(samples: Int64) {}
        mutating func didPass(_ place: SamplePlace, of blocks: BlockLayout) {}
        mutating func dropExtent() { extent.sampleCount = 0 }
    }

    private let bytes = payload(400)

    /// A player, and what it gave.
    private struct Play {
        var player: SamplePlayer
        var cursor: Samples
        var recorder = EventRecorder()

        /// - Parameter fileByteCount: nil for a pure stream.
        init(_ places: [Range<Int64>], fileByteCount: Int64?) throws {
            cursor = Samples(places)
            player = SamplePlayer(fileByteCount: fileByteCount)
            var stepper = MovieReaderTests.Stepper(MPEG4Writer().file())
            guard case .movie = try stepper.next() else { return }
            let movie = stepper.reader.movie
            player.stream.begin(movie, try #require(movie.track), try #require(stepper.reader.entry), nil)
        }

        mutating func step(_ bytes: [UInt8], _ window: Range<Int>, isAtEnd: Bool = false) -> SamplePlayer.Outcome {
            let span = bytes.span.bytes.extracting(window)
            let offset = Int64(window.lowerBound)
            let outcome = player.play(&cursor, nil, span, at: 0, offset: offset, isAtEnd: isAtEnd, into: &recorder)
            player.flush(span, into: &recorder)
            return outcome
        }

        var packets: [[UInt8]] { ParsedStream(events: recorder.events).packetBytes }
        var problems: [AudioStreamProblem] { ParsedStream(events: recorder.events).reportedProblems }
    }

    @Test func packetsAreGivenAsFarAsTheyAreThere() throws {
        var play = try Play([100..<110, 110..<140, 300..<320, 320..<325], fileByteCount: 400)
        #expect(play.step(bytes, 100..<120) == .took(10))
        #expect(play.player.stream.isReady)
        #expect(play.step(bytes, 110..<120) == .needsMore(30))
        #expect(play.step(bytes, 110..<200) == .took(30))
        #expect(play.step(bytes, 140..<200) == .away(300))
        #expect(play.step(bytes, 300..<400) == .took(25))
        #expect(play.step(bytes, 325..<400) == .ended)
        #expect(play.packets == [100..<110, 110..<140, 300..<320, 320..<325].map { Array(bytes[$0]) })
        #expect(play.player.stream.nextFrame == 4 * 1_024 && play.problems.isEmpty)
    }

    @Test func whatLiesBehindIsGoneBackForOrLost() throws {
        let places: [Range<Int64>] = [100..<110, 50..<60, 110..<120]
        var stream = try Play(places, fileByteCount: nil)
        #expect(stream.step(bytes, 100..<200) == .took(20))
        #expect(stream.packets == [Array(bytes[100..<110]), Array(bytes[110..<120])])
        var file = try Play(places, fileByteCount: 400)
        #expect(file.step(bytes, 100..<200) == .took(10))
        #expect(file.step(bytes, 110..<200) == .away(50))
    }

    @Test func packetsThatOverlapEndIt() throws {
        var play = try Play([100..<300, 100..<300, 100..<300], fileByteCount: 400)
        #expect(play.step(bytes, 100..<400) == .took(200))
        #expect(play.step(bytes, 300..<400) == .away(100))
        #expect(play.step(bytes, 100..<400) == .took(200))
        #expect(play.step(bytes, 100..<400) == .gaveUp(took: 0))
        #expect(play.packets.count == 2)
        #expect(play.problems.map(\.kind) == [.damaged("MPEG-4 packets that overlap")])
    }

    @Test(arguments: [nil, 350] as [Int64?])
    func whatTheEndCutsIsTold(fileByteCount: Int64?) throws {
        var play = try Play([100..<110, 340..<380], fileByteCount: fileByteCount)
        #expect(play.step(bytes, 100..<350, isAtEnd: true) == .took(10))
        if fileByteCount == nil {
            #expect(play.step(bytes, 110..<350, isAtEnd: true) == .away(340))
        }
        #expect(play.step(bytes, 340..<350, isAtEnd: true) == .ended)
        #expect(play.packets.count == 1 && play.problems.isEmpty)
        try play.player.finish(into: &play.recorder)
        #expect(play.problems == [AudioStreamProblem(.truncated(missingByteCount: 30), at: 350)])
    }

    @Test func packetsThatAreTooLargeAreLeftOut() throws {
        let byteCount = Int64(Limits.packetByteCount)
        var play = try Play([0..<byteCount + 1, 20..<30], fileByteCount: 2 * byteCount)
        #expect(play.step(bytes, 20..<100) == .took(10))
        #expect(play.packets == [Array(bytes[20..<30])])
        #expect(
            play.problems.map(\.kind) == [.damaged("MPEG-4 packet of \(byteCount + 1) bytes that is too large")])
    }

    @Test func nothingGivenIsNoSong() throws {
        var play = try Play([], fileByteCount: 400)
        #expect(play.step(bytes, 0..<400) == .ended)
        #expect(throws: AudioStreamError.dataUnavailable) { try play.player.finish(into: &play.recorder) }
    }
}
