/// Limits on what mDNS may make this process hold. Records come from anybody on the network.
public enum DiscoveryLimits {
    /// Bytes of one TXT string, key and value together: its length is one byte (RFC 6763 section 6.1).
    public static let txtStringByteCount = 255
    /// Strings read from one TXT record; the rest is ignored.
    public static let txtStringCount = 32
    /// Services resolved at once, counted once for each interface and protocol; others wait.
    ///
    /// avahi-daemon gives one client 1024 objects (`objects-per-client-max`), and each service takes a resolver.
    public static let resolverCount = 960
    /// Services that wait to be followed; any beyond these are unknown until they are announced again.
    public static let waitingServiceCount = 8_192
    /// Addresses kept per peer.
    public static let addressCount = 32
    /// Other names tried if the wanted one is taken.
    public static let renameCount = 1_000
}
