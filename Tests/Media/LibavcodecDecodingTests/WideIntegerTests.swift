import AudioCore
import AudioDecoding
import AudioFileStreamServices
import Glibc
import LibavcodecDecoding
import Songs
import StreamTestKit
import Testing

/// Whole files of integers to WAVE files of the same integers, in every codec and container that has them.
@Suite(.timeLimit(.minutes(5)))
struct WideIntegerTests {
    /// Noise over the whole range of so many bits, interleaved, with its ends in between; and a tone whose channels are
    /// nearly alike, so that differences and predictors are used.
    private static func song(bits: Int, frameCount: Int, channels: Int = 2) -> [Int32] {
        var generator = SeededGenerator(seed: UInt64(bits))
        let (least, most) = (Int32.min >> Int32(32 - bits), Int32.max >> Int32(32 - bits))
        let ends = [most, least, least, most, most, most, least, least, 0, -1, 1, 0]
        return (0..<frameCount * channels).map { index in
            let frame = index / channels
            if frame % 997 < 6 { return ends[index % ends.count] }
            if frame < frameCount / 2 { return .random(in: least...most, using: &generator) }
            let tone = 0.9 * Double(most) * sin(Double(frame) * 0.02)
            return Int32(tone) + .random(in: -9...9, using: &generator)
        }
    }

    /// Without the differences, which take minutes to find in noise.
    private func isSame<Element: Equatable>(_ a: [Element], _ b: [Element]) -> Bool { a == b }

    private static func raw(_ song: some Sequence<Int32>, byteCount: Int = 4) -> [UInt8] {
        song.flatMap { sample in (0..<byteCount).map { UInt8(truncatingIfNeeded: sample >> Int32(8 * $0)) } }
    }

    /// What `tutti decode` writes behind the header.
    private func decoded(_ path: String, to output: String, asFloat: Bool = false) throws -> (
        frameCount: Int, bytes: [UInt8]
    ) {
        var decoding = SongDecoding(path: path, output: output)
        decoding.asFloat = asFloat
        let outcome = try decoding.run(decoders: DecoderCatalog.ofTests)
        #expect(outcome.damagedPacketCount == 0 && outcome.problems.isEmpty)
        let facts = SongFacts.read(path: output)
        let format = try #require(facts.summary.format)
        #expect(facts.frameCount == outcome.frameCount && format.pcm.contains(.float) == asFloat)
        let byteCount = Int(outcome.frameCount) * format.bytesPerFrame
        return (Int(outcome.frameCount), try Tool.readFile(output).suffix(byteCount))
    }

    private static let flac =
        "flac -s --force-raw-format --endian=little --sign=signed --channels=2 --sample-rate=44100"

    static let encodings: [(name: String, command: String)] = [
        ("a.wav", "sox -t s32 -r 44100 -c 2 in.raw a.wav"),
        ("b.wav", "sox -t s32 -r 44100 -c 2 in.raw -B b.wav"),
        ("c.aiff", "sox -t s32 -r 44100 -c 2 in.raw c.aiff"),
        ("d.aifc", "ffmpeg -v error -f s32le -ar 44100 -ac 2 -i in.raw -c:a pcm_s32be -f aiff d.aifc"),
        ("e.caf", "ffmpeg -v error -f s32le -ar 44100 -ac 2 -i in.raw -c:a pcm_s32le e.caf"),
        ("f.caf", "ffmpeg -v error -f s32le -ar 44100 -ac 2 -i in.raw -c:a pcm_s32be f.caf"),
        ("g.au", "sox -t s32 -r 44100 -c 2 in.raw g.au"),
        ("h.mov", "ffmpeg -v error -f s32le -ar 44100 -ac 2 -i in.raw -c:a pcm_s32le h.mov"),
        ("i.mov", "ffmpeg -v error -f s32le -ar 44100 -ac 2 -i in.raw -c:a pcm_s32be i.mov"),
        ("j.flac", "\(flac) --bps=32 in.raw -o j.flac"),
        ("k.flac", "\(flac) --bps=32 -0 in.raw -o k.flac"),
        ("l.flac", "\(flac) --bps=32 -8 -p -e --lax -b 16384 in.raw -o l.flac"),
        ("m.oga", "\(flac) --bps=32 --ogg in.raw -o m.oga"),
    ]

