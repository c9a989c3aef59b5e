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
}
