import AudioCore
import Discovery
import HostSystem
import Peering
import TuttiRuntime

/// All peers that mDNS knows or the user names, and who answers for their names.
struct PeerProbe: Judged {
    var peers: [PeerFacts] = []
    var answers: [HostAnswer] = []
    /// The names of peers beyond those that were looked at.
    var surplus: [String] = []
    /// The names of those that were not looked at in time, or not in full.
    var late: [String] = []
    /// Why none could be called, for people.
    var failure: String?

    private static let peerLimit = 16
    /// Clocks that are looked at closer at the same time.
    private static let clockLimit = 8
    /// What that takes: two rounds of datagrams (`DatagramProbe`).
    private static let closerLook = TimeSpan.milliseconds(3_000)
    /// What the end of the calls takes.
    private static let goodbye = TimeSpan.milliseconds(500)
    private static let question = TimeSpan.milliseconds(800)

    var findings: [Finding] {
        var found = peers.flatMap(\.findings)
        if let failure {
            found.append(Finding("peers.not-called", .note, "peers could not be called: \(String(heard: failure))"))
        } else if peers.isEmpty, late.isEmpty {
            found.append(
                Finding(
                    "peers.none", .note, "no other Tutti was found",
                    why: "ways to others, and their clocks, were not looked at",
                    remedy: "start 'tutti join' or 'tutti broadcast' elsewhere, or name one: tutti doctor HOST"))
        }
        if !late.isEmpty {
            found.append(
                Finding(
                    "peers.unfinished", .note, "not looked at in time, or not in full: \(Self.listed(late))",
                    why: "these peers, their names or the network answer slowly, or not at all",
                    remedy: "look at one of them alone: tutti doctor HOST"))
        }
        if !surplus.isEmpty {
            found.append(
                Finding(
                    "peers.more", .note,
                    "more than \(Self.peerLimit) peers: not looked at were \(Self.listed(surplus))",
                    remedy: "name those that matter: tutti doctor HOST"))
        }
        return found
    }

    private static func listed(_ names: [String]) -> String { names.map { "'\(String(heard: $0))'" }.listed }

    /// Calls all that were found, and asks the network for the addresses of their hosts. Blocks for some seconds, until
    /// the deadline at most.
    static func examine(
        _ search: DiscoveryProbe, _ options: DoctorOptions, as identity: Identity, _ network: NetworkFacts?,
        by deadline: HostTime
    ) -> PeerProbe {
        var probe = PeerProbe()
        let own = search.sightings.map { $0.hostName.lowercased() }
        let ownHost = own.min() ?? Identity.hostName.lowercased() + ".local"
        let others = Set(search.peers.map { $0.hostName.lowercased() }).subtracting([ownHost])
        let hosts = [ownHost] + others.sorted().prefix(peerLimit - 1)
        let interfaces = network?.interfaces.filter { $0.mayMulticast && !$0.isOfContainers }.map(\.index) ?? []
        let asking = Probe("doctor mdns") {
            MulticastProbe.ask(for: hosts, on: interfaces, span: question)
        }
        let candidates = candidates(search, options, network, surplus: &probe.surplus)
        probe.call(candidates, options, as: identity, by: deadline)
        probe.answers = asking.facts(by: min(deadline, .now() + question + question)) ?? []
        return probe
    }

    /// Those that the user names are looked at in any case.
    private static func candidates(
        _ search: DiscoveryProbe, _ options: DoctorOptions, _ network: NetworkFacts?, surplus: inout [String]
    ) -> [PeerFacts] {
        let own = network?.addresses ?? []
        let found = search.peers.map { PeerFacts($0, own: own) }
        let named = options.addresses.map { PeerFacts(address: $0, own: own) }
        let room = max(0, peerLimit - named.count)
        surplus = (found.dropFirst(room) + named.dropFirst(peerLimit)).map(\.name)
        return Array(found.prefix(room)) + named.prefix(peerLimit)
    }

    /// Calls all at the same time, and then looks closer at clocks that do not answer.
    private mutating func call(
        _ candidates: [PeerFacts], _ options: DoctorOptions, as identity: Identity, by deadline: HostTime
    ) {
        let end = deadline - Self.closerLook
        let targets = candidates.map { $0.examined.paths.map(\.address) }
        let span = max(.milliseconds(1), min(options.exchange, end - .now() - Self.goodbye))
        let calling = Probe("doctor peers") {
            Result { () throws(RuntimeFailure) in try PeerExaminer.examine(targets, for: span, as: identity) }
        }
        switch calling.facts(by: end) {
        case .success(let examined)?:
            peers = candidates
            for (index, result) in examined.enumerated() { peers[index].note(result) }
            lookAtSilentClocks(by: deadline)
        case .failure(let error)?: failure = "\(error.kind)"
        case nil: late = candidates.map(\.name)
        }
    }

    private mutating func lookAtSilentClocks(by deadline: HostTime) {
        let silent = peers.indices.flatMap { index in peers[index].silentClocks.map { (index: index, clock: $0) } }
        let datagrams = SideBySide.look(
            at: silent.map(\.clock), atOnce: Self.clockLimit, by: deadline, "doctor clock"
        ) { DatagramProbe.send(to: $0.host, port: $0.port) }
        for (way, datagram) in zip(silent, datagrams) {
            guard let datagram else {
                if !late.contains(peers[way.index].name) { late.append(peers[way.index].name) }
                continue
            }
            peers[way.index].datagrams[way.clock] = datagram
        }
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

    /// Takes what came of calling it.
    fileprivate mutating func note(_ result: ExaminedPeer) {
        examined = result
        for path in result.paths {
            guard case .greeted(_, let name, let roles) = path.outcome else { continue }
            if announced == nil { self.name = name }
            isBroadcaster = isBroadcaster || roles.contains(.broadcaster)
        }
    }

    /// Where its clock was asked, and did not answer.
    fileprivate var silentClocks: [NetworkAddress] {
        examined.clocks.filter { (try? $0.exchange.get().completed) == 0 }.map(\.address)
    }
}
