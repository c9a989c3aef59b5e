import Glibc
import func LANKit.undisturbed
import SoundCardKit
import StreamTestKit
import Testing

/// The programs that articles are made of, on the software sound card.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ExampleTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    private static func text(_ path: String) throws -> String {
        String(decoding: try Tool.readFile(path), as: UTF8.self)
    }

    private static func prepare(_ card: SoftwareCard, in directory: borrowing TemporaryDirectory) throws {
        try SoftwareCard.writeConfiguration(to: directory.path + "/asound.conf", default: card)
    }

    @Test(arguments: [
        ("Sound/AudioQueueServices/AudioQueueServices.docc/PlayingAFile", "example-play"),
        ("Sound/AudioQueueServices/AudioQueueServices.docc/RecordingToAFile", "example-record"),
        ("App/TuttiRuntime/TuttiRuntime.docc/EmbeddingTutti", "example-embed"),
    ])
    func theArticleIsTheProgram(article: String, program: String) throws {
        var code: [Substring] = []
        var isCode = false
        let lines = try Self.text(Self.root + "/Sources/\(article).md")
            .split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines {
            if line.hasPrefix("```") {
                isCode = line == "```swift"
            } else if isCode {
                code.append(line)
            }
        }
        let source = try Self.text(Self.root + "/Tests/Kit/\(program)/main.swift")
        #expect(code.joined(separator: "\n") + "\n" == source)
    }

    @Test(arguments: ["song.wav", "song.mp3"]) func aFileIsPlayed(name: String) throws {
        // A program that came too late left frames of silence amid the song.
        let (song, heard) = try undisturbed(unless: { Self.isInterrupted($0.heard) }) { try play(name) }
        if name == "song.wav" {
            let isSame = heard == song
            #expect(isSame, "\(heard.count) bytes of \(song.count)")
        } else {
            // To the frame, but for those at the ends that the codec leaves at zero.
            #expect(abs(heard.count / 4 - song.count / 4) < 48)
        }
    }

    private static func isInterrupted(_ samples: [UInt8]) -> Bool {
        stride(from: 0, to: samples.count, by: 4).contains { samples[$0..<$0 + 4].allSatisfy { $0 == 0 } }
    }

    /// Samples of the song, none of which is zero, and what was heard from the first frame to the last that is not
    /// silence: both 16 bits of two channels.
    private func play(_ name: String) throws -> (song: [UInt8], heard: [UInt8]) {
        let directory = TemporaryDirectory()
        var card = SoftwareCard(recording: directory.path + "/heard.wav")
        card.formats = ["S16_LE"]
        try Self.prepare(card, in: directory)
        try Tool.run(
            "sox -R -r 48000 -n -b 16 -c 2 -D song.wav synth 2 square 220 square 331 remix 1v0.3,2v0.2 1v0.2,2v0.1 && "
                + "lame --quiet -b 128 song.wav song.mp3", in: directory)
        try TuttiProcess.run(
            "export ALSA_CONFIG_PATH=\"$PWD/asound.conf\"; example-play \(name) 2> errors", in: directory)
        #expect(try Self.text(directory.path + "/errors") == "")
        try Tool.run(
            "for f in song.wav heard.wav; do ffmpeg -v error -y -i $f -f s16le $f.raw; done", in: directory)
        let heard = try Tool.readFile(directory.path + "/heard.wav.raw")
        let first = (heard.firstIndex { $0 != 0 } ?? heard.endIndex) / 4 * 4
        let last = (heard.lastIndex { $0 != 0 }.map { $0 / 4 * 4 + 4 }) ?? first
        return (Array(try Tool.readFile(directory.path + "/song.wav.raw")), Array(heard[first..<last]))
    }

    @Test func aSongIsBroadcastAndHeard() throws {
        let directory = TemporaryDirectory()
        try Self.prepare(SoftwareCard(recording: directory.path + "/heard.wav"), in: directory)
        try Tool.run("sox -R -r 48000 -n -b 16 -c 2 song.wav synth 2 sine 220", in: directory)
        let port = freePort()
        try TuttiProcess.run(
            """
            export ALSA_CONFIG_PATH="$PWD/asound.conf"
            example-embed broadcast song.wav \(port) > told 2>&1 &
            example-embed listen 127.0.0.1:\(port) > heard 2>&1
            wait $!
            """, in: directory)
        let (told, heard) = (try Self.text(directory.path + "/told"), try Self.text(directory.path + "/heard"))
        #expect(
            told.contains("port \(port)\n") && told.contains("joined: ") && told.contains("ended, 2.0 s\n"), "\(told)")
        #expect(heard.contains("playing, "), "\(heard)")
        try Tool.run("test $(sox heard.wav -n stat 2>&1 | awk '/Maximum amp/ { print ($3 > 0.5) }') = 1", in: directory)
    }

    @Test func anInterruptEndsItCleanly() throws {
        let directory = TemporaryDirectory()
        try Tool.run("sox -R -r 48000 -n -b 16 -c 2 song.wav synth 2 sine 220", in: directory)
        try TuttiProcess.run(
            """
            example-embed broadcast song.wav \(freePort()) > told 2>&1 &
            while ! ls /proc/$!/task/*/comm | xargs grep -qs clock-answer; do sleep 0.05; done
            kill -INT $!
            wait $!
            """, in: directory)
        #expect(!(try Self.text(directory.path + "/told")).contains("failed"))
    }

    @Test(arguments: ["a.wav", "a.aiff", "a.caf"]) func aDeviceIsRecorded(name: String) throws {
        let directory = TemporaryDirectory()
        let air = MicrophoneNoise(.integer24, rate: 48_000, seconds: 4)
        var card = SoftwareCard(recording: directory.path + "/heard.wav")
        card.source = directory.path + "/air.wav"
        try air.write(to: directory.path + "/air.wav")
        try Self.prepare(card, in: directory)
        try TuttiProcess.run(
            "export ALSA_CONFIG_PATH=\"$PWD/asound.conf\"; example-record \(name) 1.3 2> errors", in: directory)
        #expect(try Self.text(directory.path + "/errors") == "")
        try Tool.run("ffmpeg -v error -xerror -y -i \(name) -f s24le out.raw", in: directory)
        let samples = try Tool.readFile(directory.path + "/out.raw")
        #expect(samples.count == 62_400 * air.frameByteCount)
        let first = try #require(air.position(of: samples.prefix(600)))
        let isRight = samples == air.frames(first..<first + 62_400)
        #expect(isRight)
    }
}
