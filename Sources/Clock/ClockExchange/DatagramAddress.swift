import Glibc

/// The address of a broadcaster's clock: a numeric IP address and a UDP port.
public struct DatagramAddress: Hashable, Sendable {
    /// A socket address in the kernel's form.
    let bytes: [UInt8]

    /// Returns nil unless `numericHost` is an IPv4 or IPv6 address, the latter with a `%scope` if it is link-local.
    ///
    /// Does not resolve names.
    public init?(numericHost: String, port: UInt16) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(numericHost, String(port), &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        guard let address = found.pointee.ai_addr else { return nil }
        bytes = [UInt8](UnsafeRawBufferPointer(start: address, count: Int(found.pointee.ai_addrlen)))
    }
}
