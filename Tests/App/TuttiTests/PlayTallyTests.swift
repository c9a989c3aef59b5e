import AudioCore
import Testing
import TuttiRuntime

@testable import tutti

/// When a song counts as played.
@Suite(.timeLimit(.minutes(5))) struct PlayTallyTests {
    /// A session whose clock and songs move by hand.
    private struct Session {
        var tally = PlayTally()
        var now = HostTime(nanoseconds: 1_000_000_000_000)
        var path: String? = "/music/a.mp3"
        var elapsed = TimeSpan.zero
        var total: TimeSpan? = .seconds(100)
        var state = PlayStatus.State.playing
        /// What counted so far.
        var counted: [String] = []

        mutating func show() {
            let song = SongStatus(
                title: "t", artist: nil, format: "", elapsed: elapsed, total: total, path: path)
            take(.playing(PlayStatus(state: state, song: song)))
        }

        mutating func take(_ event: RuntimeEvent) {
            if let path = tally.take(event, now: now) { counted.append(path) }
        }

        /// Plays on, with a status every 200 ms.
        mutating func play(_ seconds: Double) {
            for _ in 0..<Int((seconds * 5).rounded()) {
                now += .milliseconds(200)
                elapsed += .milliseconds(200)
                show()
            }
        }

        /// Time passes, and the song does not go on.
        mutating func rest(_ seconds: Int64) {
            for _ in 0..<seconds {
                now += .seconds(1)
                show()
            }
        }

        mutating func seek(to seconds: Int64) {
            elapsed = .seconds(seconds)
            show()
        }
    }

    private func session(_ change: (inout Session) -> Void = { _ in }) -> Session {
        var session = Session()
        change(&session)
        session.show()
        return session
    }

    @Test func moreThanHalfCountsOnce() {
        var session = session()
        session.play(50)
        #expect(session.counted.isEmpty)
        session.play(0.2)
        #expect(session.counted == ["/music/a.mp3"])
        session.play(49.8)
        #expect(session.counted.count == 1)
    }

    @Test func fourMinutesCountOfWhateverLength() {
        for total in [TimeSpan.seconds(3_600), nil] {
            var session = session { $0.total = total }
            session.play(239.8)
            #expect(session.counted.isEmpty)
            session.play(0.2)
            #expect(session.counted.count == 1)
        }
    }

    @Test func aSongOfNoLengthNeedsFourMinutes() {
        var session = session { $0.total = .zero }
        session.play(10)
        #expect(session.counted.isEmpty)
    }

    @Test func seeksAddNothing() {
        var session = session()
        session.play(20)
        session.seek(to: 90)
        session.play(9)
        #expect(session.counted.isEmpty, "29 s sounded")
        session.seek(to: 40)
        session.play(21)
        #expect(session.counted.isEmpty, "50 s sounded")
        session.play(0.4)
        #expect(session.counted.count == 1)
    }

    @Test(arguments: [PlayStatus.State.paused, .starving])
    func silenceAddsNothing(state: PlayStatus.State) {
        var session = session()
        session.play(40)
        session.state = state
        session.rest(600)
        session.state = .playing
        session.show()
        session.play(10)
        #expect(session.counted.isEmpty)
        session.play(0.2)
        #expect(session.counted.count == 1)
    }

    @Test func theBeginningBeginsAnew() {
        var session = session()
        session.play(45)
        session.seek(to: 0)
        session.play(45)
        #expect(session.counted.isEmpty, "neither time was half of it")
        session.play(6)
        #expect(session.counted.count == 1)
    }

    @Test func repeatedSongsCountEachTime() {
        var session = session()
        for _ in 0..<3 {
            session.play(100)
            session.elapsed = .zero
        }
        #expect(session.counted.count == 3)
    }

    @Test func theNextSongBeginsAnew() {
        var session = session()
        session.play(45)
        (session.path, session.elapsed) = ("/music/b.mp3", .zero)
        session.play(45)
        (session.path, session.elapsed) = ("/music/a.mp3", .zero)
        session.play(45)
        #expect(session.counted.isEmpty)
        session.play(10)
        #expect(session.counted == ["/music/a.mp3"])
    }

    /// The last status of a song comes when it is over.
    @Test func theEndOfAShortSongCounts() {
        var session = session { $0.total = .milliseconds(104) }
        session.now += .milliseconds(110)
        (session.elapsed, session.state) = (.milliseconds(104), .ended)
        session.show()
        #expect(session.counted.count == 1)
    }

    @Test func whatIsNoFileOfThisMachineDoesNotCount() {
        var session = session { $0.path = nil }
        session.play(100)
        #expect(session.counted.isEmpty)
    }

    @Test func othersBroadcastsDoNotCount() {
        var session = Session()
        let song = SongStatus(
            title: "t", artist: nil, format: "", elapsed: .zero, total: .seconds(10), path: "/music/a.mp3")
        for second in 0..<10 as Range<Int64> {
            var heard = song
            heard.elapsed = .seconds(second)
            session.now += .seconds(1)
            session.take(.listening(Sample.listener("Den"), song: heard, broadcaster: "Den"))
        }
        #expect(session.counted.isEmpty)
    }

    /// Events come late, and a statement is made once a second, or every 200 ms.
    @Test(arguments: [Int64(200), 1_000]) func aBroadcastOfUnevenStatusesCounts(milliseconds: Int64) {
        var session = Session()
        var song = SongStatus(
            title: "t", artist: nil, format: "", elapsed: .zero, total: .seconds(60), path: "/music/a.mp3")
        let start = session.now
        for index in 0..<60_000 / milliseconds {
            song.elapsed = .milliseconds(index * milliseconds)
            session.now = start + song.elapsed + .milliseconds(index % 3 * 40)
            session.take(Sample.broadcast(index % 2 == 0 ? .playing : .finishing, song: song, listeners: []))
        }
        #expect(session.counted == ["/music/a.mp3"])
    }

    @Test(arguments: [BroadcastStatus.State.paused, .idle, .ended, .waiting(ready: 0, wanted: 1)])
    func aBroadcastThatIsSilentDoesNotCount(state: BroadcastStatus.State) {
        var session = Session()
        var song = SongStatus(
            title: "t", artist: nil, format: "", elapsed: .zero, total: .seconds(10), path: "/music/a.mp3")
        for second in 0..<10 as Range<Int64> {
            song.elapsed = .seconds(second)
            session.now += .seconds(1)
            session.take(Sample.broadcast(state, song: song, listeners: []))
        }
        #expect(session.counted.isEmpty)
    }
}
