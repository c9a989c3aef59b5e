import AudioCore
import Discovery
import HostSystem
import Peering
import TuttiRuntime
import WireProtocol

/// What a doctor looks at.
public struct DoctorOptions: Sendable {
    /// Peers that are looked at beside those that mDNS finds.
    public var addresses: [NetworkAddress] = []
    /// The sound device, as `--device` takes it; nil looks at none.
    public var device: String? = "default"
    /// How long the device plays silence. Zero opens it only.
    public var silence = TimeSpan.seconds(4)
    /// How long clocks of peers are asked.
    public var exchange = TimeSpan.seconds(3)
    /// Where Tutti keeps what it remembers; nil if the user has no such place.
    public var statePath: String?
    /// Whether peers that are found are asked what their own machines' doctors find.
    public var asksPeers = true
    /// Whether this program has offered itself as a worker (``DecodeWorkers``).
    public var startsWorkers = false

    public init() {}
}

// What may hang or takes its time is looked at on threads of their own, at the same time: sound, rights, codecs, disk,
// the table of processes. Meanwhile mDNS is searched. When it is known who is there, they are called and their clocks
// are asked, and the network is asked who answers for their names. What is not over in time is said to be so, and is
// left behind: the process ends soon.

/// Looks at this machine, its network, and the ways to other peers, and says what keeps Tutti from working well.
///
/// Needs no rights; what it cannot see without them it says.
public enum Doctor {
    private static let patience = TimeSpan.seconds(12)
    private static let walk = TimeSpan.seconds(2)
    /// For what others wait for.
    private static let shortPatience = TimeSpan.seconds(1)

    /// Blocks for some seconds, 12 at most. Libraries of sound servers may print meanwhile.
    /// - Returns: what was found, area by area.
    public static func examine(_ options: DoctorOptions, as identity: Identity) -> [Finding] {
        let deadline = HostTime.now() + patience
        let network = Probe("doctor network") { NetworkFacts.look() }
        let files = Probe("doctor files") {
            let end = HostTime.now() + walk
            return OpenFiles.look { .now() > end }
        }
        let sound = options.device.map { device in
            Probe("doctor sound") { SoundProbe.look(at: device, for: options.silence) }
        }
        let rights = Probe("doctor rights") { RightsFacts.look() }
        let machine = Probe("doctor machine") { MachineFacts.look() }
        let codecs = Probe("doctor codecs") { CodecFacts.look(startsWorkers: options.startsWorkers) }
        let state = Probe("doctor state") { StateFacts.look(at: options.statePath) }

        let search = search(as: identity)
        let remote = RemoteProbe(options.asksPeers ? others(search, options) : [], as: identity)
        let interfaces = network.facts(by: .now() + shortPatience)
        let peers = PeerProbe.examine(search, options, as: identity, interfaces, by: deadline)
        let holders = files.facts(by: deadline) ?? OpenFiles()

        var report = Report()
        report.add(interfaces ?? network.facts(by: deadline), "network")
        report.add(discovery(search, interfaces, holders, peers.answers), "avahi")
        report.add(
            PortFacts(
                streams: holders.holders(ofPort: NetworkAddress.defaultPort, ["tcp", "tcp6"]),
                datagrams: holders.holders(ofPort: NetworkAddress.defaultPort, ["udp", "udp6"])), "ports")
        report.add(peers, "peers")
        report.add(rights.facts(by: deadline), "rights")
        report.add(machine.facts(by: deadline), "machine")
        report.add(soundFacts(sound, options, holders, by: deadline), "sound")
        report.add(codecs.facts(by: deadline), "codecs")
        report.add(state.facts(by: deadline), "state")
        report.findings += remote.findings(by: deadline)
        if holders.isPartial { report.findings.append(unseen) }
        return report.findings
    }

    /// On a thread of its own, too: the bus may hang.
    private static func search(as identity: Identity) -> DiscoveryProbe {
        let probe = Probe("doctor search") { DiscoveryProbe.search(as: identity) }
        return probe.facts(by: .now() + DiscoveryProbe.longest + shortPatience)
            ?? DiscoveryProbe(failure: .other("the system bus does not answer"))
    }

    /// Peers on other machines.
    private static func others(
        _ search: DiscoveryProbe, _ options: DoctorOptions
    ) -> [(name: String, address: NetworkAddress)] {
        let own = Set(search.sightings.map(\.hostName))
        return search.peers.filter { !own.contains($0.hostName) }.compactMap { peer in
            peer.addresses.first.map { (peer.serviceName, NetworkAddress(host: $0.description, port: peer.port)) }
        } + options.addresses.map { ("\($0)", $0) }
    }

    private static let unseen = Finding(
        "processes.unseen", .note, "programs of other users cannot be seen",
        why: "who has a port or a sound card is known in part", remedy: "sudo tutti doctor")

    private static func discovery(
        _ search: DiscoveryProbe, _ network: NetworkFacts?, _ holders: OpenFiles, _ answers: [HostAnswer]
    ) -> DiscoveryFacts {
        var facts = DiscoveryFacts(hostName: Identity.hostName, ownAddresses: network?.addresses ?? [])
        facts.failure = search.failure
        facts.ownService = search.ownService
        facts.sightings = search.sightings.map { peer in
            .init(
                hostName: peer.hostName,
                addresses: peer.addresses.map { String($0.description.prefix { $0 != "%" }) })
        }
        facts.responders = holders.holders(ofPort: 5_353, ["udp", "udp6"])
        facts.answers = answers
        facts.hasAsked = network?.interfaces.contains { $0.mayMulticast && !$0.isOfContainers } ?? false
        return facts
    }

    private static func soundFacts(
        _ probe: Probe<SoundFacts.Outcome>?, _ options: DoctorOptions, _ holders: OpenFiles, by deadline: HostTime
    ) -> SoundFacts? {
        guard let device = options.device, let probe else { return SoundFacts(device: "", outcome: .skipped) }
        guard let outcome = probe.facts(by: deadline) else { return nil }
        return SoundFacts(device: device, outcome: outcome, players: holders.players, isPartial: holders.isPartial)
    }

    /// Findings, area by area.
    private struct Report {
        var findings: [Finding] = []

        /// - Parameter facts: nil if they were not found in time.
        mutating func add(_ facts: (some Judged)?, _ area: String) {
            findings +=
                facts?.findings ?? [
                    Finding(
                        "\(area).unfinished", .note, "\(area): what was looked at does not answer",
                        why: "a driver, a disk or a service hangs", remedy: "look again; see journalctl -b -p err")
                ]
        }
    }
}
