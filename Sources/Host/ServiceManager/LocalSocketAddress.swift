import Glibc

/// The address of a local socket: a path or, with `@` in front, a name of Linux's abstract namespace (unix(7)).
struct LocalSocketAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Returns nil for what is neither an absolute path nor a name, or is too long for an address.
    init?(_ text: String) {
        var bytes = Array(text.utf8)
        switch bytes.first {
        case UInt8(ascii: "/"): bytes.append(0)
        case UInt8(ascii: "@"): bytes[0] = 0
        default: return nil
        }
        guard bytes.count > 1, bytes.count <= Self.capacity else { return nil }
        self.bytes = bytes
    }

    /// Of `sun_path`.
    private static let capacity = 108

    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // The length says where a name ends: it may hold zeros.
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + bytes.count } ?? 0
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
