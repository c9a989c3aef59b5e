import Glibc
import HeardAnalysis
import SoundCardKit
import StreamTestKit
import Testing

/// Programmes of several songs, and what commands do to them, recorded by real processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ProgrammeRecordingTests {
    /// The samples of a file as its readers see them, whatever its kind and header.
    private static func samples(_ name: String, in directory: borrowing TemporaryDirectory) throws -> [UInt8] {
        try Tool.run("ffmpeg -v error -xerror -y -i \(name) -f s32le \(name).raw", in: directory)
        return try Tool.readFile("\(directory.path)/\(name).raw")
    }

    private static func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
    }

    /// Makes stereo noise, a frame of which is eight bytes of what ``samples(_:in:)`` returns.
    private static func makeNoise(
        _ name: String, seconds: Double, rate: Int = 44_100, bits: Int = 16, in directory: borrowing TemporaryDirectory
    ) throws {
        try Tool.run(
            "sox -R -r \(rate) -n -b \(bits) \(name) synth \(seconds) whitenoise whitenoise gain -6", in: directory)
    }

    /// Runs lines while a broadcast is recorded into `heard.wav`, and waits for the end of both. `here` is the program
    /// on their machine, and what it prints goes to `out` with its exit code.
    private static func record(
        _ songs: String, options: String = "", before: String = "", while lines: String = "",
        recorder: String = "", in directory: borrowing TemporaryDirectory
    ) throws {
        let port = freePort()
        try TuttiProcess.run(
            """
            mkdir -p here there; chmod 700 here there
            here() { XDG_RUNTIME_DIR=$PWD/here tutti "$@" >> out 2>&1; echo "[$?]" >> out; }
            until_status() { for i in $(seq 400); do XDG_RUNTIME_DIR=$PWD/here tutti status 2>&1 | grep -q "$1" && return
                sleep 0.05; done; echo "never: $1" >> out; }
            rm -f heard*.wav out; touch out
            \(before) XDG_RUNTIME_DIR=$PWD/here tutti broadcast \(songs) \(options) --name Den --no-mdns --port \(port) \
                > broadcast.log 2>&1 & b=$!
            XDG_RUNTIME_DIR=$PWD/there tutti record --host 127.0.0.1:\(port) --no-mdns --port \(freePort()) \
                \(recorder) heard.wav > record.log 2>&1 & r=$!
            \(lines)
            wait $r || exit 2
            """, in: directory)
    }

    // MARK: Songs that follow one another

    /// Not at the border of any packet or buffer; in more parts than a listener holds at once.
    @Test(arguments: ["wav", "flac"]) func aSplitAlbumIsRecordedAsTheWholeOne(kind: String) throws {
        let directory = TemporaryDirectory()
        try Self.makeNoise("whole.wav", seconds: 4, in: directory)
        try Tool.run(
            """
            for part in 0 1 2 3 4 5; do sox whole.wav $part.wav trim $((part * 25201))s 25201s; done
            sox whole.wav 6.wav trim $((6 * 25201))s; [ \(kind) = wav ] || flac -s whole.wav ?.wav
            """, in: directory)
        try Self.record("whole.\(kind)", in: directory)
        let whole = try Tool.readFile(directory.path + "/heard.wav")
        try Self.record((0...6).map { "\($0).\(kind)" }.joined(separator: " "), in: directory)
        #expect(try Tool.readFile(directory.path + "/heard.wav") == whole)
        let song = try Self.samples("whole.wav", in: directory)
        #expect(try Self.samples("heard.wav", in: directory) == song && song.count == 4 * 44_100 * 8)
        #expect(try Self.text("record.log", in: directory).contains("(176400 frames) into 'heard.wav'\n"))
    }

    /// No bit of the wider song is lost, and the narrower one behind it goes on in the same file.
    @Test func widerSamplesBeginAnotherFile() throws {
        let directory = TemporaryDirectory()
        try Self.makeNoise("16.wav", seconds: 1, in: directory)
        try Self.makeNoise("24.wav", seconds: 1.2, bits: 24, in: directory)
        try Tool.run("flac -s 24.wav", in: directory)
        try Self.record("16.wav 24.flac 16.wav", in: directory)
        let (narrow, wide) = (try Self.samples("16.wav", in: directory), try Self.samples("24.wav", in: directory))
        #expect(try Self.samples("heard.wav", in: directory) == narrow)
        #expect(try Self.samples("heard-2.wav", in: directory) == wide + narrow)
    }

    // MARK: Commands

    /// Ten seconds more of the song were there already when it was cut.
    @Test func aRecordingOverASeekHoldsWhatWasHeard() throws {
        let directory = TemporaryDirectory()
        try Self.makeNoise("song.wav", seconds: 18, in: directory)
        try Self.record(
            "song.wav", while: "until_status '^playing'; sleep 1; here seek 16", in: directory)
        try Self.expectSeek(to: 16 * 44_100, of: "song.wav", in: directory)
    }

    /// Expects the song's beginning, up to some seconds after it was played, and what lies behind a frame.
    private static func expectSeek(
        to frame: Int, of name: String, in directory: borrowing TemporaryDirectory
    ) throws {
        #expect(try text("out", in: directory) == "[0]\n")
        let song = try samples(name, in: directory)
        let heard = try samples("heard.wav", in: directory)
        let rest = song[(frame * 8)...]
        let cut = heard.count - rest.count
        #expect((44_100 * 4..<44_100 * 6 * 8).contains(cut), "\(cut / 8) frames")
        // Not in the macro, which would print all samples.
        let isRight =
            cut > 0 && heard.prefix(max(0, cut)) == song.prefix(max(0, cut)) && heard.suffix(rest.count) == rest
        #expect(isRight)
    }

    /// A later link of a chain is found by its time in the whole, which is known.
    @Test func aChainIsAsLongAsAllItsLinks() throws {
        let directory = TemporaryDirectory()
        for (index, seconds) in [6, 20].enumerated() {
            try Self.makeNoise("\(index).wav", seconds: Double(seconds), in: directory)
            try Tool.run("oggenc -Q -q 3 -s \(index) -t Link\(index) -o \(index).ogg \(index).wav", in: directory)
        }
        try Tool.run("cat 0.ogg 1.ogg > chain.ogg", in: directory)
        try Self.record(
            "chain.ogg",
            while:
                "until_status '^playing: Link0.* of 0:26'; sleep 1; here seek 22; tutti decode --float chain.ogg whole.wav",
            recorder: "--format float", in: directory)
        try Self.expectSeek(to: 22 * 44_100, of: "whole.wav", in: directory)
    }

    // MARK: Songs that were added

    /// The stated format is that of what the broadcast began with.
    @Test func anAddedSongIsNoRawSamples() throws {
        let directory = TemporaryDirectory()
        try Self.makeNoise("song.wav", seconds: 1, in: directory)
        try Self.makeNoise("raw.wav", seconds: 5, rate: 48_000, in: directory)
        try Tool.run("sox raw.wav -t raw in.raw", in: directory)
        try Self.record(
            "-", options: "--raw 48000:2:s16le", before: "cat in.raw |",
            while: "until_status '^playing'; sleep 1; here queue add song.wav; here queue play 2", in: directory)
        #expect(try Self.text("out", in: directory) == "[0]\n[0]\n")
        let raw = try Self.samples("raw.wav", in: directory)
        let heard = try Self.samples("heard.wav", in: directory)
        #expect(raw.starts(with: heard) && heard.count > 0 && heard.count < raw.count)
        #expect(try Self.samples("heard-2.wav", in: directory) == Self.samples("song.wav", in: directory))
    }

    /// It is heard as a song, beside a source that is live.
    @Test func aSongIsAddedToACapture() throws {
        let directory = TemporaryDirectory()
        try Self.makeNoise("song.wav", seconds: 3, in: directory)
        var card = SoftwareCard(recording: directory.path + "/played.wav")
        card.source = directory.path + "/air.wav"
        try MicrophoneNoise(.integer24, seconds: 20).write(to: directory.path + "/air.wav")
        try SoftwareCard.writeConfiguration(to: directory.path + "/asound.conf", default: card)
        try Self.record(
            "--capture default", before: "ALSA_CONFIG_PATH=$PWD/asound.conf",
            while: """
                until_status '^playing: live'; sleep 1; here queue add song.wav; here next
                until_status '^playing: song.wav'; sleep 1; here pause; until_status '^paused'; here resume
                """, in: directory)
        #expect(try Self.text("out", in: directory) == "[0]\n[0]\n[0]\n[0]\n")
        #expect(try Self.samples("heard-2.wav", in: directory) == Self.samples("song.wav", in: directory))
    }

    /// Its bytes are gone: the broadcast goes on with what comes behind it, and says so.
    @Test func standardInputIsNotReadTwice() throws {
        let directory = TemporaryDirectory()
        try Self.makeNoise("song.wav", seconds: 3, rate: 48_000, in: directory)
        try Self.makeNoise("raw.wav", seconds: 15, rate: 48_000, in: directory)
        try Tool.run("sox raw.wav -t raw in.raw; sox song.wav -t raw song.raw", in: directory)
        try Self.record(
            "- song.raw", options: "--raw 48000:2:s16le", before: "(cat in.raw; sleep 20) |",
            while: """
                until_status '^playing: standard'; sleep 1; here next; until_status '^playing: song.raw'; here previous
                until_status '^playing: song.raw'; wait $b; echo "[$?]" >> out
                """, in: directory)
        #expect(
            try Self.text("out", in: directory) == """
                [0]
                tutti: Den: that song cannot be played: the broadcaster says why
                [65]
                [65]

                """)
        let log = try Self.text("broadcast.log", in: directory)
        #expect(log.contains("standard input was read already, and comes only once"), "\(log)")
        let song = try Self.samples("song.wav", in: directory)
        let heard = try Self.samples("heard.wav", in: directory)
        #expect(heard.suffix(song.count) == song[...])
    }
}
