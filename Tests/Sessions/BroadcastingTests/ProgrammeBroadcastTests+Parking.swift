import AudioCore
import Programmes
import Testing
import WireProtocol

@testable import Broadcasting

// Songs that were opened ahead, and dropped by a command before anything of them was heard.
extension ProgrammeBroadcastTests {
    private func sameSong(_ broadcast: ScriptedBroadcast, as epoch: Epoch) -> SourceRequest? {
        broadcast.opened.first { $0.origin == .sameSong(as: epoch) }
    }

    /// A song plays, and the next one, through a pipe, was read and sent.
    private func playingBeforeAPipe() -> ScriptedBroadcast {
        var broadcast = playing(["a", "pipe", "c"])
        broadcast.source(.ended(.nothing))
        broadcast.source(.opened(isLive: false, isSeekable: false), of: Epoch(2))
        giveSong(&broadcast)
        broadcast.wait(.seconds(2), draining: 1)
        return broadcast
    }

    @Test func theNextSongOfASourceIsStillThereAfterAPause() throws {
        var broadcast = playing(["a"])
        broadcast.source(.ended(.anotherSong))
        giveSong(&broadcast)
        broadcast.wait(.seconds(2), draining: 1)
        perform(.pause, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        perform(.resume, &broadcast)
        broadcast.wait(.milliseconds(100), draining: 1)
        let request = try #require(sameSong(broadcast, as: Epoch(2)))
        let (heard, next) = (broadcast.session.timeline.heard, try #require(broadcast.heard[1]?.anchors.last))
        #expect(heard.epoch == Epoch(1) && next.epoch == request.epoch && next.frame == .zero)
        #expect(next.session == heard.endInstant && broadcast.closedSources.isEmpty)
        #expect(broadcast.heard[1]?.entries.last?.epoch == request.epoch)
        #expect(broadcast.session.timeline.last.songsBefore == 1)
        // All of it was read already: it is heard to its end, and then the programme is over.
        broadcast.wait(.seconds(20), draining: 1)
        broadcast.report(.finished, 1)
        broadcast.wait(.seconds(2), hearingFrom: [1])
        #expect(broadcast.outcome == .completed)
    }

    @Test(
        arguments: [[.pause, .resume], [.seek(to: .seconds(3))], [.pause, .seek(to: .seconds(3)), .resume]]
            as [[ProgrammeOperation]])
    func aPipeThatWasReadIsNotOpenedAgain(operations: [ProgrammeOperation]) throws {
        var broadcast = playingBeforeAPipe()
        for operation in operations {
            perform(operation, &broadcast)
            if case .seek = operation { giveSong(&broadcast) }
            broadcast.wait(.seconds(1), draining: 1)
        }
        let request = try #require(sameSong(broadcast, as: Epoch(2)))
        let timeline = broadcast.session.timeline
        #expect(timeline.last.epoch == request.epoch && timeline.last.start == timeline.heard.endInstant)
        #expect(titles(broadcast).filter { $0 == "/pipe" }.count == 1 && !broadcast.closedSources.contains(Epoch(2)))
    }

    @Test func whoGoesToAPipeThatWasReadHearsItFromItsBeginning() throws {
        var broadcast = playingBeforeAPipe()
        perform(.next, &broadcast)
        broadcast.wait(.milliseconds(100), draining: 1)
        let request = try #require(sameSong(broadcast, as: Epoch(2)))
        guard case .done? = broadcast.outcomes.last?.verdict else { throw Missing() }
        let anchor = try #require(broadcast.heard[1]?.anchors.last)
        #expect(anchor.epoch == request.epoch && anchor.frame == .zero)
        broadcast.wait(.seconds(1), draining: 1)
        #expect(broadcast.session.song.epoch == request.epoch)
        #expect(!broadcast.closedSources.contains(Epoch(2)))
    }

    @Test func whatComesOfAWaitingSongIsKept() throws {
        var broadcast = playing(["a", "pipe"])
        broadcast.source(.ended(.nothing))
        broadcast.source(.opened(isLive: false, isSeekable: false), of: Epoch(2))
        giveSong(&broadcast, seconds: 4, isWhole: false)
        perform(.pause, &broadcast)
        broadcast.give(seconds: 3, of: Epoch(2), properties: false)
        broadcast.source(.ended(.nothing), of: Epoch(2))
        perform(.resume, &broadcast)
        broadcast.wait(.milliseconds(100), draining: 1)
        let request = try #require(sameSong(broadcast, as: Epoch(2)))
        let last = broadcast.session.timeline.last
        let rate = try #require(last.song.framesPerSecond)
        #expect(last.epoch == request.epoch && last.song.end == FramePosition(Int64(7 * rate)))
    }

    @Test func aWaitingPipeIsClosedOnceItsItemIsRemoved() {
        var broadcast = playingBeforeAPipe()
        perform(.pause, &broadcast)
        #expect(!broadcast.closedSources.contains(Epoch(2)))
        perform(.remove(.position(1)), &broadcast)
        broadcast.wait(.milliseconds(200), draining: 1)
        #expect(broadcast.closedSources.contains(Epoch(2)))
    }

    @Test func aSourceGoesOnBehindASongWithoutSound() {
        var broadcast = playing(["a"])
        broadcast.source(.ended(.anotherSong))
        broadcast.source(.ended(.anotherSong), of: Epoch(2))
        #expect(broadcast.opened.last == SourceRequest(epoch: Epoch(3), origin: .sameSource(as: Epoch(2))))
        giveSong(&broadcast)
        #expect(broadcast.heard[1]?.anchors.last?.epoch == Epoch(3))
        // A pause does not lose it: it stands behind the first one now.
        perform(.pause, &broadcast)
        perform(.resume, &broadcast)
        broadcast.wait(.milliseconds(100), draining: 1)
        #expect(sameSong(broadcast, as: Epoch(3)) != nil && broadcast.session.timeline.last.songsBefore == 2)
    }

    /// The item after it begins with a song without sound.
    @Test func theProgrammeGoesOnToWhatFollowsInTheNextSource() {
        var broadcast = playing(["a", "chain", "c"])
        broadcast.source(.ended(.nothing))
        broadcast.source(.ended(.anotherSong), of: Epoch(2))
        giveSong(&broadcast)
        broadcast.wait(.seconds(12), draining: 1)
        #expect(broadcast.session.song.epoch == Epoch(3) && titles(broadcast) == ["/a", "/chain", "/c"])
        #expect(broadcast.session.programme.current == broadcast.session.timeline.heard.item)
    }

    @Test func ofARemovedItemNothingIsHeardThatItsSourceHoldsBehind() {
        var broadcast = playing(["a", "chain", "c"])
        broadcast.source(.ended(.nothing))
        giveSong(&broadcast, seconds: 3, isWhole: false)
        broadcast.source(.ended(.anotherSong), of: Epoch(2))
        #expect(broadcast.opened.last?.origin == .sameSource(as: Epoch(2)))
        perform(.remove(.position(1)), &broadcast)
        broadcast.wait(.milliseconds(100), draining: 1)
        #expect(titles(broadcast) == ["/a", "/chain", "/c"])
        #expect(broadcast.closedSources.contains(Epoch(2)) && broadcast.closedSources.contains(Epoch(3)))
    }

    @Test func aSongThatFailsWhileItWaitsIsPassedOverInItsTurn() {
        var broadcast = playing(["a", "pipe", "c"])
        broadcast.source(.ended(.nothing))
        broadcast.source(.opened(isLive: false, isSeekable: false), of: Epoch(2))
        perform(.pause, &broadcast)
        broadcast.source(.failed("it is torn", .nothing), of: Epoch(2))
        #expect(!broadcast.notices.contains { if case .songPassedOver = $0 { true } else { false } })
        perform(.resume, &broadcast)
        broadcast.wait(.milliseconds(100), draining: 1)
        #expect(broadcast.notices.contains(.songPassedOver(Epoch(3), "it is torn")))
        #expect(titles(broadcast) == ["/a", "/pipe", "/c"] && broadcast.closedSources.contains(Epoch(3)))
    }

    /// After three seconds of the second song of a source that cannot seek, `previous` opens that song again. While
    /// this goes on, other commands lead elsewhere and back to the item: to its beginning.
    @Test func aFurtherSongThatIsOpenedAgainDoesNotStandForItsItemsBeginning() throws {
        var broadcast = playing(["a", "pipe"])
        perform(.next, &broadcast)
        let first = try #require(broadcast.opened.last?.epoch)
        broadcast.source(.opened(isLive: false, isSeekable: false), of: first)
        giveSong(&broadcast, seconds: 2, isWhole: false)
        broadcast.source(.ended(.anotherSong), of: first)
        broadcast.wait(.milliseconds(100), draining: 1)
        let second = try #require(broadcast.opened.last?.epoch)
        broadcast.source(.opened(isLive: false, isSeekable: false), of: second)
        giveSong(&broadcast, isWhole: false)
        broadcast.wait(.seconds(6), draining: 1)
        #expect(broadcast.session.song.epoch == second)

        perform(.previous, &broadcast)
        let again = try #require(broadcast.opened.last)
        #expect(again.songsBefore == 1 && again.firstFrame == .zero && titles(broadcast).last == "/pipe")
        broadcast.source(.opened(isLive: false, isSeekable: false), of: again.epoch)
        perform(.jump(to: .position(0)), &broadcast)
        #expect(broadcast.closedSources.contains(again.epoch))
        perform(.jump(to: .position(1)), &broadcast)
        let last = try #require(broadcast.opened.last)
        #expect(last.songsBefore == 0 && sameSong(broadcast, as: again.epoch) == nil)
        #expect(titles(broadcast) == ["/a", "/pipe", "/pipe", "/a", "/pipe"])
    }

    /// One that takes the place of a first song without sound is the item's beginning.
    @Test func whatStandsInForAFirstSongIsTakenUpAsTheBeginning() throws {
        var broadcast = playing(["a", "pipe", "c"])
        broadcast.source(.ended(.nothing))
        broadcast.source(.opened(isLive: false, isSeekable: false), of: Epoch(2))
        broadcast.source(.ended(.anotherSong), of: Epoch(2))
        broadcast.source(.opened(isLive: false, isSeekable: false), of: Epoch(3))
        giveSong(&broadcast)
        broadcast.wait(.seconds(2), draining: 1)
        perform(.jump(to: .position(1)), &broadcast)
        #expect(sameSong(broadcast, as: Epoch(3)) != nil && titles(broadcast) == ["/a", "/pipe"])
    }

    @Test func aPipeOfWhichNothingWasHeardWaitsForItsTurn() {
        var broadcast = ScriptedBroadcast { $0.programme = ScriptedBroadcast.programme(["pipe", "b"]) }
        broadcast.source(.opened(isLive: false, isSeekable: false))
        broadcast.give(seconds: 4)
        perform(.next, &broadcast)
        perform(.previous, &broadcast)
        #expect(titles(broadcast) == ["/pipe", "/b"] && !broadcast.closedSources.contains(Epoch(1)))
        #expect(broadcast.opened.last?.origin == .sameSong(as: Epoch(1)))
    }

    @Test func behindASourceWhoseLastSongCannotBePlayedTheNextItemFollows() {
        var broadcast = playing(["a", "b"])
        broadcast.source(.ended(.anotherSong))
        broadcast.source(.failed("it is torn", .nothing), of: Epoch(2))
        broadcast.handle(.tick)
        #expect(titles(broadcast) == ["/a", "/b"])
        #expect(broadcast.notices.contains(.songPassedOver(Epoch(2), "it is torn")))
        giveSong(&broadcast)
        #expect(broadcast.heard[1]?.anchors.last?.epoch == Epoch(3))
    }
}
