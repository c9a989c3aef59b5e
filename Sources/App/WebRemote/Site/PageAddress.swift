import Glibc
import WireProtocol

/// Where guests find the page: `http://HOST:PORT/`, or the same by https, with a guest's code in the fragment, which no
/// browser sends.
public struct PageAddress: Hashable, Sendable {
    public let host: String
    public let port: UInt16
    /// Whether it is reached by https.
    public let isSecure: Bool
    public let code: String?

    /// - Parameter host: a name, or a numeric address without brackets.
    public init(host: String, port: UInt16, isSecure: Bool = false, code: String? = nil) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.code = code
    }

    /// A page's address.
    /// - Parameter host: of its machine. The name in the page's certificate is preferred: browsers warn of others.
    public init(_ page: PageLocation, host: @autoclosure () -> String, code: String? = nil) {
        switch page.scheme {
        case .http: self.init(host: host(), port: page.port, code: code)
        case .https(let name): self.init(host: name ?? host(), port: page.port, isSecure: true, code: code)
        }
    }

    /// The address at which others of the network most probably reach a page of this machine. Asks the system for its
    /// network interfaces.
    public static func best(_ page: PageLocation, code: String? = nil) -> PageAddress {
        PageAddress(page, host: best(of: InterfaceAddress.all()) ?? "localhost", code: code)
    }

    public var text: String {
        // IPv6 addresses stand in brackets (RFC 3986, section 3.2.2).
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(host):\(port)/" + (code.map { "#\($0)" } ?? "")
    }

    /// Returns the address that guests most probably reach; of equals the first; nil if there is none.
    static func best(of addresses: [InterfaceAddress]) -> String? {
        let usable = addresses.filter { $0.isUsable && $0.rank != nil }
        return usable.enumerated().min { ($0.element.rank ?? 0, $0.offset) < ($1.element.rank ?? 0, $1.offset) }?
            .element.host
    }
}

extension PageAddress: CustomStringConvertible {
    /// Without the code, which is a secret.
    public var description: String { PageAddress(host: host, port: port, isSecure: isSecure).text }
}

/// A numeric address of one of this machine's network interfaces.
struct InterfaceAddress: Hashable, Sendable {
    let host: String
    /// Whether it is up, leads to more than one other machine, and is no loopback: `IFF_UP`, `IFF_RUNNING`,
    /// `IFF_MULTICAST` without `IFF_LOOPBACK` and `IFF_POINTOPOINT` (netdevice(7)).
    let isUsable: Bool

    /// The lower the better: private addresses of homes first, then those that container bridges like to take, then
    /// the others of IPv4, then IPv6. Nil for those that lead nowhere without more.
    var rank: Int? {
        if host.utf8.contains(UInt8(ascii: ":")) {
            let first = host.prefix { $0 != ":" }.lowercased()
            // Link-local ones need an interface's name, which browsers do not take (RFC 4291, section 2.5.6).
            if ["fe8", "fe9", "fea", "feb"].contains(where: { first.hasPrefix($0) }) || host == "::1" { return nil }
            // Unique local addresses (RFC 4193).
            return first.hasPrefix("fc") || first.hasPrefix("fd") ? 4 : 5
        }
        let parts = host.split(separator: ".").compactMap { UInt8($0) }
        guard parts.count == 4 else { return nil }
        switch (parts[0], parts[1]) {
        // Private addresses (RFC 1918).
        case (192, 168): return 0
        case (10, _): return 1
        case (172, 16...31): return 2
        case (127, _), (169, 254), (0, _): return nil
        default: return 3
        }
    }

    /// Returns those of all interfaces, in the system's order; none where it does not tell.
    static func all() -> [InterfaceAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [InterfaceAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, let host = numericHost(address) else { continue }
            addresses.append(InterfaceAddress(host: host, isUsable: isUsable(Int(entry.ifa_flags))))
        }
        return addresses
    }

    private static func isUsable(_ flags: Int) -> Bool {
        let wanted = IFF_UP | IFF_RUNNING | IFF_MULTICAST
        return flags & wanted == wanted
            && flags & (IFF_LOOPBACK | IFF_POINTOPOINT) == 0
    }

    private static func numericHost(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let byteCount: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: byteCount = MemoryLayout<sockaddr_in>.size
        case AF_INET6: byteCount = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(address, socklen_t(byteCount), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return text.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { String(cString: $0) } }
    }
}
