import AudioCore
import NIOCore
import NIOPosix
import StreamTestKit
import Testing
import WireProtocol

@testable import TuttiRuntime

/// A listener's local socket, with the broadcaster played by the test.
@Suite(.timeLimit(.minutes(5))) struct ControlRelayTests {
    private static let broadcaster = Greeting(
        roles: .broadcaster, peer: UUIDBytes(high: 0, low: 1), instance: 9, started: 0, name: "Den")
    private static let state = ProgrammeState(
        sequence: 0, sent: SessionTime(nanoseconds: 0), status: TransportStatus(.idle))

    /// After one look at the status nobody follows any more: the broadcaster is to send no changes to this machine.
    @Test func whenTheLastFollowerHasGoneNoneIsAskedFor() async throws {
        let directory = TemporaryDirectory()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        var network = NetworkOptions()
        network.localSockets = [LocalSocketDirectory(path: directory.path + "/run")]
        let (asked, asking) = AsyncStream<ControlMessage>.makeStream()
        let place = Place()
        try await loop.submit { [network] in
            let relay = ControlRelay(loop: loop, keys: .random(), broadcaster: { Self.broadcaster }) { message in
                asking.yield(message)
                if case .follow = message { loop.execute { _ = place.relay?.pass(.programmeState(Self.state)) } }
            }
            place.relay = relay
            relay.listen(network) { _ in }
        }.get()
        // A controller that finds nobody here looks for broadcasts by mDNS.
        try await Self.waitForSocket(in: network.localSockets[0], group)
        for _ in 0..<2 {
            var options = ControlOptions([.state])
            options.localSockets = network.localSockets
            let controller = Controller(options: options, identity: Identity(name: "Hand"))
            try controller.run { _ in }
        }
        var first: [ControlMessage] = []
        for await message in asked.prefix(4) { first.append(message) }
        #expect(first == [.follow, .unfollow, .follow, .unfollow])
        try await loop.flatSubmit { place.relay?.shutDown() ?? loop.makeSucceededVoidFuture() }.get()
        try await group.shutdownGracefully()
    }

    /// Returns once somebody accepts connections there.
    private static func waitForSocket(
        in directory: LocalSocketDirectory, _ group: MultiThreadedEventLoopGroup
    ) async throws {
        let isThere = try await waitUntil(within: .seconds(5)) {
            guard let path = directory.sockets().first?.path,
                let channel = try? await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get()
            else { return false }
            try await channel.close()
            return true
        }
        #expect(isThere, "nobody listens in \(directory.path)")
    }

    /// Holds the relay; used on its event loop only.
    private final class Place: @unchecked Sendable {
        var relay: ControlRelay?
    }
}
