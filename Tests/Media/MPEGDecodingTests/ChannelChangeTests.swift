import AudioCore
import AudioDecoding
import AudioFileStreamServices
import MPEGDecoding
import StreamTestKit
import Testing

/// Files that were joined from mono and stereo ones: all of them sounds, in the format of the first part.
@Suite(.timeLimit(.minutes(5)))
struct ChannelChangeTests {
    private enum Part: Character, CaseIterable {
        case mono = "M"
        case stereo = "S"
        case joint = "J"
        /// Joint stereo at a quarter of the bit rate.
        case low = "L"

        func song() throws -> Song {
            switch self {
            case .mono: try Song(rate: 44_100, channels: 1, encode: "lame --quiet -b 64 in.wav out")
            case .stereo: try Song(rate: 44_100, channels: 2, encode: "lame --quiet -b 192 -m s in.wav out")
            case .joint: try Song(rate: 44_100, channels: 2, encode: "lame --quiet -b 128 -m j in.wav out")
            case .low:
                try Song(rate: 44_100, channels: 2, encode: "lame --quiet -b 48 --resample 44.1 -m j in.wav out")
            }
        }
    }

    private func parts(_ order: String) throws -> [Song] {
        let songs = try Dictionary(uniqueKeysWithValues: Set(order).map { ($0, try Part(rawValue: $0)!.song()) })
        return order.map { songs[$0]! }
    }

    /// All frames as the mpg123 program decodes them, the encoder's padding too; with two channels always.
    private func reference(_ song: Song) throws -> [Float] {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/song", song.bytes)
        try Tool.run("mpg123 -q --stereo --no-gapless -e f32 -O out.raw song", in: directory)
        return try Tool.readFile(directory.path + "/out.raw").withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// Samples of so many channels as those of the other count: what both have, or the mean.
    private func mixed(_ samples: [Float], from: Int, to: Int) -> [Float] {
        switch (from, to) {
        case (1, 2): samples.flatMap { [$0, $0] }
        case (2, 1): stride(from: 0, to: samples.count, by: 2).map { (samples[$0] + samples[$0 + 1]) / 2 }
        default: samples
        }
    }

    @Test(arguments: ["SM", "SMJMS", "MSMJ", "JSJ", "SLJ"])
    func allOfItIsWhatMPG123Plays(order: String) throws {
        let parts = try parts(order)
        let song = Song(parts.flatMap(\.bytes))
        let channels = song.format.channelsPerFrame
        #expect(channels == parts[0].format.channelsPerFrame)
        // Every byte but the first part's header, which is none of the others'.
        let header = parts[0].bytes.count - parts[0].stream.packets.reduce(0) { $0 + $1.bytes.count }
        #expect(song.stream.packets.flatMap(\.bytes) == Array(song.bytes[header...]))
        let ours = try song.decode()
        #expect(firstDifference(ours, mixed(try reference(song), from: 2, to: channels)) == nil)
        #expect(try song.decodeAudible() == Array(ours[(1_105 * channels)...]))
    }

    @Test(arguments: ["SMJMS", "MSMJ"])
    func eachPartIsWhatItIsAlone(order: String) throws {
        let parts = try parts(order)
        let song = Song(parts.flatMap(\.bytes))
        let channels = song.format.channelsPerFrame
        let ours = try song.decode()
        var start = 0
        for part in parts {
            let alone = mixed(try part.decode(), from: part.format.channelsPerFrame, to: channels)
            // Of the parts behind the first their header is a packet of silence.
            if start > 0 { start += 1_152 * channels }
            try #require(start + alone.count <= ours.count)
            let pairs = zip(ours[start..<start + alone.count], alone)
            #expect(pairs.allSatisfy { abs($0 - $1) < 0x1p-22 }, "the part at \(start)")
            #expect(alone.contains { abs($0) > 0.2 })
            start += alone.count
        }
        #expect(start == ours.count)
    }

    @Test(arguments: ["SMJ", "MSM"])
    func aStartInAnotherPartEqualsAFullDecode(order: String) throws {
        let parts = try parts(order)
        let song = Song(parts.flatMap(\.bytes))
        let full = try song.decode()
        let samplesPerPacket = 1_152 * song.format.channelsPerFrame
        // Of a file at hand: its header, which tells of the first part alone, is not asked.
        var parser = AudioFileStream(access: .file(byteCount: Int64(song.bytes.count)))
        let atHand = FileReading(song.bytes).read(with: &parser) { $0.nextByteOffset }
        let preroll = try #require(atHand.prerollPacketCount)
        let second = parts[0].stream.packets.count + 1
        let third = second + parts[1].stream.packets.count + 1
        try #require(song.stream.packets.count > third + 20)
        for first in [second - 1, second, second + 2, second + 30, third - 1, third + 20] {
            let start = first - preroll
            let late = try song.decode(from: start)
            let difference = firstDifference(
                Array(late[((first - start) * samplesPerPacket)...]), Array(full[(first * samplesPerPacket)...]))
            #expect(difference == nil, "from packet \(first)")
        }
    }

    /// Layer II, where libmpg123's own mix leaves the right channel out.
    @Test func stereoInAMonoSongIsTheMeanOfBothSides() throws {
        let encode = "ffmpeg -v error -i in.wav -c:a mp2 -b:a"
        let mono = try Song(rate: 48_000, channels: 1, encode: encode + " 96k -f mp2 out")
        let right = "sox in.wav right.wav remix 0 2 && mv right.wav in.wav && "
        let stereo = try Song(rate: 48_000, channels: 2, encode: right + encode + " 192k -f mp2 out")
        let song = Song(mono.bytes + stereo.bytes)
        let ours = try song.decode()
        #expect(firstDifference(ours, mixed(try reference(song), from: 2, to: 1)) == nil)
        #expect(ours[(ours.count / 2 + 10_000)...].contains { abs($0) > 0.1 })
    }

    @Test func damageInTheOtherPartKeepsItsPlace() throws {
        let parts = try parts("SM")
        let song = Song(parts.flatMap(\.bytes))
        let full = try song.decode()
        var packets = song.stream.packets.map(\.bytes)
        let hurt = parts[0].stream.packets.count + 30
        try #require(packets.count > hurt + 20)
        packets[hurt] = []
        let decoder = try MPEGDecoder(format: song.format)
        var ours: [Float] = []
        var output = [Float](repeating: .nan, count: 2_304)
        for packet in packets {
            var span = output.mutableSpan
            try decoder.decode(packet: packet.span.bytes, frameCount: 1_152, into: &span)
            ours += output
        }
        #expect(decoder.damagedPacketCount == 1)
        #expect(ours.count == full.count && ours.allSatisfy { $0.isFinite })
        #expect(Array(ours[..<(hurt * 2_304)]) == Array(full[..<(hurt * 2_304)]))
        let settled = (hurt + 6) * 2_304
        #expect(firstDifference(Array(ours[settled...]), Array(full[settled...])) == nil)
        // What sounded fades on both sides alike.
        #expect(stride(from: hurt * 2_304, to: settled, by: 2).allSatisfy { ours[$0] == ours[$0 + 1] })
    }
}
