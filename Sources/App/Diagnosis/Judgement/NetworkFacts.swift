import Glibc

/// The interfaces of this machine, and multicast on them.
struct NetworkFacts: Judged {
    /// What became of a datagram to the group of mDNS.
    enum Multicast: Hashable, Sendable {
        case heard
        /// It left, and did not come back.
        case notHeard
        /// The kernel refused to send it, or to join the group: an errno.
        case notSent(Int32)
        /// No socket was to be had: an errno.
        case notTried(Int32)
    }

    struct Interface: Hashable, Sendable {
        var systemName: String
        var index: UInt32
        /// By netdevice(7).
        var flags: UInt32
        var addresses: [String] = []
        /// Nil where it was not tried.
        var multicast: Multicast?

        private static let (up, loopback, running, multicasts): (UInt32, UInt32, UInt32, UInt32) = (
            0x1, 0x8, 0x40, 0x1000
        )
        /// Names that container engines, virtual machines and their like give to their bridges and cables.
        private static let containerNames = [
            "docker", "br-", "virbr", "veth", "cni", "podman", "lxcbr", "lxdbr", "vnet", "flannel", "cali",
        ]

        var name: String { String(heard: systemName) }
        var isUp: Bool { flags & Self.up != 0 }
        var isLoopback: Bool { flags & Self.loopback != 0 }
        var hasCarrier: Bool { flags & Self.running != 0 }
        var allowsMulticast: Bool { flags & Self.multicasts != 0 }
        var isOfContainers: Bool { Self.containerNames.contains(where: systemName.hasPrefix) }
        var addressesV4: [String] { addresses.filter { !$0.contains(":") } }
        /// Whether a LAN may lie behind it.
        var isCandidate: Bool { !isLoopback && !isOfContainers && isUp && hasCarrier && !addresses.isEmpty }
        var mayMulticast: Bool {
            isUp && hasCarrier && !isLoopback && allowsMulticast && !addressesV4.isEmpty && index != 0
        }
    }

    var interfaces: [Interface]
    /// What sending to the group gives without naming an interface: 0, or an errno.
    var anyRoute: Int32 = 0

    var addresses: Set<String> { Set(interfaces.flatMap(\.addresses)) }

    var findings: [Finding] {
        let candidates = interfaces.filter(\.isCandidate)
        guard !candidates.isEmpty else { return [nothingUp] + containers }
        let troubles = candidates.compactMap(trouble) + route
        let good = candidates.filter { trouble($0) == nil }
        let ok = good.map { interface in
            Finding(
                "network.interface", .ok,
                "\(interface.name): \(interface.addresses.listed)"
                    + (interface.multicast == .heard ? "; multicast is sent and heard" : ""))
        }
        return troubles + ok + containers
    }

    private var nothingUp: Finding {
        let down = interfaces.filter { !$0.isLoopback && !$0.isOfContainers }.map(\.name)
        return Finding(
            "network.none", .problem,
            down.isEmpty
                ? "this machine has no network interface"
                : "no network interface is up with a cable or radio and an address (\(down.listed))",
            why: "other machines cannot be reached",
            remedy: down.first.map { "plug in the cable or join the Wi-Fi; then: ip address show dev \($0)" })
    }

    private func trouble(_ interface: Interface) -> Finding? {
        let name = interface.name
        guard interface.allowsMulticast else {
            return Finding(
                "network.no-multicast", .problem, "\(name) does not allow multicast", why: Self.whyMulticast,
                remedy: "sudo ip link set \(name) multicast on")
        }
        switch interface.multicast {
        case .notHeard:
            return Finding(
                "network.multicast-blocked", .problem,
                "\(name): what is sent to 224.0.0.251 is not heard, not even here",
                why: "a firewall on this machine drops it, so peers are not found", remedy: Self.firewallRemedy)
        case .notSent(let code):
            return Finding(
                "network.multicast-blocked", .problem,
                "\(name): nothing can be sent to 224.0.0.251: \(String(cString: strerror(code)))",
                why: code == EPERM
                    ? "a firewall on this machine forbids it, so peers are not found" : Self.whyMulticast,
                remedy: code == EPERM ? Self.firewallRemedy : "sudo ip route replace 224.0.0.0/4 dev \(name)")
        case .notTried(let code):
            return Finding(
                "network.multicast-not-tried", .note,
                "\(name): multicast could not be tried: \(String(cString: strerror(code)))")
        case .heard, nil: return nil
        }
    }

    private var route: [Finding] {
        // What forbids it on the interface itself was told of already.
        guard anyRoute != 0, anyRoute != EPERM, let name = interfaces.first(where: \.isCandidate)?.name else {
            return []
        }
        return [
            Finding(
                "network.no-multicast-route", .warning,
                "there is no route for multicast: \(String(cString: strerror(anyRoute)))",
                why: "avahi-daemon does without, but programs and mDNS stacks that name no interface find nobody",
                remedy: "sudo ip route replace 224.0.0.0/4 dev \(name)")
        ]
    }

    private var containers: [Finding] {
        let bridges = interfaces.filter { $0.isOfContainers && $0.isUp && !$0.addressesV4.isEmpty }
        guard !bridges.isEmpty else { return [] }
        let names = bridges.map(\.name)
        return [
            Finding(
                "network.container-bridge", .note,
                "bridges of containers have addresses: "
                    + bridges.map { "\($0.name) \($0.addressesV4.listed)" }.listed,
                why: "avahi-daemon announces this machine there as well; other machines with such a bridge have the "
                    + "same addresses, and may call themselves",
                remedy: "write deny-interfaces=\(names.joined(separator: ",")) under [server] in "
                    + "/etc/avahi/avahi-daemon.conf; then: sudo systemctl restart avahi-daemon")
        ]
    }

    private static let whyMulticast = "peers are found by multicast (mDNS)"
    private static let firewallRemedy =
        "let UDP 5353 through: sudo firewall-cmd --add-service=mdns, sudo ufw allow 5353/udp, or see: "
        + "sudo nft list ruleset"
}
