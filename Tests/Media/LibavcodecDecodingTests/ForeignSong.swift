import AudioCore
import AudioDecoding
import LibavcodecDecoding
import StreamTestKit

/// A song of a foreign codec, made by an encoder at test time and taken apart by ffprobe.
struct ForeignSong {
    var format: AudioStreamFormat
    var magicCookie: [UInt8]
    var packets: [(bytes: [UInt8], frameCount: Int)]
    /// What the ffmpeg program makes of the same file, nothing trimmed; of AMR sox, which has OpenCORE's decoder.
    var reference: [Float]

    /// - Parameters:
    ///   - file: the name that `encode` writes; it reads `in.wav`.
    ///   - decoder: options of the reference decoder.
    ///   - sampleRate: as decoded.
    init(
        codec: Codec, sampleRate: Int, channels: Int, seconds: Double = 2.3, file: String, encode: String,
        decoder: String = "", framesPerPacket: Int = 0, bits: Int = 16
    ) throws {
        let directory = TemporaryDirectory()
        let remix = (1...channels).map { "\(($0 - 1) % 3 + 1),4v0.2" }.joined(separator: " ")
        try Tool.run(
            "sox -R -r \(sampleRate) -n -b \(bits) in.wav synth \(seconds) sine 220 sine 331 sine 100-\(sampleRate / 3) "
                + "whitenoise remix \(remix) tremolo 3 80 gain -6", in: directory)
        try Tool.run(encode, in: directory)
        try Tool.run(
            codec == .amrNarrowband
                ? "sox -t amr-nb \(file) -t f32 out.raw"
                : "ffmpeg -v error -ignore_editlist 1 -flags2 +skip_manual \(decoder) -i \(file) -f f32le out.raw || "
                    + "ffmpeg -v error -flags2 +skip_manual \(decoder) -i \(file) -f f32le out.raw", in: directory)
        reference = try Tool.readFile(directory.path + "/out.raw").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        try Tool.run("ffprobe -v error -show_streams -show_data \(file) >streams", in: directory)
        let cookie = Probe(try Tool.readFile(directory.path + "/streams")).sections.first?.bytes ?? []
        magicCookie = codec == .alac ? Array(cookie.dropFirst(12)) : cookie
        try Tool.run("ffprobe -v error -show_packets -show_data \(file) >packets", in: directory)
        packets = Probe(try Tool.readFile(directory.path + "/packets")).sections.map {
            ($0.bytes, framesPerPacket > 0 ? framesPerPacket : max($0.duration, 1))
        }
        format = AudioStreamFormat(
            codec: codec, sampleRate: Double(sampleRate), framesPerPacket: framesPerPacket, channelsPerFrame: channels)
    }

    func makeDecoder() throws -> WorkerDecoder {
        try WorkerDecoder(format: format, magicCookie: magicCookie, program: try .ofTests)
    }

    /// Frames of all packets.
    var frameCount: Int { packets.reduce(0) { $0 + $1.frameCount } }
}

/// Decodes packets: every frame of each.
func decodeAll(
    _ packets: some Sequence<(bytes: [UInt8], frameCount: Int)>, with decoder: any AudioPacketDecoder
) throws -> [Float] {
    var output: [Float] = []
    var samples = [Float](repeating: .nan, count: Limits.packetFrameCount * decoder.channelCount)
    for packet in packets {
        var span = samples.mutableSpan
        try decoder.decode(packet: packet.bytes.span.bytes, frameCount: packet.frameCount, into: &span)
        output += samples[..<(packet.frameCount * decoder.channelCount)]
    }
    return output
}

/// The largest difference of two signals of one length.
func largestDifference(_ a: some Sequence<Float>, _ b: some Sequence<Float>) -> Float {
    zip(a, b).reduce(0) { max($0, abs($1.0 - $1.1)) }
}

/// What `ffprobe -show_data` prints: sections of `key=value` lines, bytes as a hex dump.
private struct Probe {
    struct Section {
        var duration = 0
        var bytes: [UInt8] = []
    }

    private(set) var sections: [Section] = []

    init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "[/".utf8) || line.starts(with: "[SIDE".utf8) { continue }
            if line.first == UInt8(ascii: "[") {
                sections.append(Section())
            } else if line.starts(with: "duration=".utf8) {
                sections[sections.count - 1].duration = Int(String(decoding: line.dropFirst(9), as: UTF8.self)) ?? 0
            } else if line.count > 10, line[line.startIndex + 8] == UInt8(ascii: ":") {
                // "00000000: 1190 56e5 00              ..V.."
                let digits = line.dropFirst(10).prefix(40).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
                for index in stride(from: 0, to: digits.count - 1, by: 2) {
                    sections[sections.count - 1].bytes.append(UInt8(digits[index] << 4 | digits[index + 1]))
                }
            }
        }
    }
}
