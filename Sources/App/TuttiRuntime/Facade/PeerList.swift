import AudioCore
import Discovery
import HostSystem
import Peering
import Synchronization
import WireProtocol

/// A peer that mDNS knows now, as `tutti peers` shows it.
public struct PeerEntry: Hashable, Sendable {
    /// Unique on the network, as `--from` and `--to` take it.
    public var name: String
    public var roles: PeerRoles
    /// `idle`, `waiting` or `playing`.
    public var activity: String
    /// The song; nil for none.
    public var playing: String?
    /// Addresses at which it may be reached, the most promising first.
    public var addresses: [NetworkAddress]
    /// For example `kitchen.local`.
    public var hostName: String
    public var protocolVersion: UInt32
    public var peer: UUIDBytes
    public var instance: UInt64

    public init(
        name: String, roles: PeerRoles, activity: String, playing: String?, addresses: [NetworkAddress],
        hostName: String, protocolVersion: UInt32, peer: UUIDBytes, instance: UInt64
    ) {
        self.name = name
        self.roles = roles
        self.activity = activity
        self.playing = playing
        self.addresses = addresses
        self.hostName = hostName
        self.protocolVersion = protocolVersion
        self.peer = peer
        self.instance = instance
    }
}

/// The peers on the network.
public enum PeerList {
    /// Browses by mDNS for this long and returns all peers found, by name. Blocks the calling thread.
    ///
    /// A listed peer need not be running: a machine that lost power stays in mDNS for minutes.
    /// - Throws: ``RuntimeFailure/Kind/unavailable`` as soon as mDNS turns out to be unavailable.
    public static func browse(for span: TimeSpan) throws(RuntimeFailure) -> [PeerEntry] {
        let wake: WakeSignal
        do {
            wake = try WakeSignal()
        } catch {
            throw RuntimeFailure(.general, .noFileDescriptor)
        }
        let end = HostTime.now() + span
        let found = Findings.Box()
        let discovery = PeerDiscovery(browses: true) { event in
            found.value.withLock { $0.receive(event) }
            wake.signal()
        }
        defer { discovery.stop() }
        while HostTime.now() < end, found.value.withLock({ $0.failure == nil }) {
            wake.wait(atMost: end - .now())
        }
        let result = found.value.withLock { $0 }
        if let failure = result.failure { throw RuntimeFailure(.unavailable, .noDiscovery(failure)) }
        return result.peers.values.map(PeerEntry.init).sorted { ($0.name, $0.instance) < ($1.name, $1.instance) }
    }
}

private struct Findings {
    final class Box: Sendable {
        let value = Mutex(Findings())
    }

    var peers: [PeerService: DiscoveredPeer] = [:]
    var failure: DiscoveryFailure?

    mutating func receive(_ event: PeerDiscoveryEvent) {
        switch event {
        case .found(let peer), .changed(let peer): peers[peer.service] = peer
        case .lost(let service): peers[service] = nil
        case .unavailable(let failure): self.failure = failure
        case .available: failure = nil
        case .settled, .advertised, .notAdvertised: break
        }
    }
}

extension PeerEntry {
    fileprivate init(_ peer: DiscoveredPeer) {
        let record = peer.record
        self.init(
            name: peer.serviceName, roles: record.roles, activity: record.activity.rawValue,
            playing: record.playing.isEmpty ? nil : record.playing,
            addresses: peer.addresses.map { NetworkAddress(host: $0.description, port: peer.port) },
            hostName: peer.hostName, protocolVersion: record.protocolVersion, peer: record.id,
            instance: record.instance)
    }
}
