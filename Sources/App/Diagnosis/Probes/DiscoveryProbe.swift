import AudioCore
import Discovery
import HostSystem
import Synchronization
import TuttiRuntime
import WireProtocol

/// What Tutti's own discovery finds, of others and of a service of the doctor's own.
struct DiscoveryProbe: Sendable {
    var failure: DiscoveryFailure?
    var ownService = DiscoveryFacts.OwnService.notAnnounced
    var sightings: [DiscoveredPeer] = []
    /// Peers, by name.
    var peers: [DiscoveredPeer] = []

    /// Records of machines that answer are there within a second and a half (RFC 6762 section 6: within 500 ms).
    private static let shortest = TimeSpan.milliseconds(1_500)
    static let longest = TimeSpan.milliseconds(4_000)
    /// A bus may start the daemon.
    private static let patience = TimeSpan.milliseconds(700)

    /// Searches for some seconds: for no longer than it takes to find the doctor's own service.
    static func search(as identity: Identity) -> DiscoveryProbe {
        guard let wake = try? WakeSignal() else {
            return DiscoveryProbe(failure: .other("out of file descriptors"))
        }
        let found = Box()
        var record = PeerRecord(
            id: UUIDBytes(high: .random(in: 0...(.max)), low: .random(in: 0...(.max))), instance: identity.instance,
            name: "\(identity.name) (doctor)", roles: [],
            protocolVersion: UInt32(Preamble.version))
        record.name = String(displaying: record.name, maximumByteCount: WireLimits.peerNameByteCount)
        let own = identity.instance
        // Nobody calls a peer without a role, and nobody need know whose it is.
        let discovery = PeerDiscovery(
            browses: true, advertisement: PeerAdvertisement(record: record, port: NetworkAddress.defaultPort)
        ) { event in
            found.value.withLock { $0.receive(event, own: own) }
            wake.signal()
        }
        defer { discovery.stop() }
        let start = HostTime.now()
        while let left = found.value.withLock({ $0.timeLeft(after: .now() - start) }) { wake.wait(atMost: left) }
        var result = found.value.withLock { $0.probe }
        result.peers.sort { ($0.serviceName, $0.record.instance) < ($1.serviceName, $1.record.instance) }
        return result
    }

    private final class Box: Sendable {
        let value = Mutex(Search())
    }

    private struct Search {
        var probe = DiscoveryProbe()
        private var known: [PeerService: DiscoveredPeer] = [:]

        mutating func receive(_ event: PeerDiscoveryEvent, own: UInt64) {
            switch event {
            case .found(let peer), .changed(let peer): known[peer.service] = peer
            case .lost(let service): known[service] = nil
            case .advertised: probe.ownService = .announced
            case .notAdvertised(let reason): probe.ownService = .rejected(reason: reason)
            case .unavailable(let failure): probe.failure = failure
            case .available: probe.failure = nil
            case .settled, .pageAdvertised, .pageNotAdvertised: return
            }
            probe.sightings = known.values.filter { $0.record.instance == own }
            probe.peers = known.values.filter { $0.record.instance != own && !$0.record.roles.isEmpty }
        }

        /// How long to wait for more; nil when it is enough.
        func timeLeft(after span: TimeSpan) -> TimeSpan? {
            let isComplete = probe.ownService == .announced && !probe.sightings.isEmpty
            let end: TimeSpan =
                probe.failure != nil
                ? DiscoveryProbe.patience : isComplete ? DiscoveryProbe.shortest : DiscoveryProbe.longest
            return span < end ? end - span : nil
        }
    }
}
