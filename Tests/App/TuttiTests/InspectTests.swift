import AudioCore
import Songs
import Testing

@testable import tutti

/// How a file is explained, to people and to programs.
@Suite(.timeLimit(.minutes(5)))
struct InspectTests {
    private var facts: SongFacts {
        var facts = SongFacts(path: "a \"song\".m4a")
        facts.byteCount = 5_000
        for property: AudioStreamProperty in [
            .fileFormat(.mpeg4),
            .dataFormat(
                AudioStreamFormat(codec: .aac, sampleRate: 44_100, framesPerPacket: 1_024, channelsPerFrame: 2)),
            .channelLayout(AudioChannelLayout([.left, .right])), .bitRate(128_400), .info(.album, "B\u{1B}[2J"),
            .info(.title, "A"), .info(.trackGain, "-6.20 dB"),
        ] { facts.summary.note(property) }
        facts.packetCount = 100
        facts.framesPerPacket = 1_024
        facts.smallestPacketByteCount = 30
        facts.largestPacketByteCount = 400
        facts.audioByteCount = 4_000
        facts.decodedFrameCount = 102_400
        facts.primingFrameCount = 2_112
        facts.frameCount = 100_000
        facts.artwork = SongFacts.Artwork(format: "PNG", byteCount: 99)
        facts.problems = [AudioStreamProblem(.skipped(byteCount: 7), at: 123)]
        facts.problemCount = 3
        facts.isStreamable = false
        return facts
    }

    @Test func json() {
        #expect(
            facts.json.text
                == #"{"file":"a \"song\".m4a","playable":true,"streamable":false,"container":"mp4","codec":"aac","#
                + #""profile":"LC","sampleRate":44100,"channels":2,"channelLayout":["left","right"],"#
                + #""frameCount":100000,"primingFrameCount":2112,"remainderFrameCount":288,"packetCount":100,"#
                + #""framesPerPacket":1024,"durationSeconds":2.267574,"bitRate":128400,"byteCount":5000,"#
                + #""audioByteCount":4000,"tags":{"title":"A","album":"B\u001b[2J","trackGain":"-6.20 dB"},"#
                + #""artwork":{"format":"PNG","byteCount":99},"#
                + #""nextSongOffset":null,"problems":["7 damaged bytes skipped at byte 123","2 more of the kind"]}"#)
    }

    @Test func lines() {
        #expect(
            facts.lines.map(\.text) == [
                "a \"song\".m4a",
                "  format        AAC in MPEG-4",
                "  sample rate   44100 Hz",
                "  channels      2 (left, right)",
                "  duration      0:02.268 (100000 frames)",
                "  trimmed       2112 frames in front, 288 behind (encoder's padding)",
                "  packets       100 of 1024 frames, 30 to 400 bytes",
                "  bit rate      128.4 kbit/s",
                "  title         A",
                "  album         B",
                "  track gain    -6.20 dB",
                "  artwork       PNG, 99 bytes",
                "  plays         from a file only: what is needed to play it comes after the audio",
                "  problem       7 damaged bytes skipped at byte 123",
                "  problem       2 more of the kind",
            ])
    }

    @Test func anAddressIsShownWithoutItsPassword() {
        let facts = SongFacts(path: "http://me:secret@host/a")
        #expect(facts.lines.first?.text == "http://host/a")
        #expect(facts.json.text.hasPrefix(#"{"file":"http://host/a","#))
    }

    @Test func whatIsNotKnownIsNull() {
        var facts = SongFacts(path: "text")
        facts.failure = SongFailure(.unusable, "'text' is not a song")
        #expect(
            facts.json.text
                == #"{"file":"text","playable":false,"streamable":null,"container":null,"codec":null,"profile":null,"#
                + #""sampleRate":null,"channels":null,"channelLayout":null,"frameCount":null,"primingFrameCount":0,"#
                + #""remainderFrameCount":0,"packetCount":0,"framesPerPacket":null,"durationSeconds":null,"#
                + #""bitRate":null,"byteCount":0,"audioByteCount":0,"tags":{},"artwork":null,"#
                + #""nextSongOffset":null,"problems":["'text' is not a song"]}"#)
    }

    /// Numbers in a file may claim anything.
    @Test func absurdLengthsAreShown() {
        var facts = facts
        facts.frameCount = .max
        facts.decodedFrameCount = .min
        #expect(facts.lines.count == 15 && facts.json.text.contains("\"frameCount\":9223372036854775807"))
    }
}
