import AudioCore
import Broadcasting
import ClockSync
import NIOCore
import Peering
import SecureChannel
import Testing
import WireProtocol

extension BroadcastSessionTests {
    /// Those who connect and say nothing take no place of those who do, as long as they come from few addresses.
    @Test func whoSaysNothingKeepsNobodyOut() {
        var broadcast = started()
        for id in 100..<(100 + 2 * BroadcastLimits.candidateCount) {
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            let address = "2001:db8::\(String(id, radix: 16))"
            broadcast.handle(.opened(ConnectionID(id), .accepted, address: address, dial: nil, key: key))
        }
        #expect(broadcast.closed.count == BroadcastLimits.candidateCount)
        #expect(broadcast.notices.count { $0 == .crowded(limit: BroadcastLimits.candidateCount) } == 1)
        for id in 2..<100 { broadcast.join(id) }
        #expect(broadcast.session.listeners.count == 99)
        broadcast.wait(.seconds(2), hearingFrom: [1])
        #expect(!broadcast.closed.contains(1))
    }

    @Test func aFloodFromOneAddressIsRefusedPolitelyAndHarmsNobody() throws {
        var broadcast = started()
        let before = broadcast.heard[1]?.packets.count ?? 0
        for id in 100..<1_100 {
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            broadcast.handle(.opened(ConnectionID(id), .accepted, address: "10.0.0.66", dial: nil, key: key))
        }
        let limit = PeeringLimits.connectionsPerAddress
        #expect(broadcast.closed.count == 1_000 - limit)
        #expect(broadcast.session.refusedCount == 1_000 - limit)
        #expect(broadcast.heard[1_099]?.refusal?.reason == .busy)
        #expect(broadcast.notices.count { $0 == .addressFull("10.0.0.66", limit: limit) } == 1)
        // Nor do those that say nothing stay for long.
        for _ in 0..<5 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1])
            broadcast.drain(1)
        }
        #expect(broadcast.closed.count == 1_000)
        #expect((broadcast.heard[1]?.packets.count ?? 0) > before + 20)
        #expect(broadcast.heard[1]?.entries.count == 1)
        broadcast.join(2)
        #expect(broadcast.session.listeners.count == 2)
    }

    /// A listener has nothing to say that is longer than a greeting; what claims to be is not waited for.
    @Test func aLongMessageOfAListenerIsRefusedByItsHeader() {
        var broadcast = started()
        broadcast.join(2)
        var header = ByteBuffer()
        header.writeInteger(UInt16(WireEncoder.keepAlive().getInteger(at: 0, as: UInt16.self) ?? 0))
        header.writeInteger(UInt32(4_097))
        broadcast.say(header, 2)
        #expect(broadcast.heard[2]?.refusal?.reason == .protocolError)
        #expect(broadcast.closed == [2])
    }

    /// A caller that ends the handshake is a detail, a listener at an address that the user named is not.
    @Test func whoEndsTheHandshakeIsTold() throws {
        var broadcast = started()
        let cut = ConnectionSecurityError.handshake(.truncated)
        broadcast.open(2, .accepted)
        broadcast.handle(.broken(ConnectionID(2), cut))
        broadcast.handle(.contact(PeerContact(address: NetworkAddress(host: "10.0.0.3"))))
        let dial = try #require(broadcast.dials.last)
        broadcast.open(3, .dialed, dial: dial)
        broadcast.handle(.broken(ConnectionID(3), cut))
        let told = [(2, false), (3, true)].map { id, isNamed in
            BroadcastNotice.leftEarly("10.0.0.\(id)", reason: "\(cut)", isNamed: isNamed)
        }
        #expect(told.allSatisfy { broadcast.notices.contains($0) } && told.map(\.level) == [.detail, .warning])
        #expect(broadcast.closed == [2, 3] && broadcast.session.refusedCount == 0)
    }

    @Test func aListenerThatEndsWithinARecordIsGone() {
        var broadcast = started()
        broadcast.handle(.broken(ConnectionID(1), .record(.truncated)))
        #expect(broadcast.notices.contains(.gone("Listener 1", nil)) && broadcast.heard[1]?.refusal == nil)
    }

    @Test func noiseIsCutOffAndHarmsNobody() {
        var broadcast = started()
        broadcast.open(2, .accepted)
        broadcast.say(ByteBuffer(repeating: 0x55, count: 100), 2)
        #expect(broadcast.heard[2]?.refusal?.reason == .protocolError)
        #expect(broadcast.closed == [2])
        #expect(broadcast.session.listeners.count == 1)
    }

    /// Somebody who calls, from 10.0.0.66 or many addresses, under one invented name after the other.
    private func invent(
        _ count: Int, _ broadcast: inout ScriptedBroadcast, _ deed: ByteBuffer, hasManyAddresses: Bool = false
    ) {
        for id in 1_000..<1_000 + count {
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            let address = hasManyAddresses ? "10.1.\(id / 256).\(id % 256)" : "10.0.0.66"
            broadcast.handle(.opened(ConnectionID(id), .accepted, address: address, dial: nil, key: key))
            broadcast.greet(id, name: "Invented \(id)")
            broadcast.report(.ready, id)
            broadcast.say(deed, id)
        }
    }

    /// A listener that asks for the time over its connection, as where UDP is blocked.
    private func askClock(_ id: Int, _ broadcast: inout ScriptedBroadcast) {
        for sequence in 1...BroadcastLimits.clockRequestsThreshold {
            let request = ClockDatagram(
                kind: .request, keyIdentifier: UInt64(id), sequence: UInt32(sequence), cookie: 5)
            let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
            broadcast.say(WireEncoder.clock(request.encoded(under: key)), id)
        }
    }

    @Test func inventedNamesMuteNoOtherWarning() {
        var broadcast = started()
        let noise = ByteBuffer(repeating: 0x55, count: 100)
        invent(2_000, &broadcast, noise)
        let refused = broadcast.notices.count { if case .refused = $0 { true } else { false } }
        #expect(refused == PeeringLimits.rememberedNoticeCountPerAddress)
        // What happens to others is told, and the same of others.
        broadcast.join(2, name: "Kitchen")
        askClock(2, &broadcast)
        #expect(broadcast.notices.contains(.clockOverTCP("Kitchen")))
        broadcast.say(noise, 2)
        #expect(broadcast.notices.contains { if case .refused("Kitchen", _) = $0 { true } else { false } })
    }

    /// Whoever has many addresses mutes warnings of one kind: of refusals those for one reason.
    @Test func namesInventedAtManyAddressesMuteNoOtherKindOfWarning() {
        var broadcast = started()
        invent(
            2 * PeeringLimits.rememberedNoticeCount, &broadcast, ByteBuffer(repeating: 0x55, count: 100),
            hasManyAddresses: true)
        let refused = broadcast.notices.count { if case .refused = $0 { true } else { false } }
        #expect(refused == PeeringLimits.rememberedNoticeCount)
        broadcast.join(2, name: "Kitchen")
        askClock(2, &broadcast)
        #expect(broadcast.notices.contains(.clockOverTCP("Kitchen")))
        broadcast.join(3, name: "Radio", codecs: [.mpegLayer3])
        let reason = "this song is PCM, which Radio cannot decode"
        #expect(broadcast.notices.contains(.refused("Radio", Refusal(.cannotDecode, reason))))
    }

    @Test func whoComesAndGoesDoesNotFloodTheTerminal() {
        var broadcast = started()
        let count = broadcast.notices.count
        invent(2_000, &broadcast, WireEncoder.refusal(Refusal(.leaving, "")))
        // Comings and goings, so many of each.
        #expect(broadcast.notices.count - count == 2 * PeeringLimits.repeatedCountPerAddress)
        broadcast.join(2, name: "Kitchen")
        broadcast.report(.ready, 2)
        broadcast.handle(.closed(ConnectionID(2)))
        #expect(broadcast.notices.suffix(2) == [.joined("Kitchen"), .gone("Kitchen", nil)])
    }
}
