import AudioCore
import AudioDecoding
import Glibc
import MPEGDecoding
import Testing
import WorkerDecoding

/// What a listener would put out of a song: interleaved samples, trimmed.
struct Decoding {
    var samples: [Float]
    var damagedPacketCount: Int

    static let catalog: DecoderCatalog = {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        catalog.registerForeign(program: WorkerProgram(path: worker))
        return catalog
    }()

    /// The test tool that is a worker, beside the program that runs the tests.
    private static let worker: String = {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = path.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        let directory = String(decoding: path.prefix(max(0, count)), as: UTF8.self).split(separator: "/").dropLast()
        return "/" + directory.joined(separator: "/") + "/decode-worker"
    }()

    /// - Throws: `unsupportedCodec` where there is no decoder for it.
    init(_ reading: Reading) throws(AudioDecodingError) {
        guard let format = reading.summary.format else { throw .unsupportedFormat("none") }
        let decoder = try Self.catalog.makeDecoder(for: format, magicCookie: reading.summary.magicCookie)
        let channels = decoder.channelCount
        var all: [Float] = []
        var piece: [Float] = []
        for packet in reading.packets {
            piece = [Float](repeating: .nan, count: packet.frameCount * channels)
            let bytes = reading.bytes(of: packet)
            var output = piece.mutableSpan
            try decoder.decode(packet: bytes.span.bytes, frameCount: packet.frameCount, into: &output)
            all += piece
        }
        let priming = min(all.count, (reading.summary.packetTable?.primingFrameCount ?? 0) * channels)
        samples = Array(all.dropFirst(priming).prefix(Int(reading.audibleFrameCount) * channels))
        damagedPacketCount = decoder.damagedPacketCount
    }
}

extension Song {
    /// ffmpeg's samples of it; sox's where ffmpeg does not read it.
    func samplesOfFFmpeg() throws -> [Float] {
        // What rounds to 16 bits is told not to.
        let decoder = codec == "opus" ? "-c:a libopus -request_sample_fmt flt" : ""
        let ffmpeg = "ffmpeg -nostdin -v fatal \(decoder) -i \(quoted(path)) -map 0:a:0 -c:a pcm_f32le -f f32le -"
        // ffmpeg does not know RIFX; sox wrote it.
        return try samples(from: container == "rifx" ? "sox \(quoted(path)) -t f32 -" : ffmpeg)
    }

    /// Of layer II: ffmpeg dequantises it in integers, and is itself beyond a full accuracy decoder's limit in the mean.
    /// libmad, which sox has, keeps that limit. It leaves out the last frame. Nil where ffmpeg is as good.
    func accurateSamples() throws -> [Float]? {
        guard codec == "mp2" else { return nil }
        let all = try samplesOfFFmpeg().count
        let samples = try samples(from: "sox -D -t mp3 \(quoted(path)) -t f32 -")
        #expect(samples.count == all - 1_152 * channels, "\(self): libmad decoded \(samples.count) of \(all) samples")
        return samples
    }

    private func samples(from command: String) throws -> [Float] {
        let bytes = try output(of: command)
        return bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
            }
        }
    }
}
