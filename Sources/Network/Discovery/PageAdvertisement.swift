/// The page for browsers that this process offers.
public struct PageAdvertisement: Hashable, Sendable {
    /// The broadcast's name. The service's is "Tutti: NAME".
    public var name: String
    /// The TCP port on which it is served by HTTP. Its path is "/".
    public var port: UInt16

    public init(name: String, port: UInt16) {
        self.name = name
        self.port = port
    }
}
