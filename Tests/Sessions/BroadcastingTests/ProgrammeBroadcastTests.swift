import AudioCore
import ClockSync
import Peering
import Programmes
import Testing
import WireProtocol

@testable import Broadcasting

/// Several songs on one timeline, and the commands that change it.
@Suite(.timeLimit(.minutes(5)))
struct ProgrammeBroadcastTests {
    private static let asker = Asker(number: 0, name: "Attic")

    /// One listener, and as many songs of ten seconds as titles; the first one plays.
    private func playing(
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
    private func giveSong(_ broadcast: inout ScriptedBroadcast, seconds: Int = 10, isWhole: Bool = true) {
        guard let epoch = broadcast.opened.last?.epoch else { return }
        broadcast.give(seconds: seconds, of: epoch)
        if isWhole { broadcast.source(.ended(.nothing), of: epoch) }
        broadcast.drain(1)
    }

    private func perform(_ operation: ProgrammeOperation, _ broadcast: inout ScriptedBroadcast) {
        broadcast.handle(.command(Command(.programme(operation)), Self.asker))
    }

    private func titles(_ broadcast: ScriptedBroadcast) -> [String] {
        broadcast.opened.compactMap { if case .location(.local(let path)) = $0.origin { path } else { nil } }
    }

    // MARK: Songs that follow

    @Test func theNextSongBeginsWhereTheFirstOneEnds() throws {
        var broadcast = playing()
        let first = try #require(broadcast.heard[1]?.anchor)
        #expect(titles(broadcast) == ["/a"])
        broadcast.source(.ended(.nothing))
        #expect(titles(broadcast) == ["/a", "/b"])
        giveSong(&broadcast)
        let next = try #require(broadcast.heard[1]?.anchors.last)
        #expect(next.epoch == Epoch(2) && next.frame == .zero)
        #expect(next.session == first.session + .seconds(10))
        #expect(broadcast.heard[1]?.entries.map(\.epoch) == [Epoch(1), Epoch(2)])
        #expect(broadcast.heard[1]?.cuts.isEmpty == true)
        // What is over is let go of, and the third is opened.
        broadcast.wait(.milliseconds(10_500), draining: 1)
        #expect(broadcast.closedSources == [Epoch(1)])
        giveSong(&broadcast)
        broadcast.wait(.seconds(20), draining: 1)
        broadcast.report(.finished, 1)
        broadcast.wait(.seconds(2), hearingFrom: [1])
        #expect(titles(broadcast) == ["/a", "/b", "/c"])
        #expect(broadcast.closedSources == [Epoch(1), Epoch(2)] && broadcast.session.song.epoch == Epoch(3))
        #expect(broadcast.session.programme.following == nil && broadcast.session.timeline.heard.endInstant != nil)
        #expect(broadcast.outcome == .completed)
    }

    @Test func aPauseIsHeardWhereTheNextSongIsBeingSent() throws {
        var broadcast = playing(["a", "b"])
        broadcast.source(.ended(.nothing))
        giveSong(&broadcast)
        #expect(broadcast.heard[1]?.entries.last?.epoch == Epoch(2))
        broadcast.wait(.seconds(2), draining: 1)
        perform(.pause, &broadcast)
        let cut = try #require(broadcast.heard[1]?.cuts.last)
        #expect(cut.epoch == Epoch(1))
        broadcast.wait(.seconds(1), draining: 1)
        perform(.resume, &broadcast)
        #expect(
            broadcast.heard[1]?.anchors.last?.epoch == Epoch(1) && broadcast.heard[1]?.anchors.last?.frame == cut.frame)
        // The next one is opened anew, and placed behind the rest of this one.
        broadcast.wait(.milliseconds(100), draining: 1)
        giveSong(&broadcast)
        let next = try #require(broadcast.heard[1]?.anchors.last)
        #expect(next.epoch > Epoch(2) && broadcast.heard[1]?.entries.last?.epoch == next.epoch)
    }

