/// A host name or address as the user wrote it, with a port.
public struct NetworkAddress: Hashable, Sendable {
    /// The port on which every Tutti listens unless told otherwise: TCP, and UDP as well.
    ///
    /// Not assigned by IANA, and below Linux's ephemeral range (32768-60999), so nothing takes it by accident.
    public static let defaultPort: UInt16 = 28884

    public var host: String
    public var port: UInt16

    public init(host: String, port: UInt16 = NetworkAddress.defaultPort) {
        self.host = host
        self.port = port
    }

    /// Whether the host is a literal address of IPv6; a name is none.
    public var isIPv6: Bool { host.contains(":") }

    /// Parses `host`, `host:port`, `v6`, `[v6]` or `[v6]:port`. Returns nil for anything else.
    public init?(parsing text: String) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let inside = String(text[text.index(after: text.startIndex)..<end])
            self.init(host: inside, portSuffix: text[text.index(after: end)...])
        } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            self.init(host: String(text[..<colon]), portSuffix: text[colon...])
        } else {
            self.init(host: text, portSuffix: "")
        }
    }

    private init?(host: String, portSuffix: Substring) {
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
        guard !portSuffix.isEmpty else {
            self.init(host: host)
            return
        }
        // `UInt16` would accept a plus sign.
        let digits = portSuffix.dropFirst()
        guard portSuffix.hasPrefix(":"), digits.first != "+", let port = UInt16(digits), port > 0 else { return nil }
        self.init(host: host, port: port)
    }
}

extension NetworkAddress: CustomStringConvertible {
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
