import AudioCore
import Discovery
import NIOCore
import Peering
import WireProtocol

extension PeerContact {
    /// Takes what the sessions need of a peer that mDNS found.
    init(_ peer: DiscoveredPeer) {
        self.init(
            key: PeerContact.Key(peer.service), peer: peer.service.peer, name: peer.serviceName,
            roles: peer.record.roles,
            started: Int64(clamping: (peer.record.startedUnixMilliseconds ?? 0) / 1_000),
            addresses: peer.addresses.map { NetworkAddress(host: $0.description, port: peer.port) })
    }
}

extension PeerContact.Key {
    /// The separator is unambiguous: no field holds a NUL, since all were C strings.
    fileprivate init(_ service: PeerService) {
        let parts = [service.name, service.domain, service.hostName, "\(service.port)", service.peer.description]
        self = .instance(service.instance, service: parts.joined(separator: "\0"))
    }
}

/// mDNS for a session: brings findings to the event loop, and publishes the session's record and its page.
///
/// Created and used on the event loop.
final class DiscoveryBridge {
    enum Finding: Sendable {
        case contact(PeerContact)
        case lost(PeerContact.Key)
        /// Our own name was taken: mDNS publishes us under this one.
        case renamed(String)
        case notice(NetworkNotice)
    }

    private let discovery: PeerDiscovery

    /// - Parameters:
    ///   - browses: whether to look for others, too.
    ///   - handler: called on the event loop.
    init(
        record: PeerRecord, port: UInt16, browses: Bool = true, loop: any EventLoop,
        handler: @escaping @Sendable (Finding) -> Void
    ) {
        discovery = PeerDiscovery(
            browses: browses, advertisement: PeerAdvertisement(record: record, port: port)
        ) { event in
            guard let finding = Finding(event, ownName: record.name) else { return }
            loop.execute { handler(finding) }
        }
    }

    /// Advertises the page for browsers from now on; nil: there is none. See ``PeerDiscovery/advertise(page:)``.
    func advertise(page: PageAdvertisement?) { discovery.advertise(page: page) }

    /// Says goodbye; see ``PeerDiscovery/stop(on:)``.
    func stop(on loop: any EventLoop) -> EventLoopFuture<Void> { discovery.stop(on: loop) }
}

extension DiscoveryBridge.Finding {
    /// Nil for an event that no session needs.
    fileprivate init?(_ event: PeerDiscoveryEvent, ownName: String) {
        switch event {
        case .found(let peer), .changed(let peer): self = .contact(PeerContact(peer))
        case .lost(let service): self = .lost(PeerContact.Key(service))
        case .unavailable(let failure): self = .notice(.mDNSUnavailable(failure))
        case .available: self = .notice(.mDNSAvailable)
        case .notAdvertised(let reason): self = .notice(.notAdvertised(reason: reason))
        case .advertised(let name) where name != ownName:
            self = .renamed(name)
        case .pageNotAdvertised(let reason): self = .notice(.pageNotAdvertised(reason: reason))
        case .advertised, .pageAdvertised, .settled: return nil
        }
    }
}
