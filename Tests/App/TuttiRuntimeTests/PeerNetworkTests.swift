import Glibc
import NIOCore
import NIOPosix
import Peering
import SecureChannel
import StreamTestKit
import Synchronization
import Testing

@testable import TuttiRuntime

/// What a network tells of connections that end as they open: with real sockets.
@Suite(.timeLimit(.minutes(5))) struct PeerNetworkTests {
    /// As a port scanner does it. The network finds that out when it writes.
    @Test func aCallerThatIsGoneBeforeItIsHeardHasOpenedAndClosed() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop = group.next()
        let network = PeerNetwork(loop: loop, keys: .random())
        let witness = Witness()
        network.delegate = witness
        let port = try await network.listen(on: 0).get()
        // On the event loop, which accepts nobody meanwhile.
        let hasCalled = try await loop.submit {
            let caller = RawPeer(port: port)
            caller?.resetAtEnd()
            return caller != nil
        }.get()
        #expect(hasCalled)
        #expect(await witness.events(2) == [.opened, .closed])
        try await loop.flatSubmit { network.shutDown() }.get()
        try await group.shutdownGracefully()
    }

    @Test func aCallThatEndsBeforeItIsActiveHasOpenedAndClosed() async throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/socket"
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop = group.next()
        let callee = PeerNetwork(loop: loop, keys: .random())
        try await loop.flatSubmit { callee.listenLocally(at: path) }.get()
        let network = PeerNetwork(loop: loop, keys: .random())
        let witness = Witness { network.abort($0) }
        network.delegate = witness
        try await loop.flatSubmit { network.connectLocally(to: path) }.get()
        #expect(await witness.events(2) == [.opened, .closed])
        try await loop.flatSubmit { network.shutDown().and(callee.shutDown()).map { _ in } }.get()
        try await group.shutdownGracefully()
    }

    /// A command that comes as a broadcast begins would remove a socket that refuses.
    @Test func aLocalSocketThatIsFoundAccepts() async throws {
        let directory = TemporaryDirectory()
        let sockets = LocalSocketDirectory(path: directory.path)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop = group.next()
        let isOver = Atomic(false)
        // On a thread of its own, as often as it can.
        async let refusals = Task.detached { () -> Int in
            var count = 0
            while !isOver.load(ordering: .relaxed) {
                for socket in sockets.sockets() where LocalCaller.isRefused(by: socket.path) { count += 1 }
            }
            return count
        }.value
        for _ in 0..<500 {
            let network = PeerNetwork(loop: loop, keys: .random())
            let path = try #require(sockets.newSocket(.broadcast))
            try await loop.flatSubmit { network.listenLocally(at: path) }.get()
            #expect(sockets.sockets().map(\.path) == [path])
            unlink(path)
            try await loop.flatSubmit { network.shutDown() }.get()
        }
        isOver.store(true, ordering: .relaxed)
        #expect(await refusals == 0)
        try await group.shutdownGracefully()
    }

    /// It may say much to which there is an answer.
    @Test func aCallerThatTakesNothingIsCutOff() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop = group.next()
        let network = PeerNetwork(loop: loop, keys: .random(), backlogLimit: 1 << 20)
        let witness = Witness { id in
            for _ in 0..<1 << 10 { network.send(ByteBuffer(repeating: 1, count: 1 << 10), to: id) }
        }
        network.delegate = witness
        let port = try await network.listen(on: 0).get()
        let caller = try #require(RawPeer(port: port))
        #expect(await witness.events(1) == [.opened])
        try await Task.sleep(for: .milliseconds(50))
        #expect(await witness.events(1) == [.opened])
        try await loop.submit { network.send(ByteBuffer(bytes: [1]), to: ConnectionID(0)) }.get()
        #expect(await witness.events(2) == [.opened, .closed])
        try await loop.flatSubmit { network.shutDown() }.get()
        try await group.shutdownGracefully()
        _ = caller
    }

    private final class Witness: PeerNetworkDelegate, Sendable {
        enum Event: Sendable {
            case opened, closed
        }

        private let noted = Mutex<[Event]>([])
        /// One for each event.
        private let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        private let onOpen: @Sendable (ConnectionID) -> Void

        init(onOpen: @escaping @Sendable (ConnectionID) -> Void = { _ in }) { self.onOpen = onOpen }

        /// Waits for as many, and returns all there are.
        func events(_ count: Int) async -> [Event] {
            var arrivals = arrivals.makeAsyncIterator()
            while noted.withLock({ $0.count }) < count, await arrivals.next() != nil {}
            return noted.withLock { $0 }
        }

        private func note(_ event: Event) {
            noted.withLock { $0.append(event) }
            arrival.yield()
        }

        func networkDidOpen(
            _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?
        ) {
            note(.opened)
            onOpen(id)
        }

        func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure) {}

        func networkDidAuthenticate(_ id: ConnectionID, _ peer: AuthenticatedPeer) {}

        func networkDidBreak(_ id: ConnectionID, _ error: ConnectionSecurityError) {}

        func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer) {}

        func networkDidWrite(_ id: ConnectionID, byteCount: Int) {}

        func networkDidClose(_ id: ConnectionID) { note(.closed) }
    }
}

/// One that connects to a local socket, and goes.
private enum LocalCaller {
    /// Returns whether the socket is there and refuses, and not because it goes just now.
    static func isRefused(by path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result != 0 && errno == ECONNREFUSED && access(path, F_OK) == 0
    }
}