    @Test func aPauseShortlyBeforeAJointIsBehindIt() throws {
        var broadcast = playing(["a", "b"])
        try waitForTheJoint(&broadcast)
        perform(.pause, &broadcast)
        let cut = try #require(broadcast.heard[1]?.cuts.last)
        #expect(cut.epoch == Epoch(2) && cut.frame == FramePosition(160), "\(cut)")
        #expect(broadcast.heard[1]?.cuts.count == 1)
    }

    @Test func aMovedTimelineMovesWhatFollows() throws {
        var broadcast = playing(["a", "b"])
        broadcast.source(.ended(.nothing))
        giveSong(&broadcast)
        let before = try #require(broadcast.session.timeline.last.anchor)
        var anchor = try #require(broadcast.session.timeline.heard.anchor)
        anchor.session += .milliseconds(7)
        var timeline = broadcast.session.timeline
        timeline.place(by: anchor)
        #expect(timeline.last.anchor?.session == before.session + .milliseconds(7))
    }

    @Test func aSongThatCannotBePlayedIsPassedOver() {
        var broadcast = playing()
        broadcast.source(.ended(.nothing))
        broadcast.source(.failed("it is torn", .nothing), of: Epoch(2))
        #expect(broadcast.notices.contains(.songPassedOver(Epoch(2), "it is torn")))
        broadcast.handle(.tick)
        #expect(titles(broadcast) == ["/a", "/b", "/c"])
        giveSong(&broadcast)
        #expect(broadcast.heard[1]?.anchors.last?.epoch == Epoch(3))
    }

    @Test(arguments: [true, false]) func theFirstSongThatCanBePlayedIsTheFirst(staysIdle: Bool) {
        var broadcast = ScriptedBroadcast {
            $0.programme = ScriptedBroadcast.programme(["a", "b"])
            $0.staysIdle = staysIdle
        }
        broadcast.source(.failed("no", .nothing))
        #expect(titles(broadcast) == ["/a", "/b"] && broadcast.outcome == nil)
        broadcast.source(.failed("neither", .nothing), of: Epoch(2))
        #expect(broadcast.outcome == (staysIdle ? nil : .unplayable("neither")))
    }

    @Test func theSongsOfASourceFollowOneAnother() {
        var broadcast = playing(["a"])
        broadcast.source(.ended(.anotherSong))
        #expect(broadcast.opened.last?.origin == .sameSource(as: Epoch(1)))
        giveSong(&broadcast)
        #expect(broadcast.session.timeline.last.songsBefore == 1 && broadcast.heard[1]?.anchors.last?.epoch == Epoch(2))
    }

    @Test func theSongsOfAListTakeItsPlace() {
        var broadcast = ScriptedBroadcast { $0.programme = ScriptedBroadcast.programme(["list", "b"]) }
        broadcast.source(.list([NewItem(.local("/x"), title: "x"), NewItem(.local("/y"), title: "y")]))
        #expect(titles(broadcast) == ["/list", "/x"])
        broadcast.give(seconds: 10, of: Epoch(2))
        broadcast.source(.ended(.nothing), of: Epoch(2))
        #expect(broadcast.session.programme.itemCount == 3 && broadcast.session.song.epoch == Epoch(2))
    }

    /// As a FIFO that nobody writes to.
    @Test func aJumpToWhatGivesNothingIsGivenUp() throws {
        var broadcast = playing(["a", "b", "c"])
        perform(.next, &broadcast)
        broadcast.wait(BroadcastLimits.jumpPatience, draining: 1)
        #expect(broadcast.opened.last?.epoch == Epoch(2) && broadcast.outcomes.isEmpty)
        broadcast.wait(.milliseconds(100), draining: 1)
        #expect(broadcast.notices.contains(.songPassedOver(Epoch(2), "'b' gave nothing for 12 s")))
        // The one behind it is played, and then the command is done.
        #expect(titles(broadcast) == ["/a", "/b", "/c"] && broadcast.closedSources.contains(Epoch(2)))
        #expect(broadcast.outcomes.isEmpty)
        giveSong(&broadcast)
        guard case .done? = broadcast.outcomes.last?.verdict else { throw Missing() }
        broadcast.wait(.milliseconds(400), draining: 1)
        #expect(broadcast.session.anchor?.epoch == Epoch(3))
    }

