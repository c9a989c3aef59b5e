import Glibc
import HeardAnalysis
import SoundCardKit
import StreamTestKit
import Testing

/// Programmes of several songs as a listener's sound card hears them, played by real processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ProgrammeCardTests {
    /// Makes a tone of a song's length, of whole cycles: where another follows, it goes on.
    /// - Parameter tags: a FLAC file's; none makes a WAVE file.
    private static func makeTone(
        _ name: String, seconds: Double, rate: Int = 48_000, bits: Int = 16, level: Double, tags: [String] = [],
        in directory: borrowing TemporaryDirectory
    ) throws {
        try Tool.run(
            "sox -R -r \(rate) -n -b \(bits) -c 2 \(name).wav synth \(seconds) sine 440 vol \(level)", in: directory)
        guard !tags.isEmpty else { return }
        let options = tags.map { "--set-tag='\($0)'" }.joined(separator: " ")
        try Tool.run("flac -s \(name).wav && metaflac \(options) \(name).flac", in: directory)
    }

    /// Returns what the card of one listener plays of a broadcast of these songs.
    private static func heard(
        _ songs: String, options: String = "", card configure: (inout SoftwareCard) -> Void = { _ in },
        in directory: borrowing TemporaryDirectory
    ) throws -> HeardRecording {
        var card = SoftwareCard(recording: directory.path + "/heard.wav")
        configure(&card)
        try SoftwareCard.writeConfiguration(to: directory.path + "/asound.conf", default: card)
        let port = freePort()
        try TuttiProcess.run(
            """
            export ALSA_CONFIG_PATH="$PWD/asound.conf"
            tutti broadcast \(songs) \(options) --no-mdns --port \(port) > broadcast.log 2>&1 & b=$!
            tutti join 127.0.0.1:\(port) --once --no-mdns --port \(freePort()) > join.log 2>&1 & j=$!
            wait $b || exit 1
            wait $j || exit 2
            """, in: directory)
        return try HeardRecording(path: directory.path + "/heard.wav")
    }

    /// The device plays on at its own rate, in one run from before the first song to behind the last; but an xrun of a
    /// busy machine breaks a run off.
    @Test func acrossFormatsAndRatesTheCardIsNotReopened() throws {
        let directory = TemporaryDirectory()
        for (name, rate, bits) in [("a", 44_100, 16), ("b", 48_000, 24), ("c", 96_000, 16)] {
            let tags = name == "b" ? ["TITLE=b"] : []
            try Self.makeTone(
                name, seconds: 2, rate: rate, bits: bits, level: 0.5, tags: tags, in: directory)
        }
        let heard = try Self.heard("a.wav b.flac c.wav", in: directory)
        let first = try #require(heard.firstAudibleFrame())
        let last = try #require(heard.lastAudibleFrame())
        let ends = heard.segments.indices.map { heard.endFrame(ofSegment: $0) }
        let breakCount = ends.count { (first + 1...last).contains($0) }
        #expect(breakCount <= heard.events.count { $0.name == "xrun" }, "runs end at \(ends), \(first)...\(last)")
        // A card that is opened with another layout records into a file of its own.
        #expect(access(directory.path + "/heard.2.wav", F_OK) != 0)
        guard breakCount == 0 else { return }
        let seconds = Double(last - first) / heard.sampleRate
        #expect(abs(seconds - 6) < 0.005, "\(seconds) s")
        #expect(heard.silences(longerThan: 0.005, threshold: 0.01).isEmpty)
    }

    /// Neither at its first sample nor when others command more; and whoever looks sees the volume that is heard.
    @Test(arguments: [
        ("--volume 100 --max-volume 50", 50), ("--quiet-hours 00:00-12:00=25 --quiet-hours 12:00-00:00=25", 25),
    ])
    func aListenerIsNoLouderThanItsLimit(limit: String, percent: Int) throws {
        let directory = TemporaryDirectory()
        try Self.makeTone("tone", seconds: 8, level: 0.5, in: directory)
        var card = SoftwareCard(recording: directory.path + "/heard.wav")
        card.formats = ["FLOAT_LE"]
        try SoftwareCard.writeConfiguration(to: directory.path + "/asound.conf", default: card)
        let port = freePort()
        try TuttiProcess.run(
            """
            export ALSA_CONFIG_PATH="$PWD/asound.conf"
            tutti broadcast tone.wav --no-mdns --port \(port) > broadcast.log 2>&1 & b=$!
            tutti join 127.0.0.1:\(port) --name Shelf \(limit) --once --no-mdns --port \(freePort()) > join.log 2>&1 & j=$!
            export XDG_RUNTIME_DIR=$PWD/nobody
            for i in $(seq 100); do tutti status --at 127.0.0.1:\(port) 2>&1 | grep -q 'Shelf .*playing' && break
                sleep 0.05; done
            for change in 100 +20; do
                tutti volume Shelf $change --at 127.0.0.1:\(port) >> volume.log 2>&1 || exit 3
            done
            tutti volume 100 --at 127.0.0.1:\(port) >> volume.log 2>&1 || exit 4
            tutti status --at 127.0.0.1:\(port) > status.log 2>&1 || exit 5
            wait $b || exit 1
            wait $j || exit 2
            """, in: directory)
        func lines(_ name: String) throws -> [Substring] {
            String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self).split(separator: "\n")
        }
        let shown = try lines("status.log").map { $0.split(separator: " ").prefix(3) }
        #expect(shown.contains(["Shelf", "playing", "\(percent)"]), "\(shown)")
        // It answered each command, though none changed anything.
        #expect(try lines("volume.log").isEmpty)
        let heard = try HeardRecording(path: directory.path + "/heard.wav")
        let first = try #require(heard.firstAudibleFrame())
        let samples = heard.channel(0)
        let gain = Float(percent * percent * percent) / 1_000_000
        let middle = first + Int(heard.sampleRate)
        let peak = samples[middle..<middle + Int(heard.sampleRate)].map { abs($0) }.max() ?? 0
        #expect(abs(peak - 0.5 * gain) < 0.005 * gain, "\(peak)")
        #expect(samples.allSatisfy { abs($0) < 0.505 * gain })
    }

    /// Two songs with loudness tags, by which the second one would be clipped but for its peak.
    @Test(arguments: [("off", [0.5, 0.8]), ("track", [0.2506, 1]), ("album", [0.1256, 0.8889])])
    func loudnessTagsAreHeard(mode: String, levels: [Double]) throws {
        let directory = TemporaryDirectory()
        let tags: [(name: String, level: Double, tags: [String])] = [
            ("quiet", 0.5, ["TRACK_GAIN=-6.00 dB", "ALBUM_GAIN=-12.00 dB"]),
            (
                "loud", 0.8,
                ["TRACK_GAIN=+12.00 dB", "TRACK_PEAK=0.8", "ALBUM_GAIN=+1.00 dB", "ALBUM_PEAK=0.9"]
            ),
        ]
        for song in tags {
            try Self.makeTone(
                song.name, seconds: 1.5, level: song.level, tags: song.tags.map { "REPLAYGAIN_\($0)" }, in: directory)
        }
        let heard = try Self.heard(
            "quiet.flac loud.flac", options: "--loudness \(mode)", card: { $0.formats = ["FLOAT_LE"] }, in: directory)
        let first = try #require(heard.firstAudibleFrame())
        let samples = heard.channel(0).map { Double($0) }
        for (index, level) in levels.enumerated() {
            // A second from the middle of each.
            let start = first + Int((1.5 * Double(index) + 0.25) * heard.sampleRate)
            let part = samples[start..<start + Int(heard.sampleRate)]
            let peak = part.map { abs($0) }.max() ?? 0
            let power = part.reduce(0) { $0 + $1 * $1 } / Double(part.count)
            #expect(abs(peak - level) < 0.01 * level, "song \(index + 1), \(mode): \(peak)")
            // It is a sine yet: a clipped one has more power than its peak says.
            #expect(abs((2 * power).squareRoot() - level) < 0.01 * level, "song \(index + 1), \(mode): \(power)")
        }
        #expect(samples.allSatisfy { abs($0) <= 1.001 })
    }
}
