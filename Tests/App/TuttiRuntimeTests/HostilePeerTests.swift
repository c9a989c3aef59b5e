import AudioCore
import HostSystem
import SecureChannel
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime
import WireProtocol

/// What a running listener does about peers that are no Tutti, or a strange one.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HostilePeerTests {
    /// Says `bytes` to a listener, and hears the connection to its end.
    /// - Parameter keys: with any, once both have shaken hands.
    private func answer(
        to bytes: [UInt8], from listener: RunningListener, keys: PeerKeyPair? = nil
    ) throws -> [UInt8] {
        let peer = try #require(RawPeer(port: listener.port, keys: keys))
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

    /// A peer of the same version that would not encrypt: an old one, or somebody on the way who says so in its name.
    @Test func whoEncryptsNothingIsToldNothing() throws {
        let listener = try RunningListener(name: "downgrade")
        let greeting = Greeting(roles: .broadcaster, peer: .random(), instance: 1, started: 0, name: "attic")
        let bytes = Preamble.bytes(.plain) + Array(WireEncoder.greeting(greeting).readableBytesView)
        #expect(try answer(to: bytes, from: listener) == Preamble.bytes(.encrypted))
        #expect(listener.notices.contains { $0.protocolComplaint.contains("it encrypts nothing") })
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func whoGreetsWithTheIdentityOfAnotherIsTurnedAway() throws {
        let listener = try RunningListener(name: "borrowed")
        let greeting = Greeting(roles: .broadcaster, peer: .random(), instance: 1, started: 0, name: "attic")
        let bytes = Array(WireEncoder.greeting(greeting).readableBytesView)
        _ = try answer(to: bytes, from: listener, keys: .random())
        #expect(listener.notices.contains { $0.protocolComplaint.contains("the identity of another peer") })
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func aPeerThatSaysNothingIsDropped() throws {
        let listener = try RunningListener(name: "silence")
        _ = try answer(to: [], from: listener)
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func anotherListenerIsTurnedAway() throws {
        let listener = try RunningListener(name: "mirror")
        let keys = PeerKeyPair.random()
        let greeting = Greeting(roles: .listener, peer: keys.key.uuid, instance: 1, started: 0, name: "other")
        let heard = try answer(to: Array(WireEncoder.greeting(greeting).readableBytesView), from: listener, keys: keys)
        #expect(String(decoding: heard, as: UTF8.self).contains("both sides listen"))
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func aBroadcasterThatIsNotAllowedIsToldSo() throws {
        let listener = try RunningListener(name: "choosy") { $0.from = ["study"] }
        let keys = PeerKeyPair.random()
        let greeting = Greeting(roles: .broadcaster, peer: keys.key.uuid, instance: 1, started: 0, name: "attic")
        let heard = try answer(to: Array(WireEncoder.greeting(greeting).readableBytesView), from: listener, keys: keys)
        #expect(String(decoding: heard, as: UTF8.self).contains("it takes music only from study"))
        #expect(listener.stop() == .success(.interrupted))
    }

    /// Many who greet as broadcasters, bring nothing and stay: a broadcast from elsewhere is heard at once, one from
    /// their own address as soon as they stood still for long.
    @Test(arguments: [2, 1] as [UInt8]) func whoGreetsAndStaysKeepsNoBroadcastOut(host: UInt8) throws {
        let listener = try RunningListener(name: "kitchen") { $0.once = true }
        let silent = try SilentBroadcasters(count: 32, at: host, port: listener.port)
        defer { silent.stop() }
        let sourceFiles = SourceFiles()
        var options = BroadcastOptions()
        options.name = "study"
        options.start = .whenReady(listeners: 1)
        options.listeners = [NetworkAddress(host: "127.0.0.1", port: listener.port)]
        options.network.port = freePort()
        options.network.usesDiscovery = false
        let began = HostTime.now()
        let song = try sourceFiles.makeMP3(seconds: 2)
        #expect(
            try Broadcaster(songs: [song], options: options, identity: .test("study")).run { _ in } == .completed)
        #expect(listener.end() == .success(.completed))
        #expect(listener.states.contains(.playing))
        #expect(.now() - began < (host == 1 ? .seconds(14) : .seconds(6)), "it was kept out")
    }

    /// Peers that greet as broadcasters from one address, and say no more than that they live, for 20 s.
    private final class SilentBroadcasters: Sendable {
        private let isOver = Mutex(false)
        private let thread = Mutex<HostThread?>(nil)

        /// Returns when all have been greeted in turn.
        init(count: Int, at host: UInt8, port: UInt16) throws {
            let keys = PeerKeyPair.random()
            let peers = try (0..<count).map { _ in try #require(RawPeer(port: port, from: host, keys: keys)) }
            for peer in peers {
                let greeting = Greeting(
                    roles: .broadcaster, peer: keys.key.uuid, instance: .random(in: 1 ... .max), started: 1,
                    name: "crowd")
                peer.say(Array(WireEncoder.greeting(greeting).readableBytesView))
                #expect(peer.hear(within: 5_000)?.isEmpty == false)
            }
            let connections = Connections(peers)
            let thread = try HostThread(name: "keep-alives") { [weak self] in
                for _ in 0..<100 where self?.isOver.withLock({ $0 }) == false {
                    connections.keepAlive()
                    sleepThread(for: .milliseconds(200))
                }
            }
            self.thread.withLock { $0 = thread }
        }

        func stop() {
            isOver.withLock { $0 = true }
            thread.withLock { $0 }?.join()
        }

        /// The connections, of one thread from now on.
        private final class Connections: @unchecked Sendable {
            private let peers: [RawPeer]

            init(_ peers: [RawPeer]) { self.peers = peers }

            func keepAlive() {
                for peer in peers { peer.say(Array(WireEncoder.keepAlive().readableBytesView)) }
            }
        }
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
