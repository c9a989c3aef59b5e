import Glibc
import Peering
import TuttiRuntime

/// The ways to one peer, and to its clock.
struct PeerFacts: Judged {
    /// What became of a datagram to a port at which nobody need answer.
    enum Datagram: Hashable, Sendable {
        /// Nothing came back: it arrived, or was dropped without a word.
        case silence
        /// The machine says that nothing is at the port, or a firewall that it does not let it through.
        case refused
        case unreachable
        /// This machine's kernel did not send it: an errno.
        case notSent(Int32)
    }

    /// As mDNS has it, or the address that the user gave.
    var name: String
    var isBroadcaster: Bool
    /// What mDNS says whose process it is; nil for one that the user named.
    var announced: PeerProcess?
    var examined: ExaminedPeer
    /// To its clock, where its clock does not answer.
    var datagram: Datagram?
    var ownAddresses: Set<String> = []

    /// More of a LAN's round trip than this shows a detour, or a queue.
    private static let longRoundTrip = TimeSpan.milliseconds(4)
    private static let noticeableRoundTrip = TimeSpan.microseconds(1_500)

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
        if let failure = examined.clockFailure {
            return [
                Finding(
                    "clock.not-asked", .problem, "the clock of '\(title)' cannot be asked: \(failure)",
                    why: Self.whyClock, remedy: "look at the route, and at this machine's firewall")
            ]
        }
        guard let clock = examined.clock else {
            guard !right.isEmpty, right.allSatisfy({ $0.path.refusal == nil }) else { return [] }
            return [
                Finding(
                    "clock.not-told", .note, "'\(title)' does not say where its clock is",
                    why: "it is an older release",
                    remedy: "update Tutti there")
            ]
        }
        guard clock.completed > 0 else { return [unanswered(clock)] }
        return judge(clock)
    }

    private static let whyClock = "without UDP the clock goes over TCP, behind the song, and is less exact"

    private func unanswered(_ clock: ExaminedClock) -> Finding {
        let port = greeted.lazy.compactMap(\.path.clockPort).first ?? NetworkAddress.defaultPort
        let allow = "let UDP \(port) through: sudo ufw allow \(port)/udp"
        switch datagram {
        case .refused:
            return Finding(
                "clock.udp-refused", .problem, "'\(title)' refuses UDP port \(port), where its clock is",
                why: "a firewall rejects it. \(Self.whyClock)", remedy: "there, \(allow)")
        case .unreachable:
            return Finding(
                "clock.udp-refused", .problem, "UDP to port \(port) of '\(title)' is rejected on the way",
                why: "a firewall or router says so. \(Self.whyClock)", remedy: "there or on the way, \(allow)")
        case .notSent(let code):
            return Finding(
                "clock.udp-not-sent", .problem,
                "this machine does not send UDP to port \(port) of '\(title)': \(String(cString: strerror(code)))",
                why: "a firewall on this machine forbids it. \(Self.whyClock)",
                remedy: "let it through: sudo nft list ruleset")
        case .silence, nil:
            return Finding(
                "clock.udp-silent", .problem,
                "the clock of '\(title)' answers none of \(clock.sent) requests to UDP port \(port)",
                why: "a firewall drops them or the answers, without a word. \(Self.whyClock)",
                remedy: "there and here, \(allow)")
        }
    }

    private func judge(_ clock: ExaminedClock) -> [Finding] {
        var found: [Finding] = []
        let answered = clock.completed + clock.lost
        let loss = answered > 0 ? Double(clock.lost) / Double(answered) : 0
        if loss > 0.1, clock.lost >= 3 {
            found.append(
                Finding(
                    "clock.loss", .warning,
                    "\(clock.lost) of \(answered) clock requests to '\(title)' were lost (\((loss * 100).fixed(0)) %)",
                    why: "the network drops datagrams: the clock is less exact, and the song may starve",
                    remedy: "use a cable, or move nearer to the access point; look for what fills the network"))
        }
        guard let roundTrip = clock.roundTrip, let limit = clock.asymmetryLimit else {
            return found + [
                Finding(
                    "clock.too-few", .warning, "too few exchanges with the clock of '\(title)' (\(clock.completed))",
                    why: "the clock is not known")
            ]
        }
        let what =
            "clock of '\(title)': round trip \(roundTrip.shown)"
            + (clock.bound.map { ", known to \($0.shown)" } ?? "") + ", asymmetry up to \(limit.shown)"
        guard roundTrip > Self.noticeableRoundTrip else { return found + [Finding("clock.exact", .ok, what)] }
        let isLong = roundTrip > Self.longRoundTrip
        found.append(
            Finding(
                "clock.long-path", isLong ? .warning : .note, what,
                why:
                    "the way takes longer than a LAN's. If one direction is the longer one, this machine plays up "
                    + "to \(limit.shown) off, and no exchange can see it",
                remedy: "use a cable; switch off the radio's power saving; look for what delays one direction (traffic "
                    + "shaping, VPN, powerline)"))
        return found
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
