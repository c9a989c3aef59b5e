import Glibc
import HeardAnalysis
import LANKit
import TestbedKit
import Testing

/// Two listeners on a real PulseAudio, by ALSA's plugin for it: what its sink emitted of either, sample by sample.
///
/// What the server allows: its plugin does not know the delay but reckons it, between answers of the server that are up
/// to 1.5 s apart. While a stream is young the reckoning runs astray, by milliseconds at worst, and what is reckoned of
/// two streams on one sink is apart by some tenths of a millisecond for as long as these songs last. So 2 ms is what is
/// promised, where sound cards of which ALSA knows the clock are within microseconds. What the listeners have against
/// it is told in `GuessFit.swift`, `PCMRewinder.swift` and `DelayValidator.swift`.
///
/// Only what was emitted is compared, and by the medians of whole seconds: the machine may stand still for a while.
@Suite(
    .serialized, .enabled(if: mayMakeHosts, "making hosts needs root"),
    .enabled(if: isOptimized, "needs a release build: real-time code that is not optimized is too slow to be exact"),
    .enabled(if: SoundServer.unpacked != nil, "needs the sound server that Scripts/test unpacks"),
    .timeLimit(.minutes(5)))
struct PulseAudioTests {
    private static let limit = 2e-3

    private let lan: LAN
    private let server: SoundServer

    init() throws {
        lan = try LAN(hosts: [HostOptions(hasDiscovery: false)])
        server = try SoundServer(on: lan[0], of: lan)
    }

    private func tutti(_ name: String, _ arguments: [String]) throws -> LANProcess {
        try lan[0].spawn(
            [buildDirectory + "/tutti"] + arguments + ["--no-mdns", "--name", name],
            environment: server.environment.merging(["XDG_STATE_HOME": lan.path(name)]) { $1 })
    }

    /// Plays a song on both pairs.
    /// - Parameters:
    ///   - options: of the listener on the right pair.
    ///   - age: for how many seconds the listeners are there before.
    private func play(seconds: Double, right options: [String] = [], age: Double = 0) throws -> SkewReport {
        let song = lan.path("song.wav")
        try TestSong(duration: seconds).recording(sampleRate: 48_000).write(to: song, format: .int16, sidecar: false)
        let recorder = try server.record()
        let listeners = try [
            tutti("left", ["join", "--once", "--verbose", "--device", "left", "--port", "28990"]),
            tutti("right", ["join", "--once", "--verbose", "--device", "right", "--port", "28992"] + options),
        ]
        for listener in listeners { try listener.waitForLine(containing: "waiting for a broadcast", within: 20) }
        usleep(useconds_t(age * 1e6))
        let broadcast = try tutti(
            "house",
            ["broadcast", song, "--wait", "2", "--port", "28994"]
                + ["--listener", "127.0.0.1:28990", "--listener", "127.0.0.1:28992"])
        for process in [broadcast] + listeners {
            let status = try process.wait(within: seconds + 60)
            #expect(status == .exited(0), "\(process.output)\(process.errors)")
        }
        for listener in listeners {
            // A device that is not understood is heard in pieces: a sound placed anew each second.
            let count = listener.output.split(separator: "\n").filter { $0.contains("placed again") }.count
            #expect(count <= 2, "\(listener.output)")
        }
        let heard = try SoundServer.heard(by: recorder)
        // All of it is filled, so little must be writable at a wake: a server's cycle is for all of its programs.
        #expect(server.wantedLatencies.count(where: { $0.hasPrefix("tlength=150.00 ms, minreq=5.00 ms") }) >= 2)
        try server.stop()
        var options = SkewOptions()
        options.hop = 0.2
        options.window = 0.2
        let report = skew(between: heard[0], and: heard[1], options: options)
        print("pulseaudio: \(report.summary)")
        return report
    }

    /// The median of each whole second, in seconds; a second in which less than a half could be compared is left out.
    private func medians(of report: SkewReport) throws -> [Double] {
        let start = try #require(report.windows.first?.time)
        return Dictionary(grouping: report.windows) { Int(($0.time - start) * 1e-9) }.values
            .filter { $0.count >= 3 }
            .compactMap { heardPercentile(0.5, of: $0.map(\.skew)) }
    }

    /// The listeners have been there for a while, as listeners have: on a busy machine the server's first answers are
    /// milliseconds off for some seconds.
    @Test func listenersOnASoundServerAreInStep() throws {
        let medians = try medians(of: play(seconds: 9, age: 6))
        #expect(medians.count >= 7)
        for median in medians { #expect(abs(median) < Self.limit) }
    }

    /// The proof of the proof: what is 20 ms apart reads so, whatever the server makes of young streams.
    @Test func aListenerThatIsDelayedReadsSo() throws {
        let medians = try medians(of: play(seconds: 4, right: ["--offset", "20000"]))
        #expect(medians.count >= 2)
        for median in medians { #expect(abs(median - 20e-3) < 10e-3) }
    }

    /// Plugins that cannot work together are refused with a line that says so.
    @Test func aDeviceThatCannotBeSetUpIsRefused() throws {
        let listener = try tutti("none", ["join", "--device", "impossible"])
        #expect(try listener.wait(within: 20) == .exited(69))
        #expect(
            listener.errors.contains("'impossible'") && listener.errors.contains("no set-up"), "\(listener.errors)")
    }
}
