import AudioCore
import Broadcasting
import Peering
import Testing
import WireProtocol

// Those who follow the programme.
extension ControllerTests {
    @Test func aFollowerIsSentTheStateOnceAndThenEachChange() throws {
        var broadcast = playing()
        broadcast.say(WireEncoder.follow(), 3)
        let first = try #require(followed(broadcast, 3))
        #expect(first.status.transport == .playing && first.status.current?.title == "Song")
        #expect(first.status.next?.title == "b" && first.itemCount == 3)
        #expect(first.listeners.map(\.name) == ["Listener 1", "Listener 2"])
        broadcast.wait(.milliseconds(100), draining: 3)
        let told = messages(broadcast, 3)
        broadcast.wait(.seconds(1), draining: 3)
        #expect(messages(broadcast, 3) == told, "nothing is sent while all goes on as expected")

        ask(.programme(.pause), &broadcast)
        ask(.listeners(.volume(.level(30)), of: .all), &broadcast)
        ask(.programme(.setRepeat(.all)), &broadcast)
        ask(.programme(.remove(.position(2))), &broadcast)
        broadcast.say(WireEncoder.settings(ListenerSettings(role: .left)), 2)
        broadcast.wait(.milliseconds(100), draining: 3)
        let state = try #require(followed(broadcast, 3))
        #expect(state.status.transport == .paused && state.status.position?.framesPerSecond == nil)
        #expect(state.volume.level == 30 && state.modes.repeats == .all && state.itemCount == 2)
        #expect(state.listeners.last?.settings?.role == .left)
        broadcast.handle(.closed(ConnectionID(2)))
        broadcast.wait(.milliseconds(100), draining: 3)
        #expect(followed(broadcast, 3)?.listeners.map(\.name) == ["Listener 1"])
    }

    /// As `tutti peers` does: nobody is told of it.
    @Test func whoAsksWhatPlaysComesAndGoesUnnoticed() throws {
        var broadcast = playing()
        let told = broadcast.notices
        broadcast.join(4, roles: .controller)
        broadcast.say(WireEncoder.follow(), 4)
        #expect(followed(broadcast, 4)?.status.current?.title == "Song")
        broadcast.handle(.closed(ConnectionID(4)))
        broadcast.wait(.milliseconds(100))
        #expect(broadcast.notices == told)
    }

    @Test func aFollowerWhoComesLaterAgreesWithTheFirst() throws {
        var broadcast = playing()
        broadcast.join(4, roles: .controller)
        broadcast.say(WireEncoder.follow(), 3)
        ask(.programme(.setShuffle(true)), &broadcast)
        ask(.programme(.next), &broadcast)
        broadcast.say(WireEncoder.follow(), 4)
        ask(.programme(.clear), &broadcast)
        broadcast.wait(.milliseconds(100), draining: 3)
        var (first, second) = (try #require(followed(broadcast, 3)), try #require(followed(broadcast, 4)))
        (first.sent, second.sent) = (SessionTime(nanoseconds: 0), SessionTime(nanoseconds: 0))
        #expect(first == second && first.itemCount == 0 && first.status.transport == .idle)
    }

    @Test func whoFollowsNoLongerIsToldNoMore() {
        var broadcast = playing()
        broadcast.say(WireEncoder.follow(), 3)
        broadcast.say(WireEncoder.unfollow(), 3)
        let told = messages(broadcast, 3)
        ask(.programme(.setShuffle(true)), &broadcast, from: 2)
        broadcast.wait(.milliseconds(100), draining: 3)
        #expect(messages(broadcast, 3) == told)
        // Nor does a page of the queue begin it again.
        broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: 0)), 3)
        ask(.programme(.setShuffle(false)), &broadcast, from: 2)
        broadcast.wait(.milliseconds(100), draining: 3)
        #expect(messages(broadcast, 3).count == told.count + 1)
    }

    @Test func thePositionOfAPausedSongIsWhereItGoesOn() throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1))
        broadcast.say(WireEncoder.follow(), 3)
        ask(.programme(.pause), &broadcast)
        let position = try #require(followed(broadcast, 3)?.status.position)
        #expect(position.frame == broadcast.heard[1]?.cuts.last?.frame)
    }

    @Test func theQueueComesInPages() throws {
        var broadcast = playing { $0.programme = ScriptedBroadcast.programme((0..<600).map { "song \($0)" }) }
        var items: [QueueItem] = []
        for _ in 0..<3 {
            broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: items.count)), 3)
            guard case .queuePage(let page)? = messages(broadcast, 3).last else { Issue.record("no page"); return }
            items += page.items
        }
        #expect(items.count == 600 && items.last?.title == "song 599")
    }

    @Test func whoAsksAndDoesNotReadIsDropped() {
        var broadcast = playing { $0.programme = ScriptedBroadcast.programme((0..<600).map { "a long title \($0)" }) }
        for _ in 0..<100 {
            broadcast.say(WireEncoder.queuePageRequest(QueuePageRequest(first: 0)), 3)
        }
        #expect(broadcast.closed == [3])
    }

    @Test func aStrangerIsToldNothing() {
        var broadcast = playing()
        broadcast.open(5, .accepted)
        broadcast.say(WireEncoder.command(Command(.programme(.pause))), 5)
        #expect(broadcast.session.transport == .playing)
    }

    @Test func controllersAreToldOfTheEnd() {
        var broadcast = playing()
        broadcast.handle(.stop)
        #expect(messages(broadcast, 3).last == .broadcastEnd(BroadcastEnd(.stopped, "the broadcaster stopped")))
    }
}
