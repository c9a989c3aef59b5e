/// The page for browsers that this process offers.
public struct PageAdvertisement: Hashable, Sendable {
    /// The broadcast's name. The service's is "Tutti: NAME".
    public var name: String
    /// The TCP port on which it is served. Its path is "/".
    public var port: UInt16
    /// Whether it is served by https: another type of service.
    public var isSecure: Bool

    public init(name: String, port: UInt16, isSecure: Bool = false) {
        self.name = name
        self.port = port
        self.isSecure = isSecure
    }
}
