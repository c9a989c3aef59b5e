import Glibc
import SoundCardKit
import StreamTestKit
import Testing

/// `tutti record OUT` from the software sound card, by real processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RecordDeviceTests {
    /// A directory whose `ALSA` has a default device that captures this.
    private static func prepare(_ air: MicrophoneNoise, in directory: borrowing TemporaryDirectory) throws
        -> SoftwareCard
    {
        var card = SoftwareCard(recording: directory.path + "/heard.wav")
        card.source = directory.path + "/air.wav"
        try air.write(to: directory.path + "/air.wav")
        try SoftwareCard.writeConfiguration(to: directory.path + "/asound.conf", default: card)
        return card
    }

    private static func run(_ script: String, in directory: borrowing TemporaryDirectory) throws {
        try TuttiProcess.run("export ALSA_CONFIG_PATH=\"$PWD/asound.conf\"; \(script)", in: directory)
    }

    private static func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
    }

    /// The samples of a file as its readers see them.
    private static func samples(_ name: String, in directory: borrowing TemporaryDirectory) throws
        -> [UInt8]
    {
        try Tool.run("ffmpeg -v error -xerror -y -i \(name) -f s24le \(name).raw", in: directory)
        return try Tool.readFile("\(directory.path)/\(name).raw")
    }

    private func expectPart(of air: MicrophoneNoise, _ samples: [UInt8]) throws {
        let first = try #require(air.position(of: samples.prefix(600)))
        let isRight = samples == air.frames(first..<first + samples.count / air.frameByteCount)
        #expect(isRight)
    }

    /// The card's file equals the recording, sample for sample.
    @Test(arguments: ["a.wav", "a.aiff", "a.caf"]) func theFileIsWhatWasInTheAir(name: String) throws {
        let directory = TemporaryDirectory()
        let air = MicrophoneNoise(.integer24, rate: 44_100, seconds: 2)
        _ = try Self.prepare(air, in: directory)
        try Self.run("tutti record --seconds 1 --rate 44100 --channels 2 \(name) > out.log 2> errors", in: directory)
        let samples = try Self.samples(name, in: directory)
        #expect(samples.count == 44_100 * air.frameByteCount)
        try expectPart(of: air, samples)
        let log = try Self.text("out.log", in: directory)
        #expect(
            log == """
                recording 'default', 44100 Hz, 2 channels, 24-bit; Ctrl-C ends
                recorded 1.0 s (44100 frames) into '\(name)'
                completed

                """)
        #expect(try Self.text("errors", in: directory) == "")
    }

    @Test func ctrlCAndKillLeaveWholeFiles() throws {
        let directory = TemporaryDirectory()
        let air = MicrophoneNoise(.integer24, seconds: 4)
        _ = try Self.prepare(air, in: directory)
        try Self.run(
            """
            tutti record a.wav > out.log 2>&1 & a=$!
            until grep -q recording out.log; do sleep 0.05; done
            sleep 1
            kill -INT $a; wait $a || exit 1
            tutti record b.wav > log.b 2>&1 & b=$!
            until [ "$(stat -c %s b.wav 2> /dev/null || echo 0)" -gt 150000 ]; do sleep 0.05; done
            kill -KILL $b; wait $b
            test $? = 137 || exit 2
            """, in: directory)
        for name in ["a.wav", "b.wav"] {
            let samples = try Self.samples(name, in: directory)
            #expect(samples.count > 24_000 * air.frameByteCount)
            try expectPart(of: air, samples)
        }
        let samples = try Self.samples("a.wav", in: directory)
        #expect(
            try Self.text("out.log", in: directory).contains(
                "(\(samples.count / air.frameByteCount) frames) into 'a.wav'"))
    }

    @Test func lossesAreSilenceAndTold() throws {
        let directory = TemporaryDirectory()
        let air = MicrophoneNoise(.integer24, seconds: 4)
        let card = try Self.prepare(air, in: directory)
        try card.setFaults([.xrunAt(trueNow() + 1_000_000_000)])
        try Self.run("tutti record --seconds 2 a.wav > out.log 2> errors", in: directory)
        let words = try Self.text("errors", in: directory).split { !$0.isNumber }.compactMap { Int($0) }
        try #require(words.count == 3)
        let (count, at) = (words[0], words[1])
        #expect(
            try Self.text("errors", in: directory) == """
                tutti: warning: the device lost \(count) frames from frame \(at) on: replaced by silence
                tutti: warning: \(count) frames are missing: replaced by silence

                """)
        let samples = try Self.samples("a.wav", in: directory)
        let size = air.frameByteCount
        let first = try #require(air.position(of: samples.prefix(600)))
        #expect(samples.count == 96_000 * size)
        let expected =
            air.frames(first..<first + at) + [UInt8](repeating: 0, count: count * size)
            + air.frames(first + at + count..<first + 96_000)
        let isRight = samples == expected
        #expect(isRight)
    }

    /// What was recorded is kept, and the line says why it is no more.
    @Test func aLostDeviceAndAFullDiskLeaveWholeFiles() throws {
        let directory = TemporaryDirectory()
        let air = MicrophoneNoise(.integer24, seconds: 6)
        let card = try Self.prepare(air, in: directory)
        try Self.run(
            """
            bash -c 'ulimit -f 500; tutti record a.wav > out.log 2> errors'
            test $? = 73
            """, in: directory)
        #expect(try Self.text("errors", in: directory) == "tutti: writing 'a.wav' failed: File too large\n")
        try card.setFaults([.goneAt(trueNow() + 1_000_000_000)])
        try Self.run("tutti record b.wav > out.log 2> errors; test $? = 74", in: directory)
        #expect(
            try Self.text("errors", in: directory)
                == "tutti: sound device 'default' is gone; connect it again, or choose another (`tutti devices`)\n")
        for name in ["a.wav", "b.wav"] {
            let samples = try Self.samples(name, in: directory)
            #expect(samples.count > 24_000 * air.frameByteCount)
            try expectPart(of: air, samples)
        }
    }

    /// One clear line each, nothing made and nothing lost.
    @Test func whatCannotBeRecordedIsSaid() throws {
        let directory = TemporaryDirectory()
        let card = try Self.prepare(MicrophoneNoise(seconds: 0.1), in: directory)
        try Self.run("printf old > old.wav", in: directory)
        let cases = [
            (64, "--device '' a.wav", "--device: the name is empty"),
            (64, "--rate 7 a.wav", "--rate takes a whole number from 8000 to 192000 hertz, not '7'"),
            (64, "--channels 9 a.wav", "--channels takes a whole number from 1 to 8, not '9'"),
            (64, "--follow a.wav", "--follow is for broadcasts: --from NAME or --host HOST is missing"),
            (
                64, "--from Attic --rate 48000 a.wav",
                "--rate is for sound devices; --from and --host record a broadcast"
            ),
            (69, "--device nonsense a.wav", "no sound device that records is called 'nonsense'; see `tutti devices`"),
            (
                69, "--rate 22050 a.wav",
                "sound device 'default' cannot be used: it runs at 48000 Hz, not at 22050; try 'plug:default', or see "
                    + "`tutti devices`"
            ),
            (73, "old.wav", "'old.wav' exists; --force replaces it"),
            (73, "a.mp3", "'a.mp3' must end with .wav, .aiff, .aifc or .caf: the ending says what is written"),
            (73, "no/a.wav", "cannot create 'no/a.wav': there is no directory 'no'"),
        ]
        for (code, arguments, message) in cases {
            try Self.run(
                "timeout 10 tutti record \(arguments) > out.log 2> err.log; test $? = \(code)", in: directory)
            let prefix = code == 64 ? "tutti record: " : "tutti: "
            let suffix = code == 64 ? " (see 'tutti record --help')" : ""
            #expect(try Self.text("err.log", in: directory) == prefix + message + suffix + "\n")
        }
        try card.setFaults([.busy])
        try Self.run("tutti record a.wav 2> err.log; test $? = 69", in: directory)
        #expect(try Self.text("err.log", in: directory).contains("is in use by another program"))
        try Self.run("test $(cat old.wav) = old && test ! -e a.wav && test ! -e a.mp3", in: directory)
    }

    @Test func devicesThatRecordAreListed() throws {
        let directory = TemporaryDirectory()
        _ = try Self.prepare(MicrophoneNoise(seconds: 0.1), in: directory)
        try Self.run("tutti devices --json > list 2> /dev/null", in: directory)
        let lines = try Self.text("list", in: directory).split(separator: "\n").filter { $0.contains("\"card\"") }
        #expect(lines.count == 2)
        #expect(lines.filter { $0.contains("\"direction\":\"capture\"") }.count == 1)
    }
}