    @Test(arguments: encodings) func integersOf32BitsComeOutAsTheyWere(name: String, command: String) throws {
        let directory = TemporaryDirectory()
        let song = Self.song(bits: 32, frameCount: 30_011)
        try Tool.writeFile(directory.path + "/in.raw", Self.raw(song))
        try Tool.run(command, in: directory)
        let path = directory.path + "/" + name
        let (frameCount, bytes) = try decoded(path, to: directory.path + "/out.wav")
        #expect(frameCount == 30_011)
        #expect(isSame(bytes, Self.raw(song)))
        // As floats it is what a listener puts out.
        let floats = try decoded(path, to: directory.path + "/float.wav", asFloat: true).bytes
        let expected = song.flatMap { withUnsafeBytes(of: (Float($0) * 0x1p-31).bitPattern.littleEndian, Array.init) }
        #expect(isSame(floats, expected))
    }

    @Test(arguments: [8, 16, 20, 24, 25, 28, 31]) func narrowerFLACComesOutInItsOwnWidth(bits: Int) throws {
        let directory = TemporaryDirectory()
        let byteCount = (bits + 7) / 8
        let song = Self.song(bits: bits, frameCount: 20_001)
        let high = song.map { $0 << Int32(byteCount * 8 - bits) }
        let data = Self.raw(high, byteCount: byteCount).map { bits == 8 ? $0 ^ 0x80 : $0 }
        var writer = WAVEWriter()
        writer.bitsPerSample = UInt16(byteCount * 8)
        writer.validBits = UInt16(bits)
        try Tool.writeFile(directory.path + "/in.wav", writer.file(data: data))
        try Tool.run("flac -s --lax in.wav -o a.flac", in: directory)
        let (frameCount, bytes) = try decoded(directory.path + "/a.flac", to: directory.path + "/out.wav")
        #expect(frameCount == 20_001)
        #expect(isSame(bytes, data))
    }

    private static func cookie(channels: Int, framesPerPacket: Int) -> [UInt8] {
        MPEG4Writer.numbers([UInt32(framesPerPacket)]) + [0, 32, 40, 10, 14, UInt8(channels), 0, 255]
            + MPEG4Writer.numbers([0, 0, 44_100])
    }

    /// ALAC whose frames are stored as they are: elements as Apple's encoder writes what does not become shorter.
    private static func alac(_ song: [Int32], channels: Int, framesPerPacket: Int) -> MPEG4Writer {
        var writer = MPEG4Writer()
        let cookie = cookie(channels: channels, framesPerPacket: framesPerPacket)
        writer.sampleEntry = MPEG4Writer.entry(
            "alac", channels: UInt16(channels), bits: 32, MPEG4Writer.fullBox("alac", cookie))
        writer.duration = UInt32(framesPerPacket)
        writer.packets = stride(from: 0, to: song.count, by: framesPerPacket * channels).map { start in
            let part = song[start..<min(song.count, start + framesPerPacket * channels)]
            let isPartial = part.count < framesPerPacket * channels
            var bits = BitWriter()
            // A single channel or a pair, instance, unused, a number of frames follows, bytes coded apart, stored.
            for (value, count) in [(UInt64(channels - 1), 3), (0, 16), (isPartial ? 1 : 0, 1), (0, 2), (1, 1)] {
                bits.append(value, count)
            }
            if isPartial { bits.append(UInt64(part.count / channels), 32) }
            for sample in part { bits.append(UInt64(UInt32(bitPattern: sample)), 32) }
            bits.append(7, 3)
            return bits.bytes
        }
        return writer
    }

