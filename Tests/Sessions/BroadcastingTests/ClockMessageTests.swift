import AudioCore
import Broadcasting
import ClockSync
import NIOCore
import Peering
import Testing
import WireProtocol

/// Listeners that ask for the clock over their own connection, as UDP does not get through.
@Suite(.timeLimit(.minutes(5))) struct ClockMessageTests {
    private static let notice = BroadcastNotice.clockOverTCP("Listener 1")

    /// A broadcast with ten seconds read, and a listener that is preparing.
    private func broadcast(
        _ configure: (inout BroadcastConfiguration) -> Void = { _ in }
    ) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast(configure)
        broadcast.give(seconds: 12)
        broadcast.join(1)
        broadcast.report(.preparing, 1)
        return broadcast
    }

    /// The key that the script gives a connection.
    private func key(_ id: Int) -> ClockKey { ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2) }

    private func request(_ sequence: UInt32, _ key: ClockKey) -> ByteBuffer {
        let datagram = ClockDatagram(
            kind: .request, keyIdentifier: key.identifier, sequence: sequence, cookie: UInt64(sequence) + 70)
        return WireEncoder.clock(datagram.encoded(under: key))
    }

    @Test func aClockMessageHoldsADatagram() {
        #expect(WireLimits.clockDatagramByteCount == ClockDatagram.byteCount)
    }

    @Test func aRequestIsAnsweredWithTheTimesOfItsArrivalAndItsReply() throws {
        var broadcast = broadcast()
        broadcast.say(request(1, key(1)), 1)
        let replies = try #require(broadcast.heard[1]?.clockDatagrams)
        #expect(replies.count == 1)
        let reply = try #require(ClockDatagram(replies[0], under: key(1)))
        #expect(reply.kind == .reply && reply.sequence == 1 && reply.cookie == 71)
        #expect(reply.receive == SessionTime(nanoseconds: broadcast.now.nanoseconds))
        #expect(reply.transmit == reply.receive)
    }

    @Test func onlyTheConnectionsOwnKeyIsAnswered() {
        var broadcast = broadcast()
        broadcast.join(2)
        broadcast.say(request(1, key(2)), 1)
        broadcast.say(WireEncoder.clock([UInt8](repeating: 3, count: 64)), 1)
        #expect(broadcast.heard[1]?.clockDatagrams == [])
        #expect(broadcast.closed == [])
        broadcast.say(request(1, key(2)), 2)
        #expect(broadcast.heard[2]?.clockDatagrams.count == 1)
    }

    @Test func whoIsNoListenerIsNotAnswered() {
        var broadcast = ScriptedBroadcast()
        broadcast.join(1)
        broadcast.say(request(1, key(1)), 1)
        #expect(broadcast.heard[1]?.clockDatagrams == [])
    }

    @Test func aFloodOfRequestsIsNotAnswered() throws {
        var broadcast = broadcast()
        for sequence in 1...1_000 { broadcast.say(request(UInt32(sequence), key(1)), 1) }
        #expect(try #require(broadcast.heard[1]).clockDatagrams.count == 256)
    }

    /// What waits for one that takes a byte now and then, so that it is not dropped, and asks all the time.
    @Test func whoDoesNotReadIsNotAnswered() throws {
        var broadcast = broadcast()
        broadcast.report(.ready, 1)
        for sequence in stride(from: UInt32(1), to: 3_600, by: 30) {
            for number in sequence..<sequence + 30 { broadcast.say(request(number, key(1)), 1) }
            broadcast.wait(.milliseconds(500))
            broadcast.handle(.wrote(ConnectionID(1), byteCount: 1))
        }
        #expect(broadcast.closed == [])
        let unread = try #require(broadcast.heard[1]).unread
        #expect((BroadcastLimits.bytesInFlight...BroadcastLimits.answeredBytesInFlight + 2_000).contains(unread))
        broadcast.drain(1)
        let count = try #require(broadcast.heard[1]).clockDatagrams.count
        broadcast.say(request(3_601, key(1)), 1)
        #expect(try #require(broadcast.heard[1]).clockDatagrams.count == count + 1)
    }

    @Test func theUserIsToldOnceWhenRequestsGoOn() {
        var broadcast = broadcast()
        for sequence in 1..<16 { broadcast.say(request(UInt32(sequence), key(1)), 1) }
        #expect(!broadcast.notices.contains(Self.notice))
        for sequence in 16...40 { broadcast.say(request(UInt32(sequence), key(1)), 1) }
        #expect(broadcast.notices.filter { $0 == Self.notice }.count == 1)
    }

    /// Replies must not stand behind ten seconds of song while the listener cannot play any of it yet.
    @Test func aJoinerThatLearnsTheClockThisWayIsGivenLittleSongAtFirst() throws {
        func lead(asking: Bool) throws -> Int64 {
            var broadcast = broadcast { $0.start = .now }
            broadcast.join(2)
            broadcast.report(.preparing, 2)
            for sequence in 1...50 {
                if asking { broadcast.say(request(UInt32(sequence), key(2)), 2) }
                broadcast.drain(2)
                broadcast.wait(.milliseconds(20))
            }
            let last = try #require(broadcast.heard[2]?.packets.last)
            guard asking else { return last.index }
            broadcast.report(.ready, 2)
            for _ in 0..<20 { broadcast.drain(2) }
            #expect(try #require(broadcast.heard[2]?.packets.last).index > 9 * 8_000)
            return last.index
        }
        #expect(try lead(asking: false) > 9 * 8_000)
        // What was sent before it first asked fills its socket: four seconds.
        #expect(try lead(asking: true) < 6 * 8_000)
    }
}
