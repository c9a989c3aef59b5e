import Glibc
import HeardAnalysis
import SoundCardKit
import StreamTestKit
import Testing

/// `tutti broadcast --capture` of the software sound card, recorded and played by real processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CaptureBroadcastTests {
    /// Describes a software card in `asound.conf` whose microphone hears `air`. What it plays goes to `heard.wav`.
    private static func prepare(
        _ air: MicrophoneNoise, ppm: Double = 0, in directory: borrowing TemporaryDirectory
    ) throws -> SoftwareCard {
        var card = SoftwareCard(ppm: ppm, recording: directory.path + "/heard.wav")
        card.source = directory.path + "/air.wav"
        try air.write(to: directory.path + "/air.wav")
        try SoftwareCard.writeConfiguration(to: directory.path + "/asound.conf", default: card)
        return card
    }

    private static func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
    }

    /// Expects every sample of a recording to be as it was in the air, without gaps. Returns how many frames it has.
    private static func frameCount(
        of name: String, recordedFrom air: MicrophoneNoise, in directory: borrowing TemporaryDirectory
    ) throws -> Int {
        try Tool.run("ffmpeg -v error -xerror -y -i \(name) -f s24le \(name).raw", in: directory)
        let samples = try Tool.readFile("\(directory.path)/\(name).raw")
        let first = try #require(air.position(of: samples.prefix(600)))
        let count = samples.count / air.frameByteCount
        // Not in the macro, which would print all samples.
        let isRight = samples == air.frames(first..<first + count)
        #expect(isRight, "\(name) from frame \(first)")
        return count
    }

    /// Command lines of one broadcaster and its listeners.
    private struct Ports {
        let broadcaster = freePort()
        func broadcast(_ arguments: String = "") -> String {
            "ALSA_CONFIG_PATH=$PWD/asound.conf tutti broadcast --capture default --no-mdns --port \(broadcaster) "
                + "\(arguments) > broadcast.log 2> broadcast.err"
        }
        func record(_ name: String) -> String {
            "tutti record --host 127.0.0.1:\(broadcaster) --no-mdns --port \(freePort()) \(name) > \(name).log"
        }
        func join(_ name: String) -> String {
            "tutti join 127.0.0.1:\(broadcaster) --once --no-mdns --port \(freePort()) "
                + "--output file:\(name) > \(name).log"
        }
    }

    /// Two recordings, in WAVE and CAF, equal what was captured, sample for sample.
    @Test func recordingsEqualTheSound() throws {
        let directory = TemporaryDirectory()
        let air = MicrophoneNoise(.integer24, seconds: 8)
        _ = try Self.prepare(air, in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.broadcast()) & b=$!
            \(ports.record("a.wav")) 2>&1 & a=$!
            \(ports.record("c.caf")) 2>&1 & c=$!
            until [ "$(stat -c %s c.caf 2> /dev/null || echo 0)" -gt 600000 ]; do sleep 0.1; done
            until [ "$(stat -c %s a.wav 2> /dev/null || echo 0)" -gt 600000 ]; do sleep 0.1; done
            kill -INT $b; wait $b
            test $? = 130 || exit 1
            wait $a || exit 2
            wait $c || exit 3
            """, in: directory)
        for name in ["a.wav", "c.caf"] {
            #expect(try Self.frameCount(of: name, recordedFrom: air, in: directory) > 96_000)
        }
    }

    /// The broadcast follows a card whose rate is far off: what a listener plays was captured 400 ms before, until the
    /// end.
    @Test(arguments: [80.0]) func theCardsClockIsFollowedWithoutGaps(ppm: Double) throws {
        let directory = TemporaryDirectory()
        let air = MicrophoneNoise(.float32, channels: 1, seconds: 10)
        _ = try Self.prepare(air, ppm: ppm, in: directory)
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.broadcast("--latency 400")) & b=$!
            sleep 1
            \(ports.join("heard.wav")) 2>&1 & j=$!
            until grep -q ": playing" heard.wav.log; do sleep 0.05; done
            sleep 5
            kill -INT $b; wait $b
            wait $j
            """, in: directory)
        let log = try Self.text("heard.wav.log", in: directory)
        #expect(!log.contains("underrun") && !log.contains("starving"), "\(log)")
        let heard = try HeardRecording(path: directory.path + "/heard.wav")
        var reference = try HeardRecording(path: directory.path + "/air.wav")
        reference.segments[0].host.nanoseconds += 400_000_000
        let report = skew(between: reference, and: heard)
        #expect(report.windows.count >= 8, "\(report.windows.count), \(report.unlikeWindows.count) unlike")
        for window in report.windows { #expect(abs(window.skew) < 300e-6, "\(window)") }
    }

    /// When the device vanishes, what was captured is still recorded, and one line says why the broadcast ends.
    @Test func aDeviceThatVanishesEndsTheBroadcastInOneLine() throws {
        let directory = TemporaryDirectory()
        let air = MicrophoneNoise(.integer24, seconds: 8)
        let card = try Self.prepare(air, in: directory)
        try card.setFaults([.goneAt(trueNow() + 2_500_000_000)])
        let ports = Ports()
        try TuttiProcess.run(
            """
            \(ports.broadcast()) & b=$!
            \(ports.record("a.wav")) 2>&1 & a=$!
            wait $b; test $? = 74 || exit 1
            wait $a; test $? = 74 || exit 2
            """, in: directory)
        #expect(
            try Self.text("broadcast.err", in: directory).hasSuffix(
                "tutti: sound device 'default' is gone; connect it again, or choose another (`tutti devices`)\n"))
        _ = try Self.frameCount(of: "a.wav", recordedFrom: air, in: directory)
    }

    @Test func wrongArgumentsAreExplained() throws {
        let directory = TemporaryDirectory()
        _ = try Self.prepare(MicrophoneNoise(seconds: 0.1), in: directory)
        let cases = [
            (64, "--capture ''", "--capture: the name is empty"),
            (64, "--capture default a.mp3", "--capture and songs exclude each other"),
            (64, "--latency 400 a.mp3", "--latency is for --capture NAME"),
            (64, "--capture default --wait 2", "--wait is for songs; --capture begins at once"),
            (
                64, "--capture default --latency 10",
                "--latency takes a whole number from 200 to 9000 milliseconds, not '10'"
            ),
            (64, "", "SONG is missing: tutti broadcast SONG"),
            (69, "--capture nonsense", "no sound device that records is called 'nonsense'; see `tutti devices`"),
        ]
        for (code, arguments, message) in cases {
            try TuttiProcess.run(
                """
                export ALSA_CONFIG_PATH=$PWD/asound.conf
                timeout 10 tutti broadcast --no-mdns \(arguments) > out.log 2> err.log; test $? = \(code)
                """, in: directory)
            let prefix = code == 64 ? "tutti broadcast: " : "tutti: "
            let suffix = code == 64 ? " (see 'tutti broadcast --help')" : ""
            #expect(try Self.text("err.log", in: directory) == prefix + message + suffix + "\n")
        }
    }
}
