import AudioCore
import Programmes
import Testing
import WireProtocol

@testable import Broadcasting

// Songs that follow one another.
extension ProgrammeBroadcastTests {
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
}
