import AudioCore
import Controlling
import Discovery
import HostSystem
import Peering
import Synchronization

/// The peers on the network.
public enum PeerList {
    /// Browses by mDNS for this long, then asks the broadcasts found what they play and who listens, and returns all
    /// peers, by name. Blocks the calling thread.
    ///
    /// It takes a second longer where a broadcast does not answer, and two at most. A listed peer need not be running:
    /// a machine that lost power stays in mDNS for minutes.
    /// - Parameters:
    ///   - identity: in whose name broadcasts are asked.
    ///   - pins: whom this machine has met, as its ``PinStore`` has it.
    /// - Throws: ``RuntimeFailure/Kind/unavailable`` as soon as mDNS turns out to be unavailable.
    public static func browse(
        for span: TimeSpan, as identity: Identity, pins: PinnedNames = PinnedNames()
    ) throws(RuntimeFailure) -> [PeerEntry] {
        let peers = try search(for: span)
        let broadcasts = peers.filter { $0.record.roles.contains(.broadcaster) }.map { PeerContact($0) }
        let survey = try RunControl().run { loop in
            SurveyRunner(contacts: broadcasts, identity: identity, loop: loop).run()
        }
        var known = KnownPeers(own: identity.keys.key, household: identity.household?.household)
        known.pins = pins
        return entries(of: peers, survey, known)
    }

    private static func search(for span: TimeSpan) throws(RuntimeFailure) -> [DiscoveredPeer] {
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
        return result.peers.values.sorted {
            ($0.serviceName, $0.record.instance) < ($1.serviceName, $1.record.instance)
        }
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
        // One without a role only looks around.
        case .found(let peer), .changed(let peer): if !peer.record.roles.isEmpty { peers[peer.service] = peer }
        case .lost(let service): peers[service] = nil
        case .unavailable(let failure): self.failure = failure
        case .available: failure = nil
        case .settled, .advertised, .notAdvertised, .pageAdvertised, .pageNotAdvertised: break
        }
    }
}
