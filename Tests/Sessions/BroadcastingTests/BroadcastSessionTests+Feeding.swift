import AudioCore
import Broadcasting
import Peering
import Testing
import WireProtocol

extension BroadcastSessionTests {
    /// A listener whose connection broke has seven seconds of song, and says so; it is not sent them again.
    @Test func aListenerThatIsBackIsSentWhatItLacks() throws {
        var broadcast = started()
        broadcast.handle(.closed(ConnectionID(1)))
        broadcast.join(2, instance: 1)
        let sent = try #require(broadcast.heard[2]?.packets.last)
        // As much as may be on its way.
        #expect(sent.index < 5 * 8_000)
        broadcast.report(.playing, 2, received: FramePosition(7 * 8_000))
        broadcast.drain(2)
        let packets = try #require(broadcast.heard[2]?.packets)
        #expect(packets.filter { $0 > sent }.first == FramePosition(7 * 8_000))
        #expect((packets.last?.index ?? 0) > 9 * 8_000)
    }

    @Test func packetsAreSentUpToTheHorizon() throws {
        var broadcast = started()
        for _ in 0..<10 { broadcast.drain(1) }
        let last = try #require(broadcast.heard[1]?.packets.last)
        #expect(last.index >= 77_000 && last.index <= 84_800)
    }

    /// Messages of 100 ms come five or six at a time; never is there less than the horizon.
    @Test func whoHasEnoughIsSentSeveralMessagesAtOnce() throws {
        var broadcast = started()
        for _ in 0..<10 { broadcast.drain(1) }
        let start = try #require(broadcast.heard[1]?.packets.last)
        var (last, batches) = (start, 0)
        for tick in 1...200 {
            broadcast.say(WireEncoder.keepAlive(), 1)
            broadcast.wait(.milliseconds(20))
            broadcast.drain(1)
            let end = try #require(broadcast.heard[1]?.packets.last)
            try #require(end.index >= start.index - 4_800 + Int64(tick) * 160, "\(tick)")
            if end != last { batches += 1 }
            last = end
        }
        #expect((6...8).contains(batches), "\(batches)")
    }

