import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import Testing

/// Namespaces need root. Under CI=true the tests run regardless, and fail without it.
let mayMakeHosts = geteuid() == 0 || getenv("CI").map { String(cString: $0) } == "true"

/// Three hosts with clocks of their own: a broadcaster and two listeners, whose sound cards are not quite right either.
///
/// Host 1 broadcasts. Monotonic clocks stand hours apart and drift, wall clocks differ by parts of a second: whoever
/// trusts one of them without asking plays out of step.
final class Concert {
    let lan: LAN
    let stalls = StallLogger()
    let cards: [SoftwareCard]
    let program: String

    static let clocks = [
        HostClock(realtimeOffsetNanoseconds: 150_000_000, realtimePPM: -20),
        HostClock(offsetSeconds: 7_200, ppm: 30, realtimeOffsetNanoseconds: -20_000_000, realtimePPM: 15),
        HostClock(offsetSeconds: 86_400, ppm: -45, realtimeOffsetNanoseconds: -60_000_000, realtimePPM: 35),
    ]
    static let ppm = [0, 40.0, -35.0]

    /// - Parameter program: the binary of every peer.
    init(program: String = buildDirectory + "/tutti") throws {
        self.program = program
        let lan = try LAN(hosts: Self.clocks.map { HostOptions(clock: $0) })
        cards = Self.ppm.enumerated().map { SoftwareCard(ppm: $1, recording: lan.path("heard\($0 + 1).wav")) }
        self.lan = lan
    }

    /// Starts `tutti` on a host, by its index.
    func start(_ arguments: [String], on host: Int) throws -> LANProcess {
        try lan[host].spawn([program] + arguments, card: cards[host])
    }

    /// Two listeners, known to mDNS for two seconds.
    func startListeners() throws -> [LANProcess] {
        let listeners = try (1...2).map { try start(["join", "--once"], on: $0) }
        usleep(2_500_000)
        return listeners
    }

    func recording(of host: Int) throws -> HeardRecording { try HeardRecording(path: cards[host].recording) }

    /// What to say of a run that failed.
    func account(of processes: [LANProcess]) -> String {
        lan.keepsDirectory = true
        let stalls = stalls.stalls.map { "\(fixed(Double($0.end - $0.start) * 1e-6, 1)) ms" }
        let said = processes.map {
            "\n== \($0.command.suffix(3)):\n\($0.output.suffix(3_000))\($0.errors.suffix(3_000))"
        }
        return "machine stalls: \(stalls); see \(lan.directory)" + said.joined()
    }
}

/// A song in a file, and what it decodes to.
struct SongFile {
    enum Form: CaseIterable {
        case constantBitRate, variableBitRate, wave
    }

    var path: String
    var reference: HeardRecording

    /// Encodes a test song with LAME, and decodes it with mpg123: neither is ours.
    init(_ form: Form, seconds: Double, in lan: LAN) throws {
        let song = TestSong(duration: seconds).recording(sampleRate: 44_100)
        let wave = lan.path("song.wav")
        try song.write(to: wave, format: .int16, sidecar: false)
        guard form != .wave else {
            path = wave
            reference = try HeardRecording(path: wave)
            return
        }
        path = lan.path("song.mp3")
        let rate = form == .constantBitRate ? ["--cbr", "-b", "192"] : ["-V", "2"]
        let decoded = lan.path("decoded.wav")
        try Self.run(lan, ["lame", "--silent"] + rate + [wave, path])
        try Self.run(lan, ["mpg123", "-q", "-e", "f32", "-w", decoded, path])
        reference = try HeardRecording(path: decoded)
    }

    private static func run(_ lan: LAN, _ command: [String]) throws {
        guard try lan[0].run(command, within: 30).status == .exited(0) else {
            throw LANError.commandFailed(command.joined(separator: " "))
        }
    }
}
