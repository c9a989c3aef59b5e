import Glibc

/// A network address of a peer, without port.
public enum PeerAddress: Hashable, Sendable {
    /// In host byte order: 127.0.0.1 is 0x7F000001.
    case v4(UInt32)
    /// The two halves in host byte order. `scope` is the interface index of a link-local address (fe80::/10), and zero
    /// for all others.
    case v6(high: UInt64, low: UInt64, scope: UInt32)

    /// 4 or 16 bytes in network byte order.
    public var bytes: [UInt8] {
        switch self {
        case .v4(let value): Self.bigEndianBytes(value)
        case .v6(let high, let low, _): Self.bigEndianBytes(high) + Self.bigEndianBytes(low)
        }
    }

    /// The IPv6 scope id (interface index); zero if none is needed.
    public var scope: UInt32 {
        if case .v6(_, _, let scope) = self { scope } else { 0 }
    }

    public var isLoopback: Bool {
        switch self {
        case .v4(let value): value >> 24 == 127
        case .v6(let high, let low, _): high == 0 && low == 1
        }
    }

    /// 169.254.0.0/16 (RFC 3927) or fe80::/10 (RFC 4291 section 2.5.6).
    public var isLinkLocal: Bool {
        switch self {
        case .v4(let value): value >> 16 == 0xA9FE
        case .v6(let high, _, _): high >> 54 == 0xFE80 >> 6
        }
    }

    private static func bigEndianBytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

extension PeerAddress: CustomStringConvertible {
    /// The form that `getaddrinfo` takes; link-local with the interface index: `fe80::1%3`.
    public var description: String {
        let family: Int32 = if case .v4 = self { AF_INET } else { AF_INET6 }
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let start = buffer.baseAddress, inet_ntop(family, bytes, start, socklen_t(buffer.count)) != nil
            else { return "" }
            return String(cString: start)
        }
        return scope == 0 ? text : "\(text)%\(scope)"
    }
}

extension PeerAddress {
    /// The order in which to show and try addresses: routable before link-local, loopback last, v4 before v6.
    var rank: Int {
        let isV6 = if case .v6 = self { 1 } else { 0 }
        return (isLoopback ? 4 : isLinkLocal ? 2 : 0) + isV6
    }
}
