/// What mDNS may make this process hold. Records come from anybody on the network.
public enum DiscoveryLimits {
    /// Bytes of one TXT string, key and value together: its length is one byte (RFC 6763 section 6.1).
    public static let txtStringByteCount = 255
    /// Strings of one TXT record that are looked at; the rest is ignored.
    public static let txtStringCount = 32
    /// Bytes of UTF-8 of what is playing, so that a whole record stays under 400 bytes (RFC 6763 section 6.2).
    public static let playingByteCount = 120
    /// Services, counted once for each interface and protocol, that are followed at a time; more must wait.
    ///
    /// avahi-daemon gives one client 1024 objects (`objects-per-client-max`), and each service takes a resolver.
    public static let followedServiceCount = 960
    /// Services that wait to be followed; of more nothing is known until they are announced anew.
    public static let waitingServiceCount = 8_192
    /// Addresses kept of one peer.
    public static let addressCount = 32
    /// How many other names are tried when the wanted one is taken.
    public static let renameCount = 1_000
}
