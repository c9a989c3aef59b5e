import AudioCore
import ClockExchange
import Glibc
import TuttiRuntime

/// A way to the clock of a broadcaster.
struct ClockFacts {
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

    /// The broadcaster's, for people.
    let title: String
    let clock: ExaminedClock
    /// To its clock, where that does not answer.
    var datagram: Datagram?

    /// More of a LAN's round trip than this shows a detour, or a queue.
    private static let longRoundTrip = TimeSpan.milliseconds(4)
    private static let noticeableRoundTrip = TimeSpan.microseconds(1_500)
    private static let why = "without UDP the clock goes over TCP, behind the song, and is less exact"

    var isAnswered: Bool { (try? clock.exchange.get().completed) ?? 0 > 0 }

    /// - Parameter severity: where the clock does not answer.
    func findings(whereSilent severity: Finding.Severity) -> [Finding] {
        switch clock.exchange {
        case .failure(let error): [notAsked(error, severity)]
        case .success(let report): report.completed > 0 ? judge(report) : [unanswered(report, severity)]
        }
    }

    private func notAsked(_ error: ClockExchangeError, _ severity: Finding.Severity) -> Finding {
        Finding(
            "clock.not-asked", severity, "the clock of '\(title)' cannot be asked at \(clock.address): \(error)",
            why: Self.why, remedy: "look at the route, and at this machine's firewall")
    }

    private func unanswered(_ report: ClockExchangeReport, _ severity: Finding.Severity) -> Finding {
        let address = clock.address
        let allow = "let UDP \(address.port) through: sudo ufw allow \(address.port)/udp"
        switch datagram {
        case .refused:
            return Finding(
                "clock.udp-refused", severity, "'\(title)' refuses UDP to \(address), where its clock is",
                why: "a firewall rejects it. \(Self.why)", remedy: "there, \(allow)")
        case .unreachable:
            return Finding(
                "clock.udp-refused", severity, "UDP to the clock of '\(title)', \(address), is rejected on the way",
                why: "a firewall or router says so. \(Self.why)", remedy: "there or on the way, \(allow)")
        case .notSent(let code):
            return Finding(
                "clock.udp-not-sent", severity,
                "this machine does not send UDP to the clock of '\(title)', \(address): "
                    + String(cString: strerror(code)),
                why: "a firewall on this machine forbids it. \(Self.why)",
                remedy: "let it through: sudo nft list ruleset")
        case .silence, nil:
            return Finding(
                "clock.udp-silent", severity,
                "the clock of '\(title)' answers none of \(report.sent) requests by UDP to \(address)",
                why: "a firewall drops them or the answers, without a word. \(Self.why)",
                remedy: "there and here, \(allow)")
        }
    }

    private func judge(_ report: ClockExchangeReport) -> [Finding] {
        var found: [Finding] = []
        let answered = report.completed + report.lost
        let loss = answered > 0 ? Double(report.lost) / Double(answered) : 0
        if loss > 0.1, report.lost >= 3 {
            found.append(
                Finding(
                    "clock.loss", .warning,
                    "\(report.lost) of \(answered) clock requests to '\(title)' at \(clock.address) were lost "
                        + "(\((loss * 100).fixed(0)) %)",
                    why: "the network drops datagrams: the clock is less exact, and the song may starve",
                    remedy: "use a cable, or move nearer to the access point; look for what fills the network"))
        }
        guard let roundTrip = report.roundTrip, let limit = report.asymmetryLimit else {
            return found + [
                Finding(
                    "clock.too-few", .warning,
                    "too few exchanges with the clock of '\(title)' at \(clock.address) (\(report.completed))",
                    why: "the clock is not known")
            ]
        }
        let what =
            "clock of '\(title)' at \(clock.address): round trip \(roundTrip.shown)"
            + (report.bound.map { ", known to \($0.shown)" } ?? "") + ", asymmetry up to \(limit.shown)"
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
