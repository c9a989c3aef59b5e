import AudioCore
import AudioDecoding
import AudioFileStreamServices
import MPEGDecoding

/// A file's packets through the decoder for them, where this process has one.
struct DecoderRun {
    var file: [UInt8]
    var choices: Choices

    static let catalog: DecoderCatalog = {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        return catalog
    }()

    func violation() -> String? {
        var sink = CheckingSink()
        sink.keptByteLimit = 64 * 1024
        var parser = AudioFileStream()
        _ = try? parser.parse(file.span.bytes, discontinuity: false, into: &sink)
        _ = try? parser.finish(into: &sink)
        guard let format = sink.summary.format,
            let decoder = try? Self.catalog.makeDecoder(for: format, magicCookie: sink.summary.magicCookie)
        else { return nil }
        // The packets as they come; or from one on; or one twice, as if a seek had happened.
        let start = choices.mode(of: 3) == 1 ? Int(choices.number(below: Int64(sink.kept.count))) : 0
        if start > 0 {
            decoder.reset(streamFrame: sink.kept[..<start].reduce(0) { $0 + Int64($1.frameCount) })
        }
        for packet in sink.kept.dropFirst(start) {
            if let violation = decode(packet.bytes, packet.frameCount, with: decoder) { return violation }
        }
        guard choices.mode(of: 3) == 2, let first = sink.kept.first else { return nil }
        decoder.reset(streamFrame: 0)
        return decode(first.bytes, first.frameCount, with: decoder)
    }
}

/// Formats and packets that come over a network, where no parser has looked at them before.
struct SamplesRun {
    var bytes: [UInt8]
    var choices: Choices

    func violation() -> String? {
        let codecs = Array(DecoderRun.catalog.codecs).sorted { $0.rawValue < $1.rawValue }
        let codec = codecs[choices.mode(of: codecs.count)]
        let format = AudioStreamFormat(
            codec: codec, sampleRate: [8_000, 44_100, 48_000, 192_000, 7_999][Int(choices.bytes[1]) % 5],
            pcm: PCMLayout(rawValue: UInt32(choices.bytes[2] & 7)), bytesPerPacket: Int(choices.bytes[3]),
            framesPerPacket: Int(choices.bytes[4]), bytesPerFrame: Int(choices.bytes[5]),
            channelsPerFrame: Int(choices.bytes[6] & 15), bitsPerChannel: Int(choices.bytes[7]))
        guard let decoder = try? DecoderRun.catalog.makeDecoder(for: format, magicCookie: Array(bytes.prefix(24)))
        else {
            return nil
        }
        // Each packet: how many bytes, how many frames, the bytes.
        var rest = bytes[...]
        while rest.count > 3 {
            let size = min(Int(rest.first!) << 2, rest.count - 3)
            let frames = Int(rest.dropFirst().first!) << 8 | Int(rest.dropFirst(2).first!)
            let packet = Array(rest.dropFirst(3).prefix(size))
            rest = rest.dropFirst(3 + size)
            if let violation = decode(packet, frames % 5_000, with: decoder) { return violation }
        }
        return nil
    }
}

/// Decodes a packet; what is wrong with the samples, nil if nothing.
func decode(
    _ packet: [UInt8], _ frameCount: Int, with decoder: any AudioPacketDecoder,
    _ take: (ArraySlice<Float>) -> Void = { _ in }
) -> String? {
    let count = frameCount * decoder.channelCount
    // One more sample, which must stay as it is.
    var samples = [Float](repeating: .nan, count: count + 1)
    var output = samples.mutableSpan
    do throws(AudioDecodingError) {
        try decoder.decode(packet: packet.span.bytes, frameCount: frameCount, into: &output)
    } catch {
        return nil
    }
    if !samples[count].isNaN { return "more samples than \(frameCount) frames have" }
    take(samples[..<count])
    return samples.dropLast().allSatisfy(\.isFinite) ? nil : "a packet of \(frameCount) frames was not filled"
}
