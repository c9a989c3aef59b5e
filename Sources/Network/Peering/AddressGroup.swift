/// Addresses that one owner has, or may have as many of as it likes: an IPv4 address, or an IPv6 network of 64 bits
/// (RFC 4291 section 2.5.4), on its interface where it is a link's own.
struct AddressGroup: Hashable, Sendable {
    private let text: String

    /// - Parameter address: as a connection has it; what is no IPv6 address stands for itself.
    init(_ address: String) {
        let host = address.prefix { $0 != "%" }
        let network = Self.network(of: host)
        // The loopback address, and IPv4 addresses in the form of IPv6, are in the network of zeros.
        guard !network.allSatisfy({ $0 == "0" }) else {
            text = address
            return
        }
        text = network.joined(separator: ":") + "::/64" + address.dropFirst(host.count)
    }

    /// The first four of the eight groups of an IPv6 address (RFC 4291 section 2.2); none for what is not one.
    private static func network(of host: Substring) -> [Substring] {
        let groups = host.split(separator: ":", omittingEmptySubsequences: false)
        let head = groups.prefix { !$0.isEmpty }
        let tail = groups.dropFirst(head.count).drop { $0.isEmpty }
        let isShort = head.count < groups.count
        guard isShort ? head.count + tail.count < 8 : head.count == 8 else { return [] }
        let zeros = Array(repeating: Substring("0"), count: 8 - head.count - tail.count)
        return Array((head + zeros + tail).prefix(4))
    }
}
