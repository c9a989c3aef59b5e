import Glibc
import LANKit
import SoundCardKit
import TestbedKit
import Testing

/// `tutti doctor` on hosts that are well, and on hosts with troubles that were planted there.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .timeLimit(.minutes(5)))
struct DoctorTests {
    private static let program = buildDirectory + "/tutti"
    private static let patience = 40.0

    /// What a doctor said.
    private struct Report {
        let status: LANKit.ExitStatus
        let lines: [Substring]
        let output: String

        init(_ process: LANProcess) throws {
            status = try process.wait(within: patience)
            output = process.output + process.errors
            lines = process.output.split(separator: "\n")
        }

        /// The line of a finding; nil if it was not found.
        func line(_ id: String) -> Substring? { lines.first { $0.contains("\"id\":\"\(id)\"") } }

        /// The names of what is not as it should be.
        var troubles: [String] {
            lines.filter { $0.contains("\"severity\":\"warning\"") || $0.contains("\"severity\":\"problem\"") }
                .compactMap { line in
                    let words = line.split(separator: "\"", omittingEmptySubsequences: false)
                    return words.firstIndex(of: "id").map { String(words[$0 + 2]) }
                }
        }

        func expect(_ ids: String...) {
            for id in ids { #expect(line(id) != nil, "\(id) was not found: \(output)") }
        }
    }

    private static func begin(
        _ lan: LAN, on host: Int, _ arguments: [String] = [], card: SoftwareCard? = nil
    ) throws -> LANProcess {
        try lan[host].spawn([program, "doctor", "--json"] + arguments, card: card)
    }

    private static func waitForBroadcast(_ broadcast: LANProcess) throws {
        try broadcast.waitForLine(containing: "idle", within: 10)
        Testbed.letAnnouncementsPass()
    }

    // MARK: Well

    /// Troubles of the machine on which the tests run are none of the hosts'.
    private static func isOfHost(_ id: String) -> Bool {
        !["rights.", "machine.", "codecs."].contains(where: id.hasPrefix) && id != "sound.xruns"
    }

    @Test func nothingIsInventedOnHostsThatAreWell() throws {
        let lan = try LAN(hosts: 3)
        let broadcast = try lan[0].spawn([Self.program, "broadcast", "--idle"])
        let listener = try lan[1].spawn(
            [Self.program, "join"], card: SoftwareCard(ppm: 20, recording: lan.path("heard.wav")))
        try Self.waitForBroadcast(broadcast)
        let card = SoftwareCard(ppm: -30, recording: lan.path("silence.wav"))
        let report = try Report(Self.begin(lan, on: 2, card: card))
        #expect(report.troubles.filter(Self.isOfHost) == [], "\(report.output)")
        report.expect(
            "network.interface", "avahi.works", "ports.free", "peer.reached", "clock.exact", "sound.device",
            "state.works")
        // Both of them.
        #expect(report.lines.count { $0.contains("\"peer.reached\"") } == 2, "\(report.output)")
        #expect(listener.isRunning && broadcast.isRunning)
    }

    // MARK: Troubles

