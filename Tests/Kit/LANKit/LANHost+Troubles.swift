import Glibc

/// What may befall a host's network and its daemons while programs run on it.
extension LANHost {
    /// Takes the cable out at its other end, or puts it back: the interface keeps its addresses and loses its carrier.
    public func setCable(isIn: Bool) throws {
        try bridge.configureNetwork(["ip link set \(name) \(isIn ? "up" : "down")"])
    }

    /// Replaces the IPv4 address of eth0, as a DHCP server may.
    public func changeAddress(to new: String) throws {
        try namespaces.configureNetwork(["ip -4 address flush dev eth0"])
        try setAddress(new)
    }

    /// Limits what this host is sent, counted in Ethernet frames, by a token bucket; nil takes the limit away.
    /// - Parameter queueByteCount: what waits before it at most, as in a router; nil is half a second.
    public func limitRate(bitsPerSecond: Int?, queueByteCount: Int? = nil) throws {
        let queue = queueByteCount.map { "limit \($0)" } ?? "latency 500ms"
        let bucket = bitsPerSecond.map { "replace dev \(name) root tbf rate \($0)bit burst 4kb \(queue)" }
        try bridge.configureNetwork(["tc qdisc \(bucket ?? "del dev \(name) root")"])
    }

    /// Stops all UDP that leaves this host from a port, as a firewall would; TCP and other ports go on.
    /// UDP is 17, since its name is known only where /etc/protocols is.
    public func blockDatagrams(fromPort port: Int) throws {
        try namespaces.configureNetwork(
            ["-4", "-6"].map { "ip \($0) rule add ipproto 17 sport \(port) prohibit" })
    }

    /// Sets up a firewall of nftables for what comes to this host: it accepts all but what a rule forbids. Call it
    /// once.
    /// - Parameter rules: as nft(8) has them: `udp dport 5353 drop`.
    public func forbid(_ rules: [String]) throws {
        let chain = "input { type filter hook input priority 0 ; policy accept ; }"
        try namespaces.configureNetwork(
            ["nft add table inet host", "nft add chain inet host \(chain)"]
                + rules.map { "nft add rule inet host input \($0)" })
    }

    /// Takes away the route for multicast: programs that name no interface can send none.
    public func removeMulticastRoute() throws {
        try namespaces.configureNetwork(["ip route del 224.0.0.0/4"])
    }

    /// Ends avahi-daemon; ``startAvahi()`` starts it again.
    public func stopAvahi(with signal: Int32 = SIGTERM) throws {
        avahi?.signal(signal)
        _ = try avahi?.wait(within: 5)
        avahi = nil
        unlink("\(namespaces.root)/run/avahi-daemon/pid")
        unlink("\(namespaces.root)/run/avahi-daemon/socket")
    }

    /// Ends dbus-daemon, and avahi-daemon, which does not outlive its bus; ``startDiscovery()`` starts both again.
    public func stopBus(with signal: Int32 = SIGTERM) throws {
        dbus?.signal(signal)
        _ = try dbus?.wait(within: 5)
        dbus = nil
        try stopAvahi()
    }
}
