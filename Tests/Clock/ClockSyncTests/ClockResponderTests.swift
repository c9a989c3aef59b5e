import AudioCore
import Testing

@testable import ClockSync

@Suite(.timeLimit(.minutes(5))) struct ClockResponderTests {
    private let key = ClockDatagramTests.key

    private func responder() -> ResponderBox {
        let responder = ResponderBox()
        responder.register(key)
        return responder
    }

    private func request(_ sequence: UInt32, cookie: UInt64 = 9, key: ClockKey? = nil) -> [UInt8] {
        ClockDatagram(
            kind: .request, keyIdentifier: (key ?? self.key).identifier, sequence: sequence, cookie: cookie
        ).encoded(under: key ?? self.key)
    }

    private func time(_ milliseconds: Int64) -> SessionTime { SessionTime(nanoseconds: milliseconds * 1_000_000) }

    @Test func replyCarriesCookieAndTimes() throws {
        let responder = responder()
        let reply = try #require(responder.receive(request(1, cookie: 77), at: time(5)))
        let datagram = try #require(ClockDatagram(reply.bytes(transmit: time(6)), under: key))
        #expect(datagram.kind == .reply)
        #expect(datagram.sequence == 1)
        #expect(datagram.cookie == 77)
        #expect(datagram.receive == time(5))
        #expect(datagram.transmit == time(6))
        #expect(datagram.previousSequence == 0)
    }

    @Test func nextReplyCarriesTheTransmitStamp() throws {
        let responder = responder()
        responder.receive(request(1), at: time(1))
        responder.didSend(keyIdentifier: key.identifier, sequence: 1, at: time(2))
        let reply = try #require(responder.receive(request(2), at: time(3)))
        let datagram = try #require(ClockDatagram(reply.bytes(transmit: time(4)), under: key))
        #expect(datagram.previousSequence == 1)
        #expect(datagram.previousTransmit == time(2))
    }

    @Test func whoAsksAtItsLeisureIsInNoHurry() throws {
        let responder = responder()
        var isUrgent: [Bool] = []
        for (index, time) in ([0, 2, 21, 41, 300, 303] as [Int64]).enumerated() {
            isUrgent.append(try #require(responder.receive(request(UInt32(index + 1)), at: self.time(time))).isUrgent)
        }
        #expect(isUrgent == [true, true, true, false, false, true])
    }

    @Test func aPairIsNoHurry() throws {
        let responder = responder()
        responder.receive(request(1), at: time(0))
        #expect(try #require(responder.receive(request(2), at: time(250))).isUrgent == false)
        let second = time(250) + .microseconds(40)
        #expect(try #require(responder.receive(request(3), at: second)).isUrgent == false)
    }

    @Test(arguments: [(1, 1), (20, 20), (500, 500), (1_000, 1_000), (2_000, 1_000), (5_000, 1_000)])
    func gapsAreNamedByTheNumberOfListeners(count: Int, milliseconds: Int64) throws {
        let responder = responder()
        for other in 1..<count { responder.register(ClockKey(identifier: UInt64(other), secret0: 0, secret1: 0)) }
        let reply = try #require(responder.receive(request(1), at: time(0)))
        let datagram = try #require(ClockDatagram(reply.bytes(transmit: time(0)), under: key))
        #expect(datagram.interval == .milliseconds(milliseconds))
    }

    @Test func strangersAreIgnored() {
        let responder = responder()
        let other = ClockKey(identifier: 5, secret0: 1, secret1: 2)
        let thief = ClockKey(identifier: key.identifier, secret0: 1, secret1: 2)
        #expect(responder.receive(request(1, key: other), at: time(0)) == nil)
        #expect(responder.receive(request(1, key: thief), at: time(0)) == nil)
        #expect(responder.receive([], at: time(0)) == nil)
        #expect(responder.statistics.unauthenticated == 3)
    }

    @Test func repliesAreNotAnswered() {
        let responder = responder()
        let reply = ClockDatagram(kind: .reply, keyIdentifier: key.identifier, sequence: 1, cookie: 1)
        #expect(responder.receive(reply.encoded(under: key), at: time(0)) == nil)
    }

    @Test func replayedDuplicatedAndOvertakenRequestsAreIgnored() {
        let responder = responder()
        #expect(responder.receive(request(4), at: time(0)) != nil)
        #expect(responder.receive(request(4), at: time(1)) == nil)
        #expect(responder.receive(request(3), at: time(2)) == nil)
        #expect(responder.receive(request(5), at: time(3)) != nil)
        #expect(responder.statistics.outOfOrder == 2)
    }

    @Test func rateOfAKeyIsLimited() {
        let responder = responder()
        let answered = (1...1_000).filter { responder.receive(request(UInt32($0)), at: time(Int64($0))) != nil }
        // A second of a thousand requests: the burst, and what a second earns.
        #expect(answered.count >= 400 && answered.count <= 410)
        #expect(responder.receive(request(2_000), at: time(10_000)) != nil)
    }

    @Test func forgottenKeyIsIgnored() {
        let responder = responder()
        responder.unregister(keyIdentifier: key.identifier)
        #expect(responder.receive(request(1), at: time(0)) == nil)
    }

    @Test func keysAreLimited() {
        let responder = ResponderBox()
        for index in 0..<UInt64(ClockLimits.keyCount) {
            #expect(responder.register(ClockKey(identifier: index, secret0: 0, secret1: 0)))
        }
        #expect(!responder.register(ClockKey(identifier: .max, secret0: 0, secret1: 0)))
    }
}