    /// It is read ahead by ten seconds, but all of it was measured.
    @Test func aSeekIsJudgedByTheMeasuredLength() {
        var broadcast = playing(["a", "b"])
        broadcast.source(.measured(frameCount: 208_000, isFollowed: false))
        let item = broadcast.session.programme.current.flatMap { broadcast.session.programme.item($0) }
        #expect(item?.duration == .seconds(26) && broadcast.session.length == FramePosition(208_000))
        perform(.seek(to: .seconds(12)), &broadcast)
        #expect(broadcast.opened.last?.firstFrame == FramePosition(96_000) && titles(broadcast).last == "/a")
        perform(.seek(to: .seconds(27)), &broadcast)
        #expect(titles(broadcast).last == "/b")
    }

    // MARK: Pause

    /// Each end of the numbers that a report may hold.
    @Test(arguments: [Int64.max, .min]) func aRoundTripThatNobodyHasMovesNoCommand(nanoseconds: Int64) throws {
        var broadcast = playing()
        var timing = ListenerTiming(
            error: .zero, errorBound: .zero, asymmetryLimit: .zero, roundTrip: .zero, clockSkew: PartsPerMillion(0),
            deviceSkew: PartsPerMillion(0), correction: PartsPerMillion(0))
        timing.roundTrip = TimeSpan(nanoseconds: nanoseconds)
        broadcast.say(
            WireEncoder.report(
                ListenerReport(
                    state: .playing, epoch: Epoch(1), received: .zero, buffered: .zero, timing: timing)), 1)
        broadcast.wait(.seconds(1), draining: 1)
        let asked = SessionTime(nanoseconds: broadcast.now.nanoseconds)
        perform(.pause, &broadcast)
        guard case .done(_, let effect)? = broadcast.outcomes.last?.verdict else { throw Missing() }
        #expect(effect - asked >= .milliseconds(50) && effect - asked <= .milliseconds(300))
    }

    @Test func aPauseEndsAtOneFrameAndTheNextOneFollows() throws {
        var broadcast = playing()
        let anchor = try #require(broadcast.heard[1]?.anchor)
        broadcast.wait(.seconds(1), draining: 1)
        let asked = broadcast.now
        perform(.pause, &broadcast)
        let cut = try #require(broadcast.heard[1]?.cuts.last)
        let effect = anchor.session(of: cut.frame)
        #expect(cut.epoch == Epoch(1))
        let lead = effect - ClockMapping.identity.session(at: asked)
        #expect(lead >= .milliseconds(79) && lead <= BroadcastLimits.longestCommandLead)
        guard case .done(_, let told)? = broadcast.outcomes.last?.verdict else { throw Missing() }
        #expect(abs((told - effect).seconds) < 1 / 8_000)
        broadcast.wait(.seconds(30), draining: 1)
        #expect(broadcast.session.playPosition(broadcast.now) == cut.frame && broadcast.outcome == nil)

        perform(.resume, &broadcast)
        let resumed = try #require(broadcast.heard[1]?.anchors.last)
        #expect(resumed.epoch == Epoch(1) && resumed.frame == cut.frame)
        #expect(resumed.session > ClockMapping.identity.session(at: broadcast.now))
        #expect(broadcast.heard[1]?.cuts.count == 1)
    }

    @Test func aJoinerInAPauseIsToldOfIt() throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        perform(.pause, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        broadcast.join(2)
        let inbox = try #require(broadcast.heard[2])
        #expect(inbox.cuts == broadcast.heard[1]?.cuts && inbox.anchors.isEmpty)
        perform(.resume, &broadcast)
        #expect(broadcast.heard[2]?.anchors.last == broadcast.heard[1]?.anchors.last)
    }

