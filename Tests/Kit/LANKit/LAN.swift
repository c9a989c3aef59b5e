import Glibc
import SoundCardKit

/// LANKit: several hosts on this one machine, joined by an Ethernet, for end-to-end tests. Needs root and iproute2;
/// for discovery dbus-daemon and avahi-daemon. A host hangs on it by a cable or by a radio (``HostLink``).
///
/// A host is a set of namespaces (see `lan-host`): an interface `eth0` of its own, D-Bus and Avahi of its own, a
/// monotonic clock that may stand hours away and drift (``HostClock``), a wall clock likewise. What is run in it sees
/// the same file system but for `/run` and `/proc`.
///
///     let lan = try LAN(hosts: 3)
///     let card = SoftwareCard(ppm: 40, recording: lan.path("one.wav"))
///     let listener = try lan[1].spawn(["/path/tutti", "join"], card: card)
///     try listener.waitForLine(containing: "playing", within: 5)
///     listener.signal(SIGINT)
///     #expect(try listener.wait(within: 3) == .exited(0))
///
/// Nothing touches the machine's real interfaces: cables are made inside the namespaces. Every host hangs on a pipe
/// that this object holds, so that all is taken down by the kernel, with every process in it, when the object is
/// released, and also when this process is killed.
public final class LAN {
    public let hosts: [LANHost]
    /// Where logs, configurations and state of this LAN's processes lie; removed with it.
    public var directory: String { place.path }
    /// Keeps ``directory`` when the LAN is taken down, for a look at what went wrong.
    public var keepsDirectory: Bool {
        get { place.isKept }
        set { place.isKept = newValue }
    }
    private let place: TemporaryDirectory
    private let bridge: Namespaces

    /// A LAN of hosts `host1`, `host2`, ... with discovery running and addresses 10.77.0.1, ...
    public convenience init(hosts count: Int) throws {
        try self.init(hosts: Array(repeating: HostOptions(), count: count))
    }

    public init(hosts options: [HostOptions]) throws {
        guard geteuid() == 0 else { throw LANError.needsRoot }
        place = try TemporaryDirectory(kind: "lan")
        // For programs on the hosts that are not root.
        chmod(place.path, 0o755)
        bridge = try Namespaces(name: "bridge", clockOffsetSeconds: 0)
        try bridge.configureNetwork([
            "ip link add bridge0 type bridge mcast_snooping 0", "ip link set bridge0 up",
        ])
        let start = trueNow()
        var hosts: [LANHost] = []
        for (index, options) in options.enumerated() {
            hosts.append(
                try LANHost(index: index, options: options, clockStart: start, bridge: bridge, in: place.path))
        }
        self.hosts = hosts
        for host in hosts where host.options.hasDiscovery { try host.startDiscovery() }
    }

    deinit {
        for host in hosts { host.tearDown() }
        bridge.tearDown()
    }

    public subscript(index: Int) -> LANHost { hosts[index] }

    /// A path for this name in the LAN's directory.
    public func path(_ name: String) -> String { directory + "/" + name }
}

/// What a host is like.
public struct HostOptions: Sendable {
    public var clock = HostClock()
    /// Runs dbus-daemon and avahi-daemon.
    public var hasDiscovery = true
    public var link = HostLink.cable

    public init(clock: HostClock = HostClock(), hasDiscovery: Bool = true, link: HostLink = .cable) {
        self.clock = clock
        self.hasDiscovery = hasDiscovery
        self.link = link
    }
}

/// How a host's clocks stand against true time; drift counts from the making of the LAN.
public struct HostClock: Sendable {
    /// Added to the monotonic clocks, by the kernel. Not less than minus the machine's uptime.
    public var offsetSeconds: Int
    /// How much faster the monotonic clocks run than true time.
    public var ppm: Double
    /// The same for the wall clock.
    public var realtimeOffsetNanoseconds: Int64
    public var realtimePPM: Double

    public init(
        offsetSeconds: Int = 0, ppm: Double = 0, realtimeOffsetNanoseconds: Int64 = 0, realtimePPM: Double = 0
    ) {
        self.offsetSeconds = offsetSeconds
        self.ppm = ppm
        self.realtimeOffsetNanoseconds = realtimeOffsetNanoseconds
        self.realtimePPM = realtimePPM
    }

    var needsInterposer: Bool { ppm != 0 || realtimeOffsetNanoseconds != 0 || realtimePPM != 0 }
}

/// Why a LAN cannot be made or used.
public enum LANError: Error, CustomStringConvertible {
    case needsRoot
    case system(String, Int32)
    /// A command that belongs to the making of a host failed.
    case commandFailed(String)
    case timedOut(String)

    public var description: String {
        switch self {
        case .needsRoot: "a LAN of namespaces needs root"
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .commandFailed(let command): "failed: \(command)"
        case .timedOut(let what): "timed out: \(what)"
        }
    }
}
