import Peering

/// Who has Tutti's own ports on this machine.
struct PortFacts: Judged {
    var streams: [OpenFiles.Holder] = []
    var datagrams: [OpenFiles.Holder] = []

    /// As Linux names programs: at most 15 bytes.
    private static let ownName = "tutti"

    var findings: [Finding] {
        let port = NetworkAddress.defaultPort
        let others = (streams + datagrams).filter { $0.name != Self.ownName && $0.process != nil }
        guard others.isEmpty else {
            return [
                Finding(
                    "ports.taken", .warning, "port \(port) belongs to another program: \(others.map(\.shown).listed)",
                    why:
                        "Tutti then takes any free port, which firewalls do not know, and nobody finds by address",
                    remedy: "end that program, or give Tutti a port that the firewall lets through: --port N")
            ]
        }
        let own = (streams + datagrams).first
        return [
            Finding("ports.free", .ok, own == nil ? "port \(port) is free" : "port \(port) is in use by a Tutti")
        ]
    }
}