    @Test func aPauseBeforeTheStartHoldsIt() {
        var broadcast = ScriptedBroadcast { $0.programme = ScriptedBroadcast.programme(["a"]) }
        broadcast.give(seconds: 10)
        perform(.pause, &broadcast)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        broadcast.wait(.seconds(2), draining: 1)
        #expect(broadcast.heard[1]?.anchor == nil)
        perform(.resume, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        #expect(broadcast.heard[1]?.anchor != nil)
    }

    @Test func aCommandThatComesTwiceActsOnce() {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        let command = Command(.programme(.toggle))
        for _ in 0..<2 { broadcast.handle(.command(command, Self.asker)) }
        #expect(broadcast.session.transport == .paused && broadcast.heard[1]?.cuts.count == 1)
        #expect(broadcast.outcomes.count == 2 && broadcast.outcomes.first == broadcast.outcomes.last)
    }

    // MARK: Jumps

    @Test func aSeekCutsAndGoesOnElsewhere() throws {
        var broadcast = playing()
        broadcast.source(.opened(isLive: false, isSeekable: true))
        broadcast.wait(.seconds(1), draining: 1)
        perform(.seek(to: .seconds(5)), &broadcast)
        let request = try #require(broadcast.opened.last)
        #expect(request.epoch == Epoch(2) && request.firstFrame == FramePosition(40_000))
        // The old sound goes on until the other can be heard, for a moment.
        #expect(broadcast.heard[1]?.cuts.isEmpty == true && broadcast.outcomes.isEmpty)
        broadcast.give(seconds: 0, of: Epoch(2))
        broadcast.source(.read(properties: Self.description, packets: [], data: .init()), of: Epoch(2))
        broadcast.source(.sought(FramePosition(39_600)), of: Epoch(2))
        broadcast.give(seconds: 4, of: Epoch(2), properties: false)
        broadcast.drain(1)
        let cut = try #require(broadcast.heard[1]?.cuts.last)
        let anchor = try #require(broadcast.heard[1]?.anchors.last)
        let first = try #require(broadcast.heard[1]?.anchor)
        #expect(anchor.epoch == Epoch(2) && anchor.frame == FramePosition(40_000))
        #expect(anchor.session >= first.session(of: cut.frame))
        #expect(broadcast.heard[1]?.entries.last == EntryMark(epoch: Epoch(2), frame: anchor.frame, lostPacketCount: 0))
        #expect(broadcast.outcomes.count == 1)
    }

    private static let description: [AudioStreamProperty] = [
        .dataFormat(SongFixture.format), .info(.title, "Song"), .readyToProducePackets,
    ]

    @Test func aSeekPastTheEndIsTheNextSong() {
        var broadcast = playing()
        broadcast.source(.ended(.nothing))
        perform(.seek(to: .seconds(11)), &broadcast)
        #expect(titles(broadcast).last == "/b")
        giveSong(&broadcast)
        #expect(broadcast.outcomes.last?.text.contains("past the song's end") == true)
    }

    @Test func whatWasAppendedMakesWayForTheTargetOfAJump() throws {
        var broadcast = playing()
        broadcast.source(.ended(.nothing))
        giveSong(&broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        perform(.jump(to: .position(2)), &broadcast)
        giveSong(&broadcast)
        #expect(titles(broadcast) == ["/a", "/b", "/c", "/c"] || titles(broadcast) == ["/a", "/b", "/c"])
        let target = try #require(broadcast.opened.last?.epoch)
        #expect(broadcast.heard[1]?.anchors.last?.epoch == target && broadcast.closedSources.contains(Epoch(2)))
        broadcast.wait(.seconds(1), draining: 1)
        #expect(broadcast.session.song.epoch == target)
    }

    @Test func aQueueEditThatChangesWhatFollowsIsHeard() throws {
        var broadcast = playing()
        let first = try #require(broadcast.heard[1]?.anchor)
        broadcast.source(.ended(.nothing))
        giveSong(&broadcast)
        perform(.remove(.position(1)), &broadcast)
        // Nothing of the removed song is heard, and the other follows in its place.
        #expect(broadcast.heard[1]?.cuts.last == Inbox.Cut(epoch: Epoch(2), frame: .zero))
        #expect(titles(broadcast).last == "/c")
        giveSong(&broadcast)
        let anchor = try #require(broadcast.heard[1]?.anchors.last)
        #expect(anchor.epoch == broadcast.opened.last?.epoch && anchor.session == first.session + .seconds(10))
        broadcast.wait(.milliseconds(10_500), draining: 1)
        #expect(broadcast.session.song.epoch == anchor.epoch && broadcast.outcome == nil)
    }

    @Test func previousIsTheBeginningAfterThreeSeconds() {
        var broadcast = playing()
        broadcast.wait(.seconds(4), draining: 1)
        perform(.previous, &broadcast)
        #expect(titles(broadcast) == ["/a", "/a"] && broadcast.opened.last?.firstFrame == .zero)
    }

    /// The song behind the target is with the listeners already when the second seek comes.
    @Test func aSecondSeekGoesOnInTheSameSong() throws {
        var broadcast = playing(["a", "b"])
        broadcast.source(.ended(.nothing))
        giveSong(&broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        perform(.seek(to: .seconds(8)), &broadcast)
        let target = try #require(broadcast.opened.last?.epoch)
        broadcast.source(.read(properties: Self.description, packets: [], data: .init()), of: target)
        broadcast.source(.sought(FramePosition(64_000)), of: target)
        broadcast.give(seconds: 2, of: target, properties: false)
        broadcast.source(.ended(.nothing), of: target)
        broadcast.drain(1)
        #expect(titles(broadcast).suffix(2) == ["/a", "/b"])
        giveSong(&broadcast)
        #expect(broadcast.session.timeline.last.item != broadcast.session.programme.current)
        perform(.skip(by: .seconds(-5)), &broadcast)
        let request = try #require(broadcast.opened.last)
        #expect(titles(broadcast).last == "/a")
        // Five seconds before the frame to which the first one led.
        #expect(abs(request.firstFrame.index - 24_000) < 800, "\(request)")
        giveSong(&broadcast)
        broadcast.wait(.milliseconds(500), draining: 1)
        #expect(broadcast.session.song.epoch == request.epoch)
    }

    /// Lets time pass up to 110 ms before the joint behind the first song: a cut is put behind the joint.
    private func waitForTheJoint(_ broadcast: inout ScriptedBroadcast) throws {
        broadcast.source(.ended(.nothing))
        giveSong(&broadcast)
        let joint = try #require(broadcast.session.timeline.last.anchor).session
        let target = HostTime(nanoseconds: joint.nanoseconds) - .milliseconds(110)
        broadcast.wait(.milliseconds(9_000), draining: 1)
        while broadcast.now < target - .milliseconds(20) { broadcast.wait(.milliseconds(20)) }
        broadcast.now = target
    }

    @Test(arguments: [ProgrammeOperation.seek(to: .zero), .next, .jump(to: .position(2))])
    func aJumpShortlyBeforeAJointLeavesNoSongOut(operation: ProgrammeOperation) throws {
        var broadcast = playing()
        try waitForTheJoint(&broadcast)
        perform(operation, &broadcast)
        let wanted = broadcast.session.programme.current
        giveSong(&broadcast)
        // The song behind the joint begins meanwhile, and is not what the programme goes on with.
        waitTickByTick(&broadcast)
        #expect(broadcast.session.programme.current == wanted)
        #expect(broadcast.session.timeline.heard.item == wanted && broadcast.session.timeline.heard.anchor != nil)
    }

    /// Lets a second pass, every tick of it.
    private func waitTickByTick(_ broadcast: inout ScriptedBroadcast) {
        for _ in 0..<50 { broadcast.wait(.milliseconds(20), draining: 1) }
    }

    /// The target stands behind the next song, of which a moment is heard, and which does not follow any more.
    @Test(arguments: [ProgrammeOperation.move(.position(2), to: 1), .remove(.position(1))])
    func aQueueEditedShortlyBeforeAJointLeavesASeekItsTarget(edit: ProgrammeOperation) throws {
        var broadcast = playing()
        try waitForTheJoint(&broadcast)
        let first = broadcast.session.programme.current
        perform(.seek(to: .zero), &broadcast)
        giveSong(&broadcast)
        let target = try #require(broadcast.opened.last?.epoch)
        perform(edit, &broadcast)
        waitTickByTick(&broadcast)
        #expect(broadcast.session.timeline.heard.epoch == target && broadcast.session.anchor != nil)
        #expect(broadcast.session.programme.current == first)
    }

    /// Of the next song a moment was heard: it is not replaced, unless it left the queue.
    @Test(arguments: [(ProgrammeOperation.move(.position(2), to: 1), 1), (.remove(.position(1)), 2)])
    func aQueueEditedInAPauseShortlyBeforeAJointIsHeardAfterIt(edit: ProgrammeOperation, expected: Int) throws {
        var broadcast = playing()
        let items = broadcast.session.programme.playOrder
        try waitForTheJoint(&broadcast)
        perform(.pause, &broadcast)
        perform(edit, &broadcast)
        waitTickByTick(&broadcast)
        perform(.resume, &broadcast)
        if expected == 2 { giveSong(&broadcast) }
        waitTickByTick(&broadcast)
        #expect(broadcast.session.timeline.heard.item == items[expected] && broadcast.session.anchor != nil)
        #expect(broadcast.session.programme.current == items[expected])
    }

    @Test func aPauseShortlyBeforeAJointIsInTheNextSong() throws {
        var broadcast = playing()
        try waitForTheJoint(&broadcast)
        perform(.pause, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        let second = broadcast.session.timeline.heard.item
        #expect(broadcast.session.song.epoch == Epoch(2) && broadcast.session.transport == .paused)
        #expect(broadcast.session.programme.current == second)
        perform(.resume, &broadcast)
        #expect(broadcast.heard[1]?.anchors.last?.epoch == Epoch(2))
        broadcast.wait(.seconds(1), draining: 1)
        #expect(broadcast.session.programme.current == second && titles(broadcast).last == "/c")
    }

    /// What `next` led to is passed over like any other song, and the command is done when the one behind it sounds.
    @Test func aNextSongThatCannotBePlayedIsPassedOver() {
        var broadcast = playing()
        perform(.next, &broadcast)
        broadcast.source(.failed("torn", .nothing), of: Epoch(2))
        #expect(titles(broadcast).last == "/c" && broadcast.outcomes.isEmpty)
        giveSong(&broadcast)
        let verdict = broadcast.outcomes.last?.verdict
        #expect(broadcast.outcomes.count == 1 && verdict != .refused(.unplayable))
        #expect(broadcast.notices.contains(.songPassedOver(Epoch(2), "torn")))
    }

    /// Whoever asked for a certain song gets no other, and the music goes on; also where it was cut meanwhile.
    @Test(arguments: [TimeSpan.milliseconds(40), .milliseconds(600)])
    func aSongThatCannotBePlayedIsRefusedAndTheMusicGoesOn(delay: TimeSpan) throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        let first = broadcast.session.programme.current
        perform(.jump(to: .position(2)), &broadcast)
        broadcast.wait(delay, draining: 1)
        broadcast.source(.failed("torn", .nothing), of: Epoch(2))
        #expect(broadcast.outcomes.last?.verdict == .refused(.unplayable))
        broadcast.wait(.milliseconds(100), draining: 1)
        #expect(broadcast.session.programme.current == first && broadcast.session.transport == .playing)
        #expect(broadcast.session.song.epoch == Epoch(1) && broadcast.session.anchor != nil)
        let cuts = broadcast.heard[1]?.cuts ?? []
        #expect(cuts.isEmpty == (delay < .milliseconds(100)))
        if let cut = cuts.last { #expect(broadcast.heard[1]?.anchors.last?.frame == cut.frame) }
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

private struct Missing: Error {}

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
