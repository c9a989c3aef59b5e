import AudioCore
import AudioDecoding
import AudioFileStreamServices
import MPEGDecoding
import StreamTestKit

/// A file made by an encoder at test time, parsed by our chain.
struct Song {
    let bytes: [UInt8]
    let stream: ParsedStream

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        stream = parse(bytes, with: AudioFileStream(), pieces: [bytes.count])
    }

    /// Two seconds and a bit of music-like sound (chords, a sweep, noise bursts), through `encode`, which reads
    /// `in.wav` and writes `out`.
    init(rate: Int, channels: Int, seconds: Double = 2.3, encode: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "sox -R -r \(rate) -n -b 16 in.wav synth \(seconds) sine 220 sine 331 sine 100-\(rate / 3) "
                + "whitenoise remix \(channels == 1 ? "1-4" : "1,3,4v0.3 2,3,4v0.3") tremolo 3 80 gain -6",
            in: directory)
        try Tool.run(encode, in: directory)
        self.init(try Tool.readFile(directory.path + "/out"))
    }

    var format: AudioStreamFormat { stream.format! }

    /// Decodes from packet `first` on: every frame of every packet, untrimmed.
    func decode(from first: Int = 0) throws -> [Float] {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        let decoder = try catalog.makeDecoder(for: format)
        let packets = stream.packets
        decoder.reset(streamFrame: packets[..<first].reduce(0) { $0 + Int64($1.frameCount) })
        var output: [Float] = []
        var samples = [Float](repeating: .nan, count: Limits.packetFrameCount * format.channelsPerFrame)
        for packet in packets[first...] {
            var span = samples.mutableSpan
            try decoder.decode(packet: packet.bytes.span.bytes, frameCount: packet.frameCount, into: &span)
            output += samples[..<(packet.frameCount * format.channelsPerFrame)]
        }
        return output
    }

    /// What is audible of the whole, by the stream's packet table.
    func decodeAudible() throws -> [Float] {
        let all = try decode()
        let channels = format.channelsPerFrame
        guard let table = stream.table else { return all }
        let start = table.primingFrameCount * channels
        let end = table.validFrameCount.map { min(all.count, start + Int($0) * channels) } ?? all.count
        return Array(all[min(start, end)..<end])
    }

    /// The same file through the mpg123 program, gapless, as floats.
    func referenceDecode() throws -> [Float] {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/song", bytes)
        try Tool.run("mpg123 -q -e f32 -O out.raw song", in: directory)
        let raw = try Tool.readFile(directory.path + "/out.raw")
        return raw.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
}