    @Test func aSocketThatTakesNothingIsGivenLittle() throws {
        var broadcast = started()
        for second in 1...5 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1])
            broadcast.report(.playing, 1, received: FramePosition(Int64(second) * 8_000))
        }
        let unread = try #require(broadcast.heard[1]?.unread)
        #expect(unread > 60_000 && unread < 70_000)
    }

    /// Whatever the sockets take: seconds of song could hide in them.
    @Test func aListenerThatDoesNotSayWhatItHasIsGivenASecondMore() throws {
        var broadcast = started()
        let bytes = try #require(broadcast.heard[1]).unread
        broadcast.handle(.wrote(ConnectionID(1), byteCount: bytes))
        broadcast.wait(.milliseconds(1_900), hearingFrom: [1])
        #expect(broadcast.heard[1]?.end == FramePosition(2 * 8_000))
        broadcast.report(.playing, 1, received: FramePosition(3 * 4_000))
        #expect(broadcast.heard[1]?.end == FramePosition(5 * 4_000))
        #expect(broadcast.heard[1]?.entries.count == 1)
    }

    @Test func aListenerThatFellBehindLosesPacketsAndIsToldHowMany() throws {
        var broadcast = started()
        func wait(_ span: TimeSpan) {
            let end = broadcast.now + span
            while broadcast.now < end {
                broadcast.wait(.milliseconds(500), hearingFrom: [1, 2])
                broadcast.drain(1)
            }
        }
        broadcast.join(2)
        let before = try #require(broadcast.heard[2]?.packets.last)
        // A second is on the way.
        wait(.milliseconds(1_000))
        #expect(broadcast.heard[2]?.entries.count == 1)
        for _ in 0..<3 {
            wait(.milliseconds(4_000))
            broadcast.drain(2)
        }
        let marks = try #require(broadcast.heard[2]?.entries)
        let packets = try #require(broadcast.heard[2]?.packets)
        let gaps = zip(packets, packets.dropFirst()).filter { $1 - $0 != 400 }
        #expect(marks.count == gaps.count + 1 && marks.count > 1)
        for (mark, gap) in zip(marks.dropFirst(), gaps) {
            #expect(mark.frame == gap.1)
            #expect(Int64(mark.lostPacketCount) * 400 == gap.1 - gap.0 - 400)
        }
        #expect((packets.last ?? .zero) > before)
        #expect(broadcast.heard[1]?.entries.count == 1)
        let lines = broadcast.notices.count { if case .dropped("Listener 2", _) = $0 { true } else { false } }
        #expect(lines > 0 && lines < marks.count, "\(broadcast.notices)")
    }

    /// Nothing overtakes what its socket took and it has not told of: with what it goes on is decided when that has
    /// come.
    @Test func aSlowListenerGoesOnWhenItHasWhatIsOnTheWay() throws {
        var broadcast = started()
        broadcast.join(2)
        for _ in 0..<12 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1, 2])
            broadcast.drain(1)
            let taken = broadcast.heard[2]?.unread ?? 0
            broadcast.heard[2]?.unread = 0
            broadcast.handle(.wrote(ConnectionID(2), byteCount: taken))
            broadcast.report(.playing, 2, received: .zero)
        }
        #expect(broadcast.heard[2]?.packets.count == 20)
        #expect(broadcast.heard[2]?.entries.count == 1)
        broadcast.report(.playing, 2)
        #expect(broadcast.heard[2]?.packets.count == 40)
        let mark = try #require(broadcast.heard[2]?.entries.last)
        let lead = mark.frame - broadcast.session.playPosition(broadcast.now)
        #expect((3_200...4_000).contains(lead), "\(lead)")
    }

    /// What is due at once would come as late as what is on the way: it goes on with what can come in time, and so a
    /// good part of the song is heard over a link that carries half of it.
    @Test func aSlowListenerGoesOnWithWhatCanReachItInTime() throws {
        var broadcast = started()
        for _ in 0..<10 { broadcast.drain(1) }
        broadcast.join(2)
        broadcast.report(.preparing, 2)
        let start = broadcast.now
        var (received, inTime) = (FramePosition.zero, Set<FramePosition>())
        for tick in 1...2_000 {
            for id in [1, 2] where tick % 20 == 0 { broadcast.say(WireEncoder.keepAlive(), id) }
            broadcast.wait(.milliseconds(20))
            broadcast.drain(1)
            // A packet of 50 ms every 100 ms; the socket takes what it is given.
            let sent = try #require(broadcast.heard[2])
            broadcast.handle(.wrote(ConnectionID(2), byteCount: sent.unread))
            broadcast.heard[2]?.unread = 0
            guard tick % 5 == 0, sent.packets.indices.contains(tick / 5 - 1) else { continue }
            let packet = sent.packets[tick / 5 - 1]
            received = packet + 400
            if packet > broadcast.session.playPosition(broadcast.now) { inTime.insert(packet) }
            if tick % 25 == 0 { broadcast.report(.playing, 2, received: received) }
        }
        #expect(broadcast.now - start > .seconds(39))
        let heard = Double(inTime.count) * 0.05
        #expect(heard > 8 && heard < 21, "\(heard) s of 40 s")
        #expect(broadcast.closed.isEmpty)
    }

    @Test func aSocketThatTakesNothingForFiveSecondsIsClosed() {
        var broadcast = started()
        broadcast.join(2)
        broadcast.wait(.seconds(4), hearingFrom: [1, 2])
        broadcast.drain(1)
        #expect(broadcast.closed.isEmpty)
        broadcast.wait(.seconds(2), hearingFrom: [1, 2])
        #expect(broadcast.closed == [2])
        #expect(broadcast.keys.count == 1)
    }

    @Test func aLateListenerGetsWhatItsDecoderNeedsFirst() throws {
        var broadcast = started(preroll: 6)
        for _ in 0..<10 {
            broadcast.wait(.seconds(1), hearingFrom: [1])
            broadcast.drain(1)
        }
        broadcast.join(2)
        let mark = try #require(broadcast.heard[2]?.entries.first)
        let first = try #require(broadcast.heard[2]?.packets.first)
        #expect(mark.frame.index > 75_000)
        #expect(mark.frame - first >= 6 * 400)
        #expect(broadcast.heard[2]?.anchor == broadcast.heard[1]?.anchor)
    }
}
