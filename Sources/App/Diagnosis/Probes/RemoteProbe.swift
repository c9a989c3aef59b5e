import AudioCore
import Peering
import Synchronization
import TuttiRuntime
import WireProtocol

/// What the doctors of other machines find, each asked by the peer that runs there.
struct RemoteProbe: Sendable {
    private let probes: [(name: String, address: NetworkAddress, probe: Probe<Answer>)]
    /// The names of those that are not asked.
    private let surplus: [String]

    /// Machines that are asked, all at once: a doctor takes most of the time that there is.
    private static let machineLimit = 16

    private enum Answer: Hashable, Sendable {
        case found([Finding])
        /// Why it says nothing, in its own words or ours.
        case nothing(String)
    }

    /// Begins to ask.
    init(_ peers: [(name: String, address: NetworkAddress)], as identity: Identity) {
        // Several peers may run on one machine.
        var hosts: Set<String> = []
        let machines = peers.filter { hosts.insert($0.address.host).inserted }
        surplus = machines.dropFirst(Self.machineLimit).map(\.name)
        probes = machines.prefix(Self.machineLimit).map { name, address in
            var identity = identity
            // Another connection of the same process would take the place of the one that looks at the way.
            identity.instance = .random(in: 1...(.max))
            return (name, address, Probe("doctor remote") { [identity] in Self.ask(name, address, as: identity) })
        }
    }

    private static func ask(_ name: String, _ address: NetworkAddress, as identity: Identity) -> Answer {
        var options = ControlOptions([.lookup(.findings)])
        options.target = .address(address)
        let answer = Mutex(Answer.nothing("it does not answer"))
        do throws(RuntimeFailure) {
            try Controller(options: options, identity: identity).run { news in
                switch news {
                case .found(_, let bytes):
                    answer.withLock { $0 = .found(Finding.findings(tabs: bytes, of: name)) }
                case .foundNothing(_, let reason): answer.withLock { $0 = .nothing(reason) }
                default: break
                }
            }
        } catch {
            // It turns us away, as strangers; or it cannot be reached, which is looked at elsewhere.
            let isRefused = error.kind == .notAllowed || error.kind == .unavailable
            answer.withLock { answer in
                if isRefused, case .nothing = answer { answer = .nothing(LookupRefusal.foreignMachine) }
            }
        }
        return answer.withLock { $0 }
    }

    /// What was found by an instant.
    func findings(by deadline: HostTime) -> [Finding] {
        var found = probes.flatMap { name, _, probe -> [Finding] in
            switch probe.facts(by: deadline) ?? .nothing("it does not answer in time") {
            case .found(let findings): return findings
            case .nothing(let reason):
                return [
                    Finding(
                        "remote.not-told", .note,
                        "'\(String(heard: name))' does not say what is wrong there"
                            + (reason.isEmpty ? "" : ": \(String(heard: reason))"),
                        why: "what stands here is this end's view: only machines of one household look into each other",
                        remedy: "run tutti doctor there, too, or bring both into a household: tutti pair")
                ]
            }
        }
        if !surplus.isEmpty {
            found.append(
                Finding(
                    "remote.more", .note,
                    "more than \(Self.machineLimit) machines: not asked were "
                        + surplus.map { "'\(String(heard: $0))'" }.listed,
                    remedy: "run tutti doctor there"))
        }
        return found
    }
}
