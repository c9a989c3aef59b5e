/// An answer to the question for a host's addresses, as it came over the network.
struct HostAnswer: Hashable, Sendable {
    /// The name that was asked for: `kitchen.local`.
    var host: String
    /// Who answered, by its IPv4 address.
    var sender: String
    var addresses: [String]
    /// Where the question was sent and the answer came.
    var interface: UInt32
}
