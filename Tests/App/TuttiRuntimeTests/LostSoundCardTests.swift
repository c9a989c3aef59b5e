import AudioCore
import AudioDecoding
import AudioQueueServices
import NIOPosix
import Playout
import SecureChannel
import StreamTestKit
import Synchronization
import Testing
import WireProtocol

@testable import TuttiRuntime

@Suite(.serialized, .timeLimit(.minutes(5))) struct LostSoundCardTests {
    /// A sound card that never asks for a frame, and vanishes when it is told to.
    private final class VanishingCard: OutputDevice {
        let description = OutputDeviceDescription(
            name: "vanishing", rate: 48_000, channelCount: 2, sampleFormat: "float", buffer: .milliseconds(20),
            period: .milliseconds(5))
        private let events = Mutex<(@Sendable (OutputDeviceEvent) -> Void)?>(nil)

        func start(
            driving control: PlayoutControl, events: @escaping @Sendable (OutputDeviceEvent) -> Void
        ) throws(OutputDeviceError) {
            self.events.withLock { $0 = events }
        }

        func stop() {}

        func vanish() { events.withLock { $0 }?(.lost(.lost(device: "vanishing"))) }
    }

    @Test func onlyTheLossIsToldToTheUserAndALeaveToTheBroadcaster() throws {
        let card = VanishingCard()
        let notices = Mutex<[RuntimeNotice]>([])
        var options = JoinOptions()
        options.network.port = freePort()
        options.network.usesDiscovery = false
        options.from = ["attic"]
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let runner = ListenRunner(
            options: options, identity: .test("kitchen"), loop: loop,
            makeQueue: { (events) throws(RuntimeFailure) in
                do throws(TimelineQueueError) {
                    return try TimelineQueue(output: card, decoders: .builtIn, events: events)
                } catch {
                    throw RuntimeFailure(.unavailable, .queue(error))
                }
            },
            emit: { event in
                guard case .notice(let notice) = event else { return }
                notices.withLock { $0.append(notice) }
                if notice == .listening(.joined("attic")) { card.vanish() }
            })
        let outcome = loop.flatSubmit { runner.run() }
        let keys = PeerKeyPair.random()
        let peer = try #require(RawPeer(port: options.network.port ?? 0, keys: keys))
        let greeting = Greeting(roles: .broadcaster, peer: keys.key.uuid, instance: 1, started: 0, name: "attic")
        peer.say(Array(WireEncoder.greeting(greeting).readableBytesView))
        let welcome = Welcome(clockPort: 1, clockKey: Array(repeating: 9, count: Welcome.clockKeyByteCount))
        peer.say(Array(WireEncoder.welcome(welcome).readableBytesView))

        let heard = try #require(peer.hearToEnd(), "the connection stayed open")
        let failure = #expect(throws: RuntimeFailure.self) { try outcome.wait() }
        #expect(failure?.reason == .output(.lost(device: "vanishing")))
        #expect(notices.withLock { $0 }.contains(.listening(.joined("attic"))))
        #expect(notices.withLock { $0 }.allSatisfy { $0.level != .warning }, "\(notices.withLock { $0 })")
        #expect(String(decoding: heard, as: UTF8.self).contains("the listener stopped"))
    }
}
