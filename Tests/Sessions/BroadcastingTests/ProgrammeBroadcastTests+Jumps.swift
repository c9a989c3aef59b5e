import AudioCore
import Programmes
import Testing
import WireProtocol

@testable import Broadcasting

// Seeks, next, previous and jumps to an item.
extension ProgrammeBroadcastTests {
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

    /// What comes of a song from a server in which a place past its end is sought: nothing, or its last packets; all of
    /// it if the place cannot be looked for.
    enum Tail: CaseIterable { case nothing, lastPackets, wholeSong }

    /// Seeks to the first minute of a song that nobody knows to be of ten seconds, and finds what there is.
    private func seekPastTheEnd(
        of broadcast: inout ScriptedBroadcast, _ tail: Tail = .nothing, after delay: TimeSpan = .milliseconds(40),
        _ end: SourceEnd = .nothing
    ) throws -> Epoch {
        broadcast.wait(.seconds(1), draining: 1)
        perform(.seek(to: .seconds(60)), &broadcast)
        let epoch = try #require(broadcast.opened.last?.epoch)
        broadcast.source(.read(properties: Self.description, packets: [], data: .init()), of: epoch)
        broadcast.wait(delay)
        switch tail {
        case .nothing: broadcast.source(.sought(FramePosition(480_000)), of: epoch)
        case .lastPackets:
            broadcast.source(.sought(FramePosition(72_000)), of: epoch)
            broadcast.give(seconds: 1, of: epoch, properties: false)
        case .wholeSong:
            broadcast.source(.sought(.zero), of: epoch)
            broadcast.give(seconds: 10, of: epoch, properties: false)
        }
        broadcast.source(.ended(end), of: epoch)
        return epoch
    }

    private func pastTheEnd(_ broadcast: ScriptedBroadcast) -> [BroadcastNotice] {
        broadcast.notices.filter {
            switch $0 {
            case .soughtPastTheEnd, .songPassedOver: true
            default: false
            }
        }
    }

    @Test(arguments: Tail.allCases) func aSeekPastAnEndThatNobodyKnewIsTheNextSong(tail: Tail) throws {
        var broadcast = playing()
        let first = try #require(broadcast.session.programme.current)
        let epoch = try seekPastTheEnd(of: &broadcast, tail)
        #expect(titles(broadcast).last == "/b" && broadcast.closedSources.contains(epoch))
        #expect(broadcast.outcomes.isEmpty)
        let second = broadcast.opened.last?.epoch
        giveSong(&broadcast)
        #expect(broadcast.outcomes.map(\.text) == ["that is past the song's end: the next one follows"])
        // It is none that cannot be played.
        #expect(broadcast.session.programme.item(first)?.hasFailed == false && pastTheEnd(broadcast).isEmpty)
        broadcast.wait(.milliseconds(500), draining: 1)
        #expect(broadcast.session.song.epoch == second)
    }

    @Test func aSeekPastTheEndOfALinkIsTheNextLink() throws {
        var broadcast = playing(["chain", "b"])
        let epoch = try seekPastTheEnd(of: &broadcast, .lastPackets, .anotherSong)
        #expect(broadcast.opened.last?.origin == .sameSource(as: epoch))
        giveSong(&broadcast)
        #expect(broadcast.outcomes.map(\.text) == ["that is past the song's end: the next one follows"])
        #expect(titles(broadcast) == ["/chain", "/chain", "/b"])
    }

    @Test func aSeekPastTheEndOfTheLastSongEndsTheProgramme() throws {
        var broadcast = playing(["a"])
        _ = try seekPastTheEnd(of: &broadcast)
        #expect(broadcast.outcomes.map(\.text) == ["that is past the end of the last song: the programme is over"])
        broadcast.wait(.seconds(3), draining: 1)
        #expect(broadcast.outcome == .completed)
    }

    /// Nobody would hear anything any more, and nothing would end it.
    @Test(arguments: [true, false]) func aProgrammeThatCommandsLeadPastItsEndBeforeItBeganIsOver(
        isLengthKnown: Bool
    ) throws {
        var broadcast = ScriptedBroadcast { $0.programme = ScriptedBroadcast.programme(["a"]) }
        broadcast.give(seconds: 10)
        if isLengthKnown {
            perform(.next, &broadcast)
        } else {
            _ = try seekPastTheEnd(of: &broadcast)
            #expect(broadcast.outcomes.map(\.text) == ["that is past the end of the last song: the programme is over"])
        }
        #expect(broadcast.outcomes.count == 1 && broadcast.outcome == .completed)
    }

    /// Whoever asked has gone by then.
    @Test func aSeekPastTheEndThatTakesLongIsToldOfInTheBroadcast() throws {
        var broadcast = playing()
        _ = try seekPastTheEnd(of: &broadcast, after: .milliseconds(1_100))
        #expect(pastTheEnd(broadcast) == [.soughtPastTheEnd(isOver: false)])
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

    /// Nor does a song that cannot be played end a pause, or a stop.
    @Test(arguments: [ProgrammeOperation.pause, .stop])
    func aSongThatCannotBePlayedLeavesSilence(operation: ProgrammeOperation) throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        let first = broadcast.session.programme.current
        perform(operation, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        perform(.jump(to: .position(2)), &broadcast)
        broadcast.wait(.milliseconds(40), draining: 1)
        let epoch = try #require(broadcast.opened.last).epoch
        broadcast.source(.failed("torn", .nothing), of: epoch)
        broadcast.wait(.milliseconds(500), draining: 1)
        #expect(broadcast.outcomes.last?.verdict == .refused(.unplayable))
        #expect(broadcast.session.programme.current == first && broadcast.session.anchor == nil)
        #expect(broadcast.session.transport == (operation == .pause ? .paused : .stopped))
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
}
