import Peering
import TuttiRuntime

/// The ways to one peer, and to its clock.
struct PeerFacts: Judged {
    /// As mDNS has it, or the address that the user gave.
    var name: String
    var isBroadcaster: Bool
    /// What mDNS says whose process it is; nil for one that the user named.
    var announced: PeerProcess?
    var examined: ExaminedPeer
    /// To its clock, by each way on which that does not answer.
    var datagrams: [NetworkAddress: ClockFacts.Datagram] = [:]
    var ownAddresses: Set<String> = []

    private var title: String { String(heard: name) }

    var findings: [Finding] { wayFindings + clockFindings }

    // MARK: TCP

    private struct Greeted {
        var path: ExaminedPath
        var process: PeerProcess
        var name: String
        var roles: PeerRoles
    }

    private var greeted: [Greeted] {
        examined.paths.compactMap { path in
            guard case .greeted(let process, let name, let roles) = path.outcome else { return nil }
            return Greeted(path: path, process: process, name: name, roles: roles)
        }
    }

    /// Those that are who mDNS says.
    private var right: [Greeted] { greeted.filter { announced == nil || $0.process == announced } }

    private var wayFindings: [Finding] {
        let strangers = greeted.filter { announced != nil && $0.process != announced }
        var found = strangers.map(stranger)
        if let first = right.first {
            found.append(
                Finding(
                    "peer.reached", .ok, "'\(title)' answers at \(right.map { "\($0.path.address)" }.listed)"))
            // Others, or this machine after its next start, may take one of these ways.
            found += examined.paths.filter { [.refused, .unanswered].contains($0.outcome) }
                .map { unreached($0, .warning) }
            if let refusal = first.path.refusal, isBroadcaster {
                found.append(
                    Finding(
                        "peer.refuses", .note, "'\(title)' does not let us look on: \(String(heard: refusal))"))
            }
            return found
        }
        guard let worst = examined.paths.first(where: { $0.outcome.rank == examined.paths.map(\.outcome.rank).max() })
        else {
            return found + [
                Finding(
                    "peer.no-address", .problem, "'\(title)' is announced without an address",
                    why: "it cannot be reached", remedy: "restart avahi-daemon there")
            ]
        }
        return found + (strangers.isEmpty ? [unreached(worst)] : [])
    }

    private func stranger(_ other: Greeted) -> Finding {
        let isHere = ownAddresses.contains(other.path.address.host)
        return Finding(
            isHere ? "peer.address-is-ours" : "peer.another-answers", .problem,
            "'\(title)' is announced at \(other.path.address), where "
                + (isHere ? "this machine itself" : "'\(String(heard: other.name))'") + " answers",
            why: isHere
                ? "its address is one of this machine's, too, as on bridges of containers"
                : "its record is old, or somebody announces what is not there: it is not found, or another is taken "
                    + "for it",
            remedy: isHere
                ? "keep the bridge out of mDNS there: deny-interfaces= in /etc/avahi/avahi-daemon.conf"
                : "restart Tutti there; if that does not help, look for who announces it: avahi-browse -rt _tutti._tcp")
    }

    private func unreached(_ path: ExaminedPath, _ severity: Finding.Severity = .problem) -> Finding {
        let address = "\(path.address)"
        let port = path.address.port
        switch path.outcome {
        case .refused:
            return Finding(
                "peer.tcp-refused", severity, "'\(title)': \(address) refuses TCP",
                why: "the machine is there, but no Tutti is at that port any more, or its firewall rejects it",
                remedy: "start Tutti there, or let TCP \(port) through there: sudo ufw allow \(port)/tcp")
        case .unreachable:
            return Finding(
                "peer.tcp-unreachable", .problem, "'\(title)': there is no way to \(address)",
                why: "a router, a firewall or the machine says so, or it is off",
                remedy: "look at the route, and at the firewalls here and there: ip route get \(path.address.host)")
        case .unanswered:
            return Finding(
                "peer.tcp-silent", severity, "'\(title)': \(address) does not answer on TCP",
                why: "a firewall drops what is sent, without a word, or the machine is off or on another network",
                remedy: "let TCP \(port) through, here and there: sudo ufw allow \(port)/tcp; is it there: ping "
                    + path.address.host)
        case .saysNothing:
            return Finding(
                "peer.mute", .problem, "'\(title)': \(address) takes calls and says nothing",
                why: "its Tutti hangs, or its machine is overloaded", remedy: "restart Tutti there")
        case .speaksOtherwise(let reason):
            return Finding(
                "peer.no-tutti", .problem,
                "'\(title)': what answers at \(address) is no Tutti: \(String(heard: reason))",
                why: "another program has its port, or its version is another one",
                remedy: "see what listens there: ss -ltnp 'sport = \(port)'")
        case .greeted: return Finding("peer.reached", .ok, "'\(title)' answers at \(address)")
        }
    }

    // MARK: The clock

    private var clockFindings: [Finding] {
        guard isBroadcaster else { return [] }
        guard !examined.clocks.isEmpty else {
            guard !right.isEmpty, right.allSatisfy({ $0.path.refusal == nil }) else { return [] }
            return [
                Finding(
                    "clock.not-told", .note, "'\(title)' does not say where its clock is",
                    why: "it is an older release",
                    remedy: "update Tutti there")
            ]
        }
        let clocks = examined.clocks.map { ClockFacts(title: title, clock: $0, datagram: datagrams[$0.address]) }
        // Listeners take the way that answers first.
        let severity = clocks.contains(where: \.isAnswered) ? Finding.Severity.warning : .problem
        let findings = clocks.flatMap { $0.findings(whereSilent: severity) }
        // That all is well need be said once.
        let trouble = findings.filter { $0.severity != .ok }
        return trouble.isEmpty ? Array(findings.prefix(1)) : trouble
    }
}

extension ExaminedPath.Outcome {
    /// How much it says: the most telling of a peer's addresses counts.
    fileprivate var rank: Int {
        switch self {
        case .unreachable: 0
        case .unanswered: 1
        case .refused: 2
        case .saysNothing: 3
        case .speaksOtherwise: 4
        case .greeted: 5
        }
    }
}
