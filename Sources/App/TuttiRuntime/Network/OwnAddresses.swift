import NIOCore

/// Addresses at which others may reach this machine.
enum OwnAddresses {
    /// Returns the IPv4 addresses of this machine, for people to type; without those that lead nowhere else.
    static func typed() -> [String] {
        let devices = (try? System.enumerateDevices()) ?? []
        let hosts = devices.compactMap { device -> String? in
            guard case .v4? = device.address, let host = device.address?.ipAddress, !host.hasPrefix("127."),
                !host.hasPrefix("169.254.")
            else { return nil }
            return host
        }
        return hosts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Whether a host is this machine, as far as that can be told without a name server.
    /// - Parameter host: a name or an address, as a user types it.
    static func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        guard let address = try? SocketAddress(ipAddress: String(name.prefix { $0 != "%" }), port: 0).ipAddress else {
            let own = Identity.hostName.lowercased()
            return ["localhost", "ip6-localhost", own, own + ".local"].contains(name)
        }
        // What is sent to no address in particular comes back, too (ip(7)).
        if address.hasPrefix("127.") || ["::1", "0.0.0.0", "::"].contains(address) { return true }
        return ((try? System.enumerateDevices()) ?? []).contains { $0.address?.ipAddress == address }
    }
}
