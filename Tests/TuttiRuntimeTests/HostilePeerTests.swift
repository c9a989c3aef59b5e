import AudioCore
import Testing
import TuttiRuntime
import WireProtocol

/// What a running listener does about peers that are no Tutti, or a strange one.
@Suite(.serialized) struct HostilePeerTests {
    /// Says `bytes` to a listener, and hears the connection to its end.
    private func answer(to bytes: [UInt8], from listener: RunningListener) throws -> [UInt8] {
        let peer = try #require(RawPeer(port: listener.port))
        peer.say(bytes)
        return try #require(peer.hearToEnd(), "the connection stayed open")
    }

    @Test func randomBytesAreCutOffAndExplained() throws {
        let listener = try RunningListener(name: "noise")
        for seed in 0..<20 {
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<(1 + seed * 50)).map { _ in UInt8.random(in: 1...255, using: &random) }
            _ = try answer(to: [0] + bytes, from: listener)
        }
        #expect(listener.notices.contains { $0.protocolComplaint.contains("does not speak Tutti's protocol") })
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func anotherProtocolVersionIsNamedAndLearnsOurs() throws {
        let listener = try RunningListener(name: "version")
        let heard = try answer(to: Preamble.magic + [Preamble.version + 1, 0], from: listener)
        #expect(heard.starts(with: Preamble.magic + [Preamble.version]))
        #expect(listener.notices.contains { $0.protocolComplaint.contains("protocol version \(Preamble.version + 1)") })
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func aPeerThatSaysNothingIsDropped() throws {
        let listener = try RunningListener(name: "silence")
        _ = try answer(to: [], from: listener)
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func anotherListenerIsTurnedAway() throws {
        let listener = try RunningListener(name: "mirror")
        let greeting = Greeting(roles: .listener, peer: .random(), instance: 1, started: 0, name: "other")
        let heard = try answer(to: Array(WireEncoder.opening(greeting).readableBytesView), from: listener)
        #expect(String(decoding: heard, as: UTF8.self).contains("both sides listen"))
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func aBroadcasterThatIsNotAllowedIsToldSo() throws {
        let listener = try RunningListener(name: "choosy") { $0.from = ["study"] }
        let greeting = Greeting(roles: .broadcaster, peer: .random(), instance: 1, started: 0, name: "attic")
        let heard = try answer(to: Array(WireEncoder.opening(greeting).readableBytesView), from: listener)
        #expect(String(decoding: heard, as: UTF8.self).contains("it takes music only from study"))
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func aPortInUseIsAFailureThatSaysWhatToDo() throws {
        let first = try RunningListener(name: "first")
        _ = try #require(RawPeer(port: first.port))
        var options = JoinOptions()
        options.output = .null
        options.network.port = first.port
        options.network.usesDiscovery = false
        let second = Listener(options: options, identity: .test("second"))
        #expect(throws: RuntimeFailure.self) { try second.run { _ in } }
        #expect(first.stop() == .success(.interrupted))
    }
}
