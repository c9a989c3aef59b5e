import AudioCore
import Programmes
import Testing
import WireProtocol

@testable import Broadcasting

/// Several songs on one timeline, and the commands that change it.
@Suite(.timeLimit(.minutes(5)))
struct ProgrammeBroadcastTests {
    static let asker = Asker(number: 0, name: "Attic")

    /// One listener, and as many songs of ten seconds as titles; the first one plays.
    func playing(
        _ titles: [String] = ["a", "b", "c"], configure: (inout BroadcastConfiguration) -> Void = { _ in }
    ) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast {
            $0.programme = ScriptedBroadcast.programme(titles)
            configure(&$0)
        }
        broadcast.give(seconds: 10)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(400))
        return broadcast
    }

    /// Gives a song of ten seconds to whatever was opened last.
    func giveSong(_ broadcast: inout ScriptedBroadcast, seconds: Int = 10, isWhole: Bool = true) {
        guard let epoch = broadcast.opened.last?.epoch else { return }
        broadcast.give(seconds: seconds, of: epoch)
        if isWhole { broadcast.source(.ended(.nothing), of: epoch) }
        broadcast.drain(1)
    }

    func perform(_ operation: ProgrammeOperation, _ broadcast: inout ScriptedBroadcast) {
        broadcast.handle(.command(Command(.programme(operation)), Self.asker))
    }

    func titles(_ broadcast: ScriptedBroadcast) -> [String] {
        broadcast.opened.compactMap { if case .location(.local(let path)) = $0.origin { path } else { nil } }
    }

    // MARK: Before the first sound

    @Test func aCommandToPlayIsDoneWhenTheFirstSongSounds() throws {
        var broadcast = ScriptedBroadcast { $0.staysIdle = true }
        broadcast.join(1)
        #expect(broadcast.session.listeners.map(\.name).count == 1)
        perform(.add([.file("/a")]), &broadcast)
        perform(.play, &broadcast)
        #expect(broadcast.outcomes.count == 1)
        broadcast.handle(.tick)
        giveSong(&broadcast)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(400))
        let anchor = try #require(broadcast.heard[1]?.anchor)
        guard case .done(_, let effect)? = broadcast.outcomes.last?.verdict else {
            Issue.record("\(broadcast.outcomes)")
            return
        }
        #expect(broadcast.outcomes.count == 2 && effect == anchor.session)
    }

    @Test func aCommandIsAnsweredThoughNobodyListens() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 10)
        broadcast.wait(.milliseconds(200))
        perform(.seek(to: .seconds(3)), &broadcast)
        giveSong(&broadcast)
        broadcast.wait(.milliseconds(600))
        #expect(broadcast.outcomes.last?.text == "it begins when listeners are ready")
    }

    @Test func aStopAnswersWhatWaited() {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        perform(.next, &broadcast)
        #expect(broadcast.outcomes.isEmpty)
        perform(.stop, &broadcast)
        #expect(broadcast.outcomes.count == 2)
    }

    // MARK: Stop, and nothing to play

    @Test func aStopKeepsThePlaceAndTheListeners() throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        perform(.stop, &broadcast)
        #expect(broadcast.heard[1]?.cuts.count == 1 && broadcast.closedSources.contains(Epoch(1)))
        broadcast.wait(.seconds(30), draining: 1)
        #expect(broadcast.outcome == nil && !broadcast.closed.contains(1))
        perform(.play, &broadcast)
        #expect(titles(broadcast) == ["/a", "/a"])
        giveSong(&broadcast)
        #expect(broadcast.heard[1]?.anchors.last?.epoch == Epoch(2))
    }

    @Test func whoStaysIdleWaitsForCommands() {
        var broadcast = playing(["a"]) { $0.staysIdle = true }
        broadcast.source(.ended(.nothing))
        broadcast.wait(.seconds(14), draining: 1)
        #expect(broadcast.outcome == nil && broadcast.session.transport == .idle)
        perform(.play, &broadcast)
        giveSong(&broadcast)
        #expect(broadcast.heard[1]?.anchors.last?.epoch == Epoch(2) && broadcast.session.transport == .playing)
    }

    @Test func nextAfterTheLastSongEndsTheBroadcast() {
        var broadcast = playing(["a"])
        broadcast.wait(.seconds(1), draining: 1)
        perform(.next, &broadcast)
        broadcast.wait(.seconds(3), draining: 1)
        #expect(broadcast.outcome == .completed)
    }

    // MARK: Live

    @Test func aPausedStationIsOpenedAnew() {
        var broadcast = playing(["station"])
        broadcast.source(.opened(isLive: true, isSeekable: false))
        broadcast.wait(.seconds(1), draining: 1)
        perform(.seek(to: .seconds(1)), &broadcast)
        #expect(broadcast.outcomes.last?.verdict == .refused(.liveCannotSeek))
        perform(.pause, &broadcast)
        #expect(broadcast.closedSources == [Epoch(1)])
        perform(.resume, &broadcast)
        #expect(titles(broadcast) == ["/station", "/station"])
    }

    // MARK: From elsewhere

    @Test func aListenerMayCommandAndMayNotAdd() throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        broadcast.say(WireEncoder.command(Command(.programme(.pause))), 1)
        #expect(broadcast.session.transport == .paused)
        let address = try #require(WebAddress("http://example.com/song.mp3"))
        broadcast.say(WireEncoder.command(Command(.programme(.add([.web(address)])))), 1)
        let outcomes = (broadcast.heard[1]?.messages ?? []).compactMap { message -> CommandOutcome.Verdict? in
            if case .outcome(let outcome) = message { outcome.verdict } else { nil }
        }
        #expect(outcomes.count == 2 && outcomes.last == .refused(.notAllowed))
        #expect(broadcast.session.programme.itemCount == 3)
    }
}

struct Missing: Error {}

extension ScriptedBroadcast {
    /// As ``wait(_:)``, while a listener takes all that it is sent.
    mutating func wait(_ span: TimeSpan, draining id: Int) {
        let end = now + span
        while now < end {
            wait(.milliseconds(100))
            drain(id)
            say(WireEncoder.keepAlive(), id)
        }
    }
}
