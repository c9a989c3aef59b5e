import AudioCore
import Discovery
import HostSystem
import Peering
import TuttiRuntime

/// All peers that mDNS knows or the user names, and who answers for their names.
struct PeerProbe: Judged {
    var peers: [PeerFacts] = []
    var answers: [HostAnswer] = []
    /// Peers beyond those that were looked at.
    var surplus = 0
    /// Why none could be called, for people.
    var failure: String?

    private static let peerLimit = 16
    private static let question = TimeSpan.milliseconds(800)

    var findings: [Finding] {
        var found = peers.flatMap(\.findings)
        if let failure {
            found.append(Finding("peers.not-called", .note, "peers could not be called: \(String(heard: failure))"))
        } else if peers.isEmpty {
            found.append(
                Finding(
                    "peers.none", .note, "no other Tutti was found",
                    why: "ways to others, and their clocks, were not looked at",
                    remedy: "start 'tutti join' or 'tutti broadcast' elsewhere, or name one: tutti doctor HOST"))
        }
        if surplus > 0 {
            found.append(Finding("peers.more", .note, "\(surplus) more peers were not looked at"))
        }
        return found
    }

    /// Calls all that were found, and asks the network for the addresses of their hosts. Blocks for some seconds.
    static func examine(
        _ search: DiscoveryProbe, _ options: DoctorOptions, as identity: Identity, _ network: NetworkFacts?
    ) -> PeerProbe {
        var probe = PeerProbe()
        let found = search.peers
        let own = search.sightings.map { $0.hostName.lowercased() }
        let ownHost = own.min() ?? Identity.hostName.lowercased() + ".local"
        let others = Set(found.map { $0.hostName.lowercased() }).subtracting([ownHost])
        let hosts = [ownHost] + others.sorted().prefix(peerLimit - 1)
        let interfaces = network?.interfaces.filter { $0.mayMulticast && !$0.isOfContainers }.map(\.index) ?? []
        let asking = Probe("doctor mdns") {
            MulticastProbe.ask(for: hosts, on: interfaces, span: question)
        }
        var peers = found.map { peer in
            PeerFacts(peer, own: network?.addresses ?? [])
        }
        peers += options.addresses.map { PeerFacts(address: $0, own: network?.addresses ?? []) }
        probe.surplus = max(0, peers.count - peerLimit)
        peers = Array(peers.prefix(peerLimit))
        do throws(RuntimeFailure) {
            let examined = try PeerExaminer.examine(
                peers.map { $0.examined.paths.map(\.address) }, for: options.exchange, as: identity)
            for (index, result) in examined.enumerated() { peers[index].note(result) }
            probe.peers = peers
        } catch {
            probe.failure = "\(error.kind)"
        }
        probe.answers = asking.facts(by: .now() + question + question) ?? []
        return probe
    }
}

extension PeerFacts {
    fileprivate init(_ peer: DiscoveredPeer, own: Set<String>) {
        let addresses = peer.addresses.map { NetworkAddress(host: $0.description, port: peer.port) }
        self.init(
            name: peer.serviceName, isBroadcaster: peer.record.roles.contains(.broadcaster),
            announced: PeerProcess(peer: peer.record.id, instance: peer.record.instance),
            examined: ExaminedPeer(paths: addresses.map { ExaminedPath(target: 0, address: $0) }), ownAddresses: own)
    }

    fileprivate init(address: NetworkAddress, own: Set<String>) {
        self.init(
            name: "\(address)", isBroadcaster: false, announced: nil,
            examined: ExaminedPeer(paths: [ExaminedPath(target: 0, address: address)]), ownAddresses: own)
    }

    /// Takes what came of calling it, and looks closer at a clock that does not answer.
    fileprivate mutating func note(_ result: ExaminedPeer) {
        examined = result
        for path in result.paths {
            guard case .greeted(_, let name, let roles) = path.outcome else { continue }
            if announced == nil { self.name = name }
            isBroadcaster = isBroadcaster || roles.contains(.broadcaster)
            if let port = path.clockPort, result.clock?.completed == 0 {
                datagram = DatagramProbe.send(to: path.address.host, port: port)
            }
        }
    }
}