    /// Each host has its own; the broadcaster's firewall has one for each of those who call it.
    @Test func whatIsPlantedIsNamed() throws {
        let lan = try LAN(hosts: 6)
        let broadcaster = lan[0].address
        try lan[0].forbid([
            "ip saddr \(lan[2].address) udp dport 28884 drop",
            "ip saddr \(lan[3].address) udp dport 28884 reject",
            "ip saddr \(lan[4].address) tcp dport 28884 drop",
            "ip saddr \(lan[5].address) tcp dport 28884 reject with tcp reset",
        ])
        let broadcast = try lan[0].spawn([Self.program, "broadcast", "--idle"])
        try Self.waitForBroadcast(broadcast)

        try lan[1].stopAvahi()
        try lan[1].removeMulticastRoute()
        let busy = SoftwareCard(recording: lan.path("busy.wav"))
        try busy.setFaults([.busy])
        try lan[2].forbid(["udp dport 5353 drop"])
        var unstamped = SoftwareCard(recording: lan.path("unstamped.wav"))
        unstamped.stamps = .real

        let processes = try [
            Self.begin(lan, on: 1, [broadcaster], card: busy),
            Self.begin(lan, on: 2, [broadcaster], card: unstamped),
            Self.begin(lan, on: 3, ["--no-sound"]),
            Self.begin(lan, on: 4, ["--no-sound"]),
            Self.begin(lan, on: 5, ["--no-sound"]),
        ]
        let reports = try processes.map { try Report($0) }
        reports[0].expect("avahi.not-running", "network.no-multicast-route", "sound.busy", "peer.reached")
        reports[1].expect("avahi.not-seen", "sound.no-time-stamps", "clock.udp-silent")
        reports[2].expect("avahi.works", "clock.udp-refused")
        reports[3].expect("peer.tcp-silent")
        reports[4].expect("peer.tcp-refused")
        for report in reports.prefix(2) { #expect(report.status == .exited(2), "\(report.output)") }
        // The other family of addresses leads there.
        for report in reports.suffix(3) { #expect(report.status == .exited(1), "\(report.output)") }
    }

    /// Another machine answers for the broadcaster's name.
    @Test func aLiarIsNamed() throws {
        let lan = try LAN(hosts: 3)
        let broadcast = try lan[0].spawn([Self.program, "broadcast", "--idle"])
        try Self.waitForBroadcast(broadcast)
        let liar = try lan[1].spawn(["python3", "-u", "-c", Self.liar, "host1.local", "10.77.0.99"])
        try liar.waitForLine(containing: "READY", within: 10)
        let report = try Report(Self.begin(lan, on: 2, ["--no-sound"]))
        report.expect("mdns.liar")
        #expect(report.line("mdns.liar")?.contains(lan[1].address) == true, "\(report.output)")
        #expect(report.line("mdns.liar")?.contains("10.77.0.99") == true, "\(report.output)")
    }

    /// Answers every question for a host's address with a wrong one (RFC 1035 section 4.1), only to those who ask from
    /// a port of their own: caches of daemons stay true.
    private static let liar = """
        import socket, struct, sys

        name, lie = sys.argv[1].lower().encode(), socket.inet_aton(sys.argv[2])
        wanted = b''.join(bytes([len(label)]) + label for label in name.split(b'.')) + b'\\0'
        group = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        group.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        group.bind(('', 5353))
        group.setsockopt(
            socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton('224.0.0.251') + socket.inet_aton('0.0.0.0'))
        print('READY')
        while True:
            packet, sender = group.recvfrom(9000)
            question = packet[12:12 + len(wanted)]
            if sender[1] == 5353 or question.lower() != wanted:
                continue
            answer = packet[:2] + struct.pack('>5H', 0x8400, 1, 1, 0, 0) + packet[12:16 + len(wanted)]
            group.sendto(answer + struct.pack('>3HIH', 0xC00C, 1, 1, 10, 4) + lie, sender)
        """

    /// 10 ms longer one way than the other: exchanges of the clock show how long both take together, and no more.
    @Test func aLongWayToTheClockIsNamed() throws {
        var link = RadioLink.wiFi(seed: 1)
        (link.baseDelayNanoseconds, link.jitterNanoseconds) = (200_000, 100_000)
        link.asymmetryNanoseconds = 10_000_000
        (link.spikeProbability, link.loss) = (0, 0)
        let lan = try LAN(hosts: [HostOptions(), HostOptions(link: .radio(link))])
        let broadcast = try lan[0].spawn([Self.program, "broadcast", "--idle"])
        try Self.waitForBroadcast(broadcast)
        let report = try Report(Self.begin(lan, on: 1, ["--no-sound"]))
        #expect(report.line("clock.long-path")?.contains("\"severity\":\"warning\"") == true, "\(report.output)")
    }

    // MARK: Without rights

    /// An ordinary user, whose state directory is another's, and who is granted nothing.
    @Test func whatAUserMayNotIsNamed() throws {
        let lan = try LAN(hosts: 1)
        let (program, state) = (lan.path("tutti"), lan.path("state"))
        #expect(try lan[0].run(["cp", Self.program, program]).status == .exited(0))
        chmod(program, 0o755)
        #expect(try lan[0].run(["install", "-d", "-m", "755", "\(state)/tutti"]).status == .exited(0))
        let report = try Report(
            lan[0].spawn([
                "prlimit", "--rtprio=0:0", "--memlock=0:0", "setpriv", "--reuid", "65534", "--regid", "65534",
                "--clear-groups", "env", "XDG_STATE_HOME=\(state)", program, "doctor", "--json", "--no-sound",
            ]))
        report.expect("rights.no-priority", "rights.no-locked-memory", "state.not-writable", "avahi.works")
        #expect(report.status == .exited(2), "\(report.output)")
    }

    // MARK: Both ends

    /// What is wrong at the other end is told by a member of the household, and by nobody else.
    @Test func aMemberSaysWhatIsWrongThere() throws {
        let lan = try LAN(hosts: 3)
        func run(_ words: [String], on host: Int) throws {
            let ended = try lan[host].run([Self.program] + words, within: 30)
            #expect(ended.status == .exited(0), "tutti \(words): \(ended.output)")
        }
        try run(["household", "create"], on: 0)
        let invitation = lan.path("invitation")
        let invite = "'\(Self.program)' household invite > '\(invitation)'"
        #expect(try lan[0].run(["sh", "-c", invite]).status == .exited(0))
        let founder = try lan[0].spawn([Self.program, "broadcast", "--idle"])
        try founder.waitForLine(containing: "members of the household Home", within: 10)
        let member = try lan[1].spawn([Self.program, "join", "--output", "null", "--household", invitation])
        try member.waitForLine(containing: "members of the household Home", within: 20)
        try lan[1].removeMulticastRoute()
        Testbed.letAnnouncementsPass()

        let processes = try [
            Self.begin(lan, on: 0, ["--no-sound", lan[1].address]), Self.begin(lan, on: 2, ["--no-sound"]),
        ]
        let reports = try processes.map { try Report($0) }
        let told = reports[0].line("network.no-multicast-route")
        #expect(told?.contains("\"machine\":\"host2\"") == true, "\(reports[0].output)")
        #expect(reports[1].line("network.no-multicast-route") == nil, "\(reports[1].output)")
        #expect(reports[1].line("remote.not-told") != nil, "\(reports[1].output)")
    }

    // MARK: The command line

    @Test func whatExcludesEachOtherIsRefused() throws {
        let lan = try LAN(hosts: [HostOptions(hasDiscovery: false)])
        let refused = try lan[0].run([Self.program, "doctor", "--no-sound", "--device", "hw:0"])
        #expect(refused.status == .exited(64))
    }
}
