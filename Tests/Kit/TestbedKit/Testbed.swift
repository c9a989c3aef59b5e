import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit

/// TestbedKit: a broadcaster and its listeners on a LAN of namespaces, and what was heard of them.
///
/// Host 0 broadcasts, the others listen. Their monotonic clocks stand hours apart and run up to 50 ppm off, their wall
/// clocks differ by parts of a second, and their sound cards are not quite right either: whoever trusts one of them
/// without asking plays out of step.
public final class Testbed {
    /// How many listeners there are, what links they have, and what they play on.
    public struct Configuration: Sendable {
        public var listenerCount = 2
        /// Listeners, by host, whose link is a radio.
        public var hostsOnRadio: Set<Int> = []
        /// The radio, by its seed.
        public var radio: @Sendable (UInt64) -> RadioLink = { .wiFi(seed: $0) }
        /// The cards' delay moves once a burst only.
        public var hasCoarseCards = false
        /// Of the radio links.
        public var seed: UInt64 = 1

        public init() {}
    }

    public let lan: LAN
    public let stalls = StallLogger()
    public let cards: [SoftwareCard]
    public let program: String
    public let configuration: Configuration

    /// What differs between hosts; a ninth listener would be like the first again.
    private static let listenerClocks = [
        HostClock(offsetSeconds: 7_200, ppm: 50, realtimeOffsetNanoseconds: -20_000_000, realtimePPM: 15),
        HostClock(offsetSeconds: 86_400, ppm: -50, realtimeOffsetNanoseconds: -60_000_000, realtimePPM: 35),
        HostClock(offsetSeconds: 3_600, ppm: -20, realtimeOffsetNanoseconds: 90_000_000, realtimePPM: -10),
        HostClock(offsetSeconds: 43_200, ppm: 35, realtimeOffsetNanoseconds: -5_000_000, realtimePPM: 5),
        HostClock(offsetSeconds: 10_800, ppm: -35, realtimeOffsetNanoseconds: 250_000_000, realtimePPM: -40),
        HostClock(offsetSeconds: 14_400, ppm: 10, realtimeOffsetNanoseconds: -120_000_000, realtimePPM: 20),
        HostClock(offsetSeconds: 172_800, ppm: -5, realtimeOffsetNanoseconds: 30_000_000, realtimePPM: -25),
        HostClock(offsetSeconds: 18_000, ppm: 25, realtimeOffsetNanoseconds: -80_000_000, realtimePPM: 50),
    ]
    private static let cardPPM = [40.0, -35, 12, -18, 27, -8, 35, -40]

    /// - Parameter program: the binary of every peer.
    public init(_ configuration: Configuration = Configuration(), program: String = buildDirectory + "/tutti") throws {
        self.program = program
        self.configuration = configuration
        var hosts = [HostOptions(clock: HostClock(realtimeOffsetNanoseconds: 150_000_000, realtimePPM: -20))]
        for host in 1...configuration.listenerCount {
            let link = configuration.radio(configuration.seed &* 100 &+ UInt64(host))
            hosts.append(
                HostOptions(
                    clock: Self.listenerClocks[(host - 1) % Self.listenerClocks.count],
                    link: configuration.hostsOnRadio.contains(host) ? .radio(link) : .cable))
        }
        let lan = try LAN(hosts: hosts)
        let ppm = [0] + (0..<configuration.listenerCount).map { Self.cardPPM[$0 % Self.cardPPM.count] }
        cards = ppm.enumerated().map { host, ppm in
            SoftwareCard(ppm: ppm, recording: lan.path("heard\(host).wav"), isCoarse: configuration.hasCoarseCards)
        }
        self.lan = lan
    }

    /// The hosts that listen.
    public var listeningHosts: ClosedRange<Int> { 1...configuration.listenerCount }

    /// Starts `tutti` on a host.
    public func start(_ arguments: [String], on host: Int) throws -> LANProcess {
        try lan[host].spawn([program] + arguments, card: cards[host])
    }

    /// All listeners, known to mDNS for two seconds.
    public func startListeners() throws -> [LANProcess] {
        let listeners = try listeningHosts.map { try start(["join", "--once"], on: $0) }
        Self.letAnnouncementsPass()
        return listeners
    }

    /// Lets two seconds pass, and half a one for programs to start: as long as mDNS repeats what is new, nobody can see
    /// from outside whether it is known to all.
    public static func letAnnouncementsPass() { usleep(2_500_000) }

    public func recording(of host: Int) throws -> HeardRecording { try HeardRecording(path: cards[host].recording) }

    /// Waits until a host's card has sounded.
    public func waitForSound(on host: Int, within seconds: Double = 10) throws {
        try waitUntil("sound on host \(host)", within: seconds) {
            (try? recording(of: host))?.firstAudibleFrame() != nil
        }
    }

    /// What to say of a run that failed.
    public func account(of processes: [LANProcess]) -> String {
        lan.keepsDirectory = true
        let stalls = stalls.stalls.map { "\(fixed(Double($0.end - $0.start) * 1e-6, 1)) ms" }
        let said = processes.map {
            "\n== \($0.command.suffix(3)):\n\($0.output.suffix(3_000))\($0.errors.suffix(3_000))"
        }
        return "machine stalls: \(stalls); see \(lan.directory)" + said.joined()
    }
}
