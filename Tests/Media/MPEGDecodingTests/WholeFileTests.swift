import Glibc
import StreamTestKit
import Testing

/// Parser, decoder and trimming together give the samples of the mpg123 program, bit for bit.
@Suite(.timeLimit(.minutes(5)))
struct WholeFileTests {
    static let encodings: [Encoding] = [
        Encoding(44_100, 2, "lame --quiet -b 128 in.wav out"),
        Encoding(44_100, 2, "lame --quiet -b 320 in.wav out"),
        Encoding(44_100, 2, "lame --quiet -V 2 in.wav out"),
        Encoding(44_100, 2, "lame --quiet --abr 96 -p in.wav out"),
        Encoding(44_100, 2, "lame --quiet -b 32 --resample 44.1 -m j in.wav out"),
        Encoding(44_100, 2, "lame --quiet -b 128 -m s in.wav out"),
        Encoding(44_100, 2, "lame --quiet -b 128 -t in.wav out"),
        Encoding(48_000, 2, "lame --quiet -V 6 in.wav out"),
        Encoding(48_000, 1, "lame --quiet -b 64 in.wav out"),
        Encoding(32_000, 2, "lame --quiet -b 32 --resample 32 in.wav out"),
        Encoding(22_050, 2, "lame --quiet -b 8 --resample 22.05 in.wav out"),
        Encoding(22_050, 2, "lame --quiet -V 4 in.wav out"),
        Encoding(24_000, 1, "lame --quiet -b 8 --resample 24 in.wav out"),
        Encoding(16_000, 2, "lame --quiet -V 9 in.wav out"),
        Encoding(11_025, 1, "lame --quiet -b 8 in.wav out"),
        Encoding(8_000, 1, "lame --quiet -b 8 in.wav out"),
        Encoding(8_000, 2, "lame --quiet -V 5 in.wav out"),
        Encoding(44_100, 2, "lame --quiet --freeformat -b 400 in.wav out"),
        Encoding(44_100, 2, "ffmpeg -i in.wav -c:a libmp3lame -b:a 192k -f mp3 out"),
        Encoding(44_100, 2, "ffmpeg -i in.wav -c:a libmp3lame -write_xing 0 -f mp3 out"),
        Encoding(44_100, 2, "ffmpeg -i in.wav -c:a mp2 -b:a 192k -f mp2 out"),
        Encoding(24_000, 1, "ffmpeg -i in.wav -c:a mp2 -b:a 32k -f mp2 out"),
    ]

    @Test(arguments: encodings)
    func equalsReference(encoding: Encoding) throws {
        let song = try encoding.song()
        let ours = try song.decodeAudible()
        let reference = try song.referenceDecode()
        #expect(ours.count == reference.count)
        #expect(firstDifference(ours, reference) == nil)
    }

    /// After the pre-roll, decoding from any packet gives what decoding from the first gives.
    @Test(arguments: encodings)
    func lateStartEqualsFullDecode(encoding: Encoding) throws {
        let song = try encoding.song()
        let full = try song.decode()
        let preroll = try #require(song.stream.prerollPacketCount)
        let packets = song.stream.packets
        let count = packets.count
        let samplesPerPacket = packets[0].frameCount * song.format.channelsPerFrame
        for first in Set([1, 2, 3, 5, 8, 13, 21, count / 2, count / 2 + 1, count - 3]).filter({ $0 < count }) {
            let start = max(0, first - preroll)
            let late = try song.decode(from: start)
            let difference = firstDifference(
                Array(late[((first - start) * samplesPerPacket)...]), Array(full[(first * samplesPerPacket)...]))
            #expect(difference == nil, "from packet \(first) of \(count)")
        }
    }
}

/// Index of the first sample that differs, bit for bit; a difference in length counts.
func firstDifference(_ a: [Float], _ b: [Float]) -> Int? {
    let count = min(a.count, b.count)
    if memcmp(a, b, count * MemoryLayout<Float>.stride) != 0 {
        return (0..<count).first { a[$0].bitPattern != b[$0].bitPattern }
    }
    return a.count == b.count ? nil : count
}

/// A song to encode: `command` turns `in.wav` into `out`.
struct Encoding: CustomTestStringConvertible {
    let rate: Int
    let channels: Int
    let command: String

    init(_ rate: Int, _ channels: Int, _ command: String) {
        self.rate = rate
        self.channels = channels
        self.command = command
    }

    var testDescription: String { "\(rate) Hz, \(channels) ch, \(command)" }

    func song() throws -> Song { try Song(rate: rate, channels: channels, encode: command) }
}
