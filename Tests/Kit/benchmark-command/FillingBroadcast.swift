import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// A broadcast to three listeners. A fourth joins again and again, on a link that carries little more than the song;
/// while it still receives what the others hold, the broadcast is paused.
final class FillingBroadcast {
    private let testbed: Testbed
    private let options: Options
    private let song: String
    private static let lateHost = 4
    private static let listenerCount = 3
    /// In Ethernet frames, with all headers: the song is PCM in 16 bits, with two channels.
    private static let linkRate = Int(1.2 * MarkedSong.rate * 32)
    /// As in an ordinary router.
    private static let queueByteCount = 256 << 10

    init(_ link: LinkKind, _ options: Options) throws {
        self.options = options
        var configuration = Testbed.Configuration()
        configuration.listenerCount = Self.lateHost
        if link == .wifi { configuration.hostsOnRadio = [2, 3, Self.lateHost] }
        testbed = try Testbed(configuration, program: options.common.program)
        song = testbed.lan.path("song.wav")
        try MarkedSong(number: 0, seconds: min(300, 30 + 12 * Double(options.repetitionCount))).write(to: song)
    }

    func run() throws -> [CommandResult] {
        try testbed.lan[Self.lateHost].limitRate(bitsPerSecond: Self.linkRate, queueByteCount: Self.queueByteCount)
        let listeners = try (1...Self.listenerCount).map { try testbed.start(["join", "--once"], on: $0) }
        Testbed.letAnnouncementsPass()
        let broadcast = try KeyedBroadcast(
            ["--repeat", "--wait", "\(Self.listenerCount)", song], on: testbed)
        for host in 1...Self.listenerCount { try testbed.waitForSound(on: host) }
        var given: [(GivenCommand, LateListener)] = []
        for repetition in 1...options.repetitionCount {
            let late = try LateListener(number: repetition, on: Self.lateHost, of: testbed)
            if !late.waitForSound(within: 10) { tell("  the late listener did not sound within 10 s") }
            usleep(UInt32.random(in: 1_500_000...6_000_000))
            given.append((GivenCommand(row: .pauseWhileFilling, time: trueNow()), late))
            broadcast.press(" ")
            usleep(2_000_000)
            broadcast.press(" ")
            usleep(1_000_000)
            try late.end()
            tell("  \(repetition) of \(options.repetitionCount)")
        }
        broadcast.process.signal(SIGTERM)
        for listener in listeners { _ = try listener.wait(within: 10) }
        let ears = try (1...Self.listenerCount).map { Ear(try testbed.recording(of: $0)) }
        return given.map { command, late in
            let nothing = HeardRecording(sampleRate: MarkedSong.rate, channels: 2, samples: [])
            let last = Ear(late.recording ?? nothing)
            let results = [ears, [last], ears + [last]].map { CommandResult(command, $0, testbed.stalls) }
            let delays = results.map { $0.delay.map { "\(fixed($0 * 1e3, 0)) ms" } ?? "never" }
            tell("  silent after \(delays[0]), the late one after \(delays[1])")
            return results[2]
        }
    }
}
