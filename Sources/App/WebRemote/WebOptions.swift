import TuttiRuntime

/// The options of the page for browsers; acted on by ``WebRemote``.
public struct WebOptions: Sendable {
    /// The page's port, and how many are tried from there on.
    public static let standardPort: UInt16 = 28_885
    public static let portCount = 5

    /// The port to be tried first.
    public var port = Self.standardPort
    /// How many ports are tried, one after the other.
    public var portCount = Self.portCount
    /// Whether those without a code may add songs, in open mode: as ``BroadcastOptions/acceptsSongs``.
    public var acceptsSongs = false
    /// Who may listen and command: as ``NetworkOptions/access``.
    public var access = AccessPolicy()
    /// For https; nil for plain HTTP. Its files are looked at again while the page is there.
    public var certificate: PageCertificate?
    /// Names by which browsers may call this machine.
    public var names = [Identity.hostName]
    /// Where the broadcast offers its local socket: as ``NetworkOptions/localSockets``.
    public var localSockets: [LocalSocketDirectory] = [.standard]

    public init() {}
}
