import AudioCore
import AudioDecoding
import Glibc
import LibavcodecDecoding
import MPEGDecoding
import Testing

/// What a listener would put out of a song: interleaved samples, trimmed.
struct Decoding {
    var samples: [Float]
    var damagedPacketCount: Int

    static let catalog: DecoderCatalog = {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        catalog.registerLibraryDecoders(program: WorkerProgram(path: worker))
        return catalog
    }()

    /// The test tool that is a worker, beside the program that runs the tests.
    static let worker: String = {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = path.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        let directory = String(decoding: path.prefix(max(0, count)), as: UTF8.self).split(separator: "/").dropLast()
        return "/" + directory.joined(separator: "/") + "/decode-worker"
    }()

    /// - Parameter isTrimmed: false for all that comes out of the decoder.
    /// - Throws: `unsupportedCodec` where there is no decoder for it.
    init(_ reading: Reading, isTrimmed: Bool = true) throws(AudioDecodingError) {
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
        damagedPacketCount = decoder.damagedPacketCount
        guard isTrimmed else {
            samples = all
            return
        }
        let priming = min(all.count, (reading.summary.packetTable?.primingFrameCount ?? 0) * channels)
        samples = Array(all.dropFirst(priming).prefix(Int(reading.audibleFrameCount) * channels))
    }
}
