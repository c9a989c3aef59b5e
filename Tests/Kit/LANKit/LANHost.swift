import Glibc
import SoundCardKit

/// One host of a ``LAN``.
public final class LANHost {
    public let name: String
    /// Its IPv4 address.
    public private(set) var address: String
    public let options: HostOptions
    public internal(set) var dbus: LANProcess?
    public internal(set) var avahi: LANProcess?
    /// What carries its frames, where its link is a radio.
    public let radio: Radio?
    let namespaces: Namespaces
    /// Where the other end of its cable is, under the host's name.
    let bridge: Namespaces
    private let directory: String
    private let clockStart: Int64
    private var processCount = 0

    init(index: Int, options: HostOptions, clockStart: Int64, bridge: Namespaces, in directory: String) throws {
        name = "host\(index + 1)"
        address = "10.77.0.\(index + 1)"
        self.options = options
        self.clockStart = clockStart
        self.bridge = bridge
        self.directory = directory + "/" + name
        guard mkdir(self.directory, 0o755) == 0 else { throw LANError.system("mkdir", errno) }
        namespaces = try Namespaces(name: name, clockOffsetSeconds: options.clock.offsetSeconds)
        switch options.link {
        case .cable:
            radio = nil
            try bridge.configureNetwork(["ip link add \(name) type veth peer name eth0 netns \(namespaces.pid)"])
        case .radio(let link): radio = try Radio(link, host: namespaces, bridge: bridge, port: name)
        }
        try bridge.configureNetwork(["ip link set \(name) master bridge0 up"])
        try namespaces.configureNetwork(["ip link set eth0 up"])
        try setAddress(address)
    }

    /// Runs a command here, with this host's clocks.
    /// - Parameters:
    ///   - card: what ALSA's default device is to this command. Without one it has no sound card.
    ///   - environment: added to a small environment of the host's own: its home and state directories, its D-Bus.
    ///   - preloads: libraries that it loads behind this host's clock.
    ///   - descriptors: which of our descriptors become which of its own, from 5 to 9.
    public func spawn(
        _ command: [String], card: SoftwareCard? = nil, environment: [String: String] = [:], preloads: [String] = [],
        descriptors: [Int32: Int32] = [:]
    ) throws -> LANProcess {
        processCount += 1
        let stem = "\(directory)/\(processCount)-\(command[0].split(separator: "/").last ?? "command")"
        var settings = baseEnvironment
        let asound = stem + ".asoundrc"
        try SoftwareCard.writeConfiguration(to: asound, default: card)
        settings["ALSA_CONFIG_PATH"] = asound
        settings.merge(clockEnvironment) { $1 }
        if !preloads.isEmpty {
            settings["LD_PRELOAD"] = ([settings["LD_PRELOAD"]].compactMap(\.self) + preloads).joined(separator: ":")
        }
        settings.merge(environment) { $1 }
        return try LANProcess(
            command: [LANTools.lanHost, "run", "\(namespaces.pid)", directory] + command, environment: settings,
            descriptors: descriptors, log: stem)
    }

    /// Runs a command to its end.
    /// - Returns: how it ended, and what it printed.
    public func run(_ command: [String], within seconds: Double = 10) throws -> (status: ExitStatus, output: String) {
        let process = try spawn(command)
        return (try process.wait(within: seconds), process.output)
    }

    /// The IPv6 address that eth0 gave itself, without its zone; usable a second or two after the host was made.
    public func linkLocalAddress(within seconds: Double) throws -> String {
        var found: String?
        try waitUntil("a link-local address of \(name)", within: seconds) {
            let said = try run(["ip", "-6", "-o", "address", "show", "dev", "eth0", "scope", "link", "-tentative"])
                .output
            found = said.split(separator: " ").first { $0.hasPrefix("fe80:") }.map { String($0.prefix { $0 != "/" }) }
            return found != nil
        }
        return found ?? ""
    }

    /// Starts dbus-daemon and avahi-daemon, and returns when avahi-daemon can be asked.
    public func startDiscovery() throws {
        let bus = try spawn([
            "dbus-daemon", "--nofork", "--nopidfile", "--print-address", "--config-file", try busConfiguration(),
        ])
        dbus = bus
        // Its socket is there a moment before it listens; it says its address when it does.
        try bus.waitForLine(containing: "unix:path=", within: 5)
        try startAvahi()
    }

    /// Starts avahi-daemon, again after ``stopAvahi(with:)``.
    public func startAvahi() throws {
        let daemon = try spawn([
            "avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits", "-f", try avahiConfiguration(),
        ])
        avahi = daemon
        try daemon.waitForFile("\(namespaces.root)/run/avahi-daemon/socket", within: 5)
    }

    func setAddress(_ new: String) throws {
        address = new
        try namespaces.configureNetwork([
            "ip address add \(new)/24 broadcast + dev eth0", "ip route replace 224.0.0.0/4 dev eth0",
        ])
    }

    func tearDown() {
        radio?.tearDown()
        namespaces.tearDown()
    }

    private var baseEnvironment: [String: String] {
        [
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": directory,
            "LANG": "C.UTF-8", "XDG_STATE_HOME": directory + "/state", "XDG_CONFIG_HOME": directory + "/config",
            "XDG_RUNTIME_DIR": directory, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/dbus/system_bus_socket",
        ]
    }

    private var clockEnvironment: [String: String] {
        let clock = options.clock
        guard clock.needsInterposer else { return [:] }
        return [
            "LD_PRELOAD": LANTools.clockInterposer, "TUTTI_CLOCK_START": "\(clockStart)",
            "TUTTI_CLOCK_MONOTONIC_PPM": "\(clock.ppm)", "TUTTI_CLOCK_REALTIME_PPM": "\(clock.realtimePPM)",
            "TUTTI_CLOCK_REALTIME_OFFSET": "\(clock.realtimeOffsetNanoseconds)",
        ]
    }

    private func busConfiguration() throws -> String {
        let path = directory + "/dbus.conf"
        try writeText(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>unix:path=/run/dbus/system_bus_socket</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/><allow own="*"/><allow send_type="method_call"/><allow send_type="signal"/>
                <allow send_requested_reply="true" send_type="method_return"/>
                <allow send_requested_reply="true" send_type="error"/>
                <allow receive_type="method_call"/><allow receive_type="method_return"/>
                <allow receive_type="error"/><allow receive_type="signal"/>
              </policy>
            </busconfig>

            """, to: path)
        return path
    }

    private func avahiConfiguration() throws -> String {
        let path = directory + "/avahi.conf"
        try writeText(
            """
            [server]
            host-name=\(name)
            use-ipv4=yes
            use-ipv6=yes
            allow-interfaces=eth0
            ratelimit-interval-usec=1000000
            ratelimit-burst=1000
            [wide-area]
            enable-wide-area=no
            [publish]
            publish-hinfo=no
            publish-workstation=no

            """, to: path)
        return path
    }
}
