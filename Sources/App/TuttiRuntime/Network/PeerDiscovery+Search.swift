import AudioCore
import Discovery
import NIOCore
import NIOPosix
import Peering

extension PeerDiscovery {
    /// Searches for a session that advertises nothing.
    /// - Parameters:
    ///   - found: called on the event loop for every peer, and again for each change of one.
    ///   - failed: called there if mDNS cannot be used.
    static func search(
        on loop: any EventLoop, found: @escaping @Sendable (PeerContact) -> Void,
        failed: @escaping @Sendable (DiscoveryFailure) -> Void
    ) -> PeerDiscovery {
        PeerDiscovery(browses: true) { event in
            switch event {
            case .found(let peer), .changed(let peer): loop.execute { found(PeerContact(peer)) }
            case .unavailable(let failure): loop.execute { failed(failure) }
            case .lost, .settled, .advertised, .notAdvertised, .pageAdvertised, .pageNotAdvertised, .available: break
            }
        }
    }

    /// Stops; waits at most one second for the daemon, off the event loop.
    func stop(on loop: any EventLoop) -> EventLoopFuture<Void> {
        NIOThreadPool.singleton.runIfActive(eventLoop: loop) { self.stop() }.flatMapErrorThrowing { _ in }
    }
}
