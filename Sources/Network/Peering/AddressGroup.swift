/// Addresses that one owner has, or can have any number of: an IPv4 address, or a 64-bit IPv6 network (RFC 4291 section
/// 2.5.4), with its interface if it is link-local.
struct AddressGroup: Hashable, Sendable {
    private let text: String

    /// - Parameter address: as given by a connection; anything but an IPv6 address is a group of its own.
    init(_ address: String) {
        let host = address.prefix { $0 != "%" }
        let network = Self.network(of: host)
        // The loopback address and IPv4-mapped addresses are in the all-zeros network.
        guard !network.allSatisfy({ $0 == "0" }) else {
            text = address
            return
        }
        text = network.joined(separator: ":") + "::/64" + address.dropFirst(host.count)
    }

    /// Returns the first four of the eight groups of an IPv6 address (RFC 4291 section 2.2); none for anything else.
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