    @Test(arguments: [1, 2]) func storedALACOf32BitsComesOutAsItWas(channels: Int) throws {
        let directory = TemporaryDirectory()
        let song = Self.song(bits: 32, frameCount: 30_011, channels: channels)
        var writer = Self.alac(song, channels: channels, framesPerPacket: 4_096)
        writer.lastDuration = UInt32(30_011 % 4_096)
        try Tool.writeFile(directory.path + "/a.m4a", writer.file())
        let (frameCount, bytes) = try decoded(directory.path + "/a.m4a", to: directory.path + "/out.wav")
        #expect(frameCount == 30_011)
        #expect(isSame(bytes, Self.raw(song)))
    }

    @Test func editListsTrimToTheFrame() throws {
        let directory = TemporaryDirectory()
        let song = Self.song(bits: 32, frameCount: 30_011)
        let path = directory.path + "/a.mp4"
        var writer = Self.alac(song, channels: 2, framesPerPacket: 4_096)
        writer.lastDuration = UInt32(30_011 % 4_096)
        (writer.movieTimescale, writer.edits) = (44_100, [(28_500, 1_000)])
        try Tool.writeFile(path, writer.file())
        let (frameCount, bytes) = try decoded(path, to: directory.path + "/out.wav")
        #expect(frameCount == 28_500)
        #expect(isSame(bytes, Self.raw(Array(song[2_000..<2 * 29_500]))))
    }

    /// Apple's encoder ends a song with a frame that is shorter than the container has it: that is no damage.
    @Test func aShortLastFrameIsWhole() throws {
        let song = Self.song(bits: 32, frameCount: 1_024 + 100)
        let format = AudioStreamFormat(codec: .alac, sampleRate: 44_100, framesPerPacket: 1_024, channelsPerFrame: 2)
        let decoder = try WorkerDecoder(
            format: format, magicCookie: Self.cookie(channels: 2, framesPerPacket: 1_024), program: try .ofTests)
        let packets = Self.alac(song, channels: 2, framesPerPacket: 1_024).packets
        let output = try decodeAll(packets.map { ($0, 1_024) }, with: decoder)
        let expected = song.map { Float($0) * 0x1p-31 } + [Float](repeating: 0, count: 2 * 924)
        #expect(isSame(output, expected) && decoder.damagedPacketCount == 0)
    }

    /// A worker that is lost costs the packet that it was busy with.
    @Test func aLostWorkerIsSilence() throws {
        let song = Self.song(bits: 32, frameCount: 3 * 1_024)
        let writer = Self.alac(song, channels: 2, framesPerPacket: 1_024)
        let cookie = Self.cookie(channels: 2, framesPerPacket: 1_024)
        let format = AudioStreamFormat(codec: .alac, sampleRate: 44_100, framesPerPacket: 1_024, channelsPerFrame: 2)
        let decoder = try WorkerDecoder(format: format, magicCookie: cookie, program: try .ofTests)
        #expect(decoder.outputsIntegers)
        var output: [Int32] = []
        for (index, packet) in writer.packets.enumerated() {
            if index == 1 { kill(try #require(decoder.workerProcessID), SIGKILL) }
            var samples = [Int32](repeating: 7, count: 2 * 1_024)
            var span = samples.mutableSpan
            try decoder.decode(packet: packet.span.bytes, frameCount: 1_024, into: &span)
            output += samples
        }
        let silence = [Int32](repeating: 0, count: 2 * 1_024)
        #expect(isSame(output, Array(song[..<2_048]) + silence + Array(song[4_096...])))
        #expect(decoder.damagedPacketCount == 1)
    }
}

/// Bits to bytes, most significant first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func append(_ value: UInt64, _ bitCount: Int) {
        for bit in (0..<bitCount).reversed() {
            if count % 8 == 0 { bytes.append(0) }
            bytes[count / 8] |= UInt8(value >> UInt64(bit) & 1) << UInt8(7 - count % 8)
            count += 1
        }
    }
}
