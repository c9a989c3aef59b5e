import Glibc
import StreamTestKit
import Testing
import WebServerKit

/// Ogg chains whose links need decoders of their own, in the program's own processes: all links are heard, each as it
/// is alone.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ChainProcessTests {
    /// Vorbis at 44.1 kHz, Opus at 48 kHz, Vorbis at 48 kHz, and all of them one behind the other.
    private static func makeChain(in directory: borrowing TemporaryDirectory) throws {
        for (index, rate) in [44_100, 48_000, 48_000].enumerated() {
            try Tool.run(
                "sox -R -r \(rate) -n -b 16 \(index).wav synth \(1 + Double(index) * 0.1) sine \(220 + index * 111) "
                    + "sine 3\(index)1 whitenoise remix 1,3v0.3 2,3v0.3 gain -6", in: directory)
            let encoder = index == 1 ? "opusenc --quiet" : "oggenc -Q -q 3 -o \(index).ogg"
            try Tool.run("\(encoder) \(index).wav \(index == 1 ? "\(index).ogg" : "")", in: directory)
        }
        try Tool.run("cat 0.ogg 1.ogg 2.ogg > chain.ogg && cat 1.ogg 2.ogg > same.ogg", in: directory)
    }

    private static func samples(_ name: String, in directory: borrowing TemporaryDirectory) throws -> [UInt8] {
        try Tool.run("ffmpeg -v error -xerror -y -i \(name) -f f32le \(name).raw", in: directory)
        return try Tool.readFile("\(directory.path)/\(name).raw")
    }

    private static func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
    }

    /// A recorder goes on in another file where the rate changes, and without a gap where it does not.
    private func expectAllSongs(
        from source: String, before: String = "", behind: String = "", isDamaged: Bool = false,
        in directory: borrowing TemporaryDirectory
    ) throws {
        let port = freePort()
        try TuttiProcess.run(
            """
            rm -f heard*.wav
            \(before) tutti broadcast '\(source)' --no-mdns --port \(port) > broadcast.log 2>&1 \(behind) & b=$!
            tutti record --host 127.0.0.1:\(port) --no-mdns --port \(freePort()) --format float heard.wav \
                > record.log 2>&1 || exit 1
            for n in 0 1 2; do tutti decode --float $n.ogg $n.alone.wav || exit 4; done
            wait $b || exit 5
            """, in: directory)
        let alone = try (0..<3).map { try Self.samples("\($0).alone.wav", in: directory) }
        #expect(alone.map(\.count) == [44_100 * 8, 52_800 * 8, 57_600 * 8])
        #expect(try Self.samples("heard.wav", in: directory) == alone[0], "\(source)")
        #expect(try Self.samples("heard-2.wav", in: directory) == alone[1] + alone[2], "\(source)")
        let log = try Self.text("broadcast.log", in: directory)
        #expect(log.contains("damaged") == isDamaged && log.contains("not played") == isDamaged, "\(log)")
    }

    @Test func everyLinkIsBroadcast() throws {
        let directory = TemporaryDirectory()
        try Self.makeChain(in: directory)
        try expectAllSongs(from: "chain.ogg", in: directory)
        try expectAllSongs(from: "-", before: "cat chain.ogg |", in: directory)
        try expectAllSongs(from: "-", behind: "< chain.ogg", in: directory)
        try expectAllSongs(from: "fifo", before: "mkfifo fifo; cat chain.ogg > fifo &", in: directory)
    }

    @Test(arguments: ["ranges", "plain", "endless"]) func everyLinkBehindAURLIsBroadcast(kind: String) throws {
        let directory = TemporaryDirectory()
        try Self.makeChain(in: directory)
        let server = try WebServer(directory: directory.path)
        try expectAllSongs(from: server.url("\(kind)/chain.ogg"), in: directory)
    }

    /// At the card's rate each link is heard sample for sample, from a file and through a pipe.
    @Test(arguments: ["same.ogg", "- < same.ogg", "- < <(cat same.ogg)"]) func everyLinkIsPlayed(song: String) throws {
        let directory = TemporaryDirectory()
        try Self.makeChain(in: directory)
        try TuttiProcess.run(
            """
            tutti play --output file:heard.wav \(song) > play.log 2>&1 || exit 1
            for n in 1 2; do tutti decode $n.ogg $n.wav || exit 2; done
            """, in: directory)
        let heard = try Self.samples("heard.wav", in: directory)
        let links = try [1, 2].map { try Self.samples("\($0).wav", in: directory) }
        let first = try #require(Self.place(of: links[0], in: heard, from: 0))
        #expect(Self.place(of: links[1], in: heard, from: first + links[0].count) != nil)
        #expect(try Self.text("play.log", in: directory).contains("damaged") == false)
    }

    /// A link that nobody can play is told of in one line, and what surrounds it is heard; in front and in between.
    @Test(arguments: ["chain.ogg", "- < chain.ogg", "- < <(cat chain.ogg)", "URL"])
    func aLinkThatCannotBePlayedIsPassedOver(song: String) throws {
        let directory = TemporaryDirectory()
        try Self.makeChain(in: directory)
        let speex = Self.foreignLink
        var noise = VorbisWriter().writerWithHeaders(serial: 9)
        for index in 0..<40 {
            let packets = [(VorbisWriter().packet(isLong: true, byteCount: 400), Int64(index) * 1_024)]
            noise.add(packets, isLast: index == 39)
        }
        let links = try (1...2).map { try Tool.readFile("\(directory.path)/\($0).ogg") }
        try Tool.writeFile(directory.path + "/chain.ogg", speex + links[0] + speex + noise.bytes + speex + links[1])
        let server = try WebServer(directory: directory.path)
        let name = song == "URL" ? server.url("plain/chain.ogg") : song
        try TuttiProcess.run(
            """
            tutti play --output file:heard.wav \(name) > play.log 2>&1
            [ $? = 65 ] || exit 1
            for n in 1 2; do tutti decode $n.ogg $n.wav || exit 2; done
            """, in: directory)
        let heard = try Self.samples("heard.wav", in: directory)
        let expected = try [1, 2].map { try Self.samples("\($0).wav", in: directory) }
        let first = try #require(Self.place(of: expected[0], in: heard, from: 0))
        #expect(Self.place(of: expected[1], in: heard, from: first + expected[0].count) != nil)
        let log = try Self.text("play.log", in: directory)
        #expect(log.contains("an Ogg stream with Speex, which is not played,"), "\(log)")
        #expect(log.split(separator: "\n").count { $0.contains("libavcodec refuses the Vorbis set-up") } == 1, "\(log)")
        #expect(log.contains("1 of 3 songs could not be played"), "\(log)")
    }

    /// What the links around it are is broadcast as it is.
    @Test func aLinkThatCannotBePlayedIsNotBroadcast() throws {
        let directory = TemporaryDirectory()
        try Self.makeChain(in: directory)
        let links = try (0...2).map { try Tool.readFile("\(directory.path)/\($0).ogg") }
        let chain = Self.foreignLink + links.joined(separator: Self.foreignLink)
        try Tool.writeFile(directory.path + "/chain.ogg", Array(chain))
        try expectAllSongs(from: "-", before: "cat chain.ogg |", isDamaged: true, in: directory)
    }

    private static let foreignLink: [UInt8] = {
        var writer = OggWriter(serial: 77)
        writer.add([(Array("Speex   ".utf8) + payload(72), 0)], isFirst: true)
        for index in 0..<50 {
            writer.add([(payload(900, seed: UInt64(index)), Int64(index) * 320)], isLast: index == 49)
        }
        return writer.bytes
    }()

    /// Where samples lie in others, in bytes.
    private static func place(of song: [UInt8], in heard: [UInt8], from start: Int) -> Int? {
        stride(from: start, through: heard.count - song.count, by: 8).first { heard[$0...].starts(with: song) }
    }

    @Test func aChainOfOneRateIsDecodedWhole() throws {
        let directory = TemporaryDirectory()
        try Self.makeChain(in: directory)
        try TuttiProcess.run(
            """
            for n in 0 1 2; do tutti decode $n.ogg $n.wav || exit 1; done
            tutti decode same.ogg same.wav 2> same.log || exit 2
            tutti decode chain.ogg chain.wav 2> chain.log
            [ $? = 65 ] || exit 3
            """, in: directory)
        let links = try (0..<3).map { try Self.samples("\($0).wav", in: directory) }
        #expect(try Self.samples("same.wav", in: directory) == links[1] + links[2])
        #expect(try Self.text("same.log", in: directory).isEmpty)
        #expect(try Self.samples("chain.wav", in: directory) == links[0])
        let offset = try Tool.readFile(directory.path + "/0.ogg").count
        let line =
            "tutti: 'chain.ogg': what follows from byte \(offset) on (Opus, 48000 Hz, 2 channels) is left out: a WAVE file "
            + "has one sample rate and one set of channels\n"
        #expect(try Self.text("chain.log", in: directory) == line)
    }

    /// Integers of two widths become the wider ones.
    @Test func losslessLinksAreDecodedWithoutLoss() throws {
        let directory = TemporaryDirectory()
        for (bits, seconds) in [(16, 0.3), (24, 0.4)] {
            try Tool.run(
                "sox -R -r 48000 -n -b \(bits) \(bits).wav synth \(seconds) whitenoise remix 1 1 && "
                    + "flac -s --ogg -o \(bits).oga \(bits).wav", in: directory)
        }
        try TuttiProcess.run(
            "cat 16.oga 24.oga > c.oga; tutti decode c.oga out.wav && cat 16.wav > /dev/null", in: directory)
        let wide = try ["16.wav", "24.wav", "out.wav"].map { name -> [UInt8] in
            try Tool.run("ffmpeg -v error -y -i \(name) -f s32le \(name).raw", in: directory)
            return try Tool.readFile("\(directory.path)/\(name).raw")
        }
        #expect(wide[2] == wide[0] + wide[1] && wide[2].count == 33_600 * 8)
    }

    @Test func whatFollowsIsExplained() throws {
        let directory = TemporaryDirectory()
        try Self.makeChain(in: directory)
        try TuttiProcess.run(
            "tutti inspect chain.ogg > lines || exit 1; tutti inspect --json chain.ogg 2.ogg > objects || exit 2",
            in: directory)
        let offset = try Tool.readFile(directory.path + "/0.ogg").count
        let lines = try Self.text("lines", in: directory)
        #expect(lines.contains("duration      0:01.000 (44100 frames)\n"))
        #expect(
            lines.contains(
                "followed by   another stream of another format at byte \(offset), which is played as a further song\n")
        )
        #expect(!lines.contains("problem"))
        let objects = try Self.text("objects", in: directory).split(separator: "\n")
        #expect(objects[0].contains("\"nextSongOffset\":\(offset),\"problems\":[]"))
        #expect(objects[0].contains("\"frameCount\":44100,") && objects[1].contains("\"nextSongOffset\":null,"))
    }
}
