import NIOCore

/// Host and port, as a Host header and an origin have them (RFC 3986 section 3.2).
struct Authority: Equatable {
    enum Host: Equatable {
        /// IPv4, or IPv6 without brackets and zone.
        case address(String)
        /// In lower case, without a dot at its end.
        case name(String)

        var text: String {
            switch self {
            case .address(let text), .name(let text): text
            }
        }
    }

    let host: Host
    /// Nil if none is said.
    let port: UInt16?

    /// As a Host header has it, without an IPv6 address's zone.
    var text: String {
        let host =
            switch host {
            case .address(let text) where text.utf8.contains(UInt8(ascii: ":")): "[\(text)]"
            case .address(let text), .name(let text): text
            }
        return port.map { "\(host):\($0)" } ?? host
    }

    /// Nil for what is neither an address nor a name of letters, digits, dots, hyphens and underscores.
    init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        let end: String.UTF8View.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
                let address = Self.ipv6(String(text[bytes.index(after: bytes.startIndex)..<bracket]))
            else { return nil }
            host = .address(address)
            end = bytes.index(after: bracket)
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            guard let host = Self.host(String(text[..<end])) else { return nil }
            self.host = host
        }
        let rest = text[end...]
        let digits = rest.dropFirst()
        guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ":"),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        port = UInt16(digits)
        guard digits.isEmpty || port != nil else { return nil }
    }

    private static func host(_ text: String) -> Host? {
        if let address = try? SocketAddress(ipAddress: text, port: 0) {
            guard case .v4 = address else { return nil }
            return .address(text)
        }
        let name = text.lowercased().utf8
        let trimmed = name.last == UInt8(ascii: ".") ? name.dropLast() : name[...]
        guard !trimmed.isEmpty, trimmed.allSatisfy(isNameByte) else { return nil }
        return .name(String(decoding: trimmed, as: UTF8.self))
    }

    private static func ipv6(_ text: String) -> String? {
        let address = text.prefix { $0 != "%" }
        guard case .v6? = try? SocketAddress(ipAddress: String(address), port: 0) else { return nil }
        return address.lowercased()
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        // A name outside ASCII may be this machine's.
        default: byte >= 0x80
        }
    }
}
