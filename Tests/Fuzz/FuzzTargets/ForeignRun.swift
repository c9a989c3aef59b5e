import AudioCore
import AudioDecoding
import AudioFileStreamServices
import LibavcodecDecoding

// The libraries are not built for the fuzzer, so no coverage guides it. Most containers check their packets, so bytes
// that the fuzzer changed would not reach a decoder. Therefore the file is parsed as it is, and its packets and its
// cookie are hurt afterwards, as the choices say.

/// A file's packets, hurt, through the libraries' decoders in this process, where the address sanitizer watches its
/// memory.
struct ForeignRun {
    var file: [UInt8]
    var choices: Choices

    func violation() -> String? {
        var sink = CheckingSink()
        sink.keptByteLimit = 64 * 1024
        var parser = AudioFileStream()
        _ = try? parser.parse(file.span.bytes, discontinuity: false, into: &sink)
        _ = try? parser.finish(into: &sink)
        guard let libraries = Self.libraries, let format = sink.summary.format,
            LibraryDecoderSetup.codecs.contains(format.codec)
        else { return nil }
        var random = Random(state: choices.bytes.reduce(0) { $0 << 8 | UInt64($1) })
        var cookie = sink.summary.magicCookie
        if random.next(below: 4) == 0 { random.hurt(&cookie) }
        let setup = LibraryDecoderSetup(
            codec: format.codec, sampleRate: format.sampleRate, channelCount: format.channelsPerFrame,
            magicCookie: cookie, findsImplicitSBR: random.next(below: 2) == 0,
            outputsIntegers: random.next(below: 2) == 0)
        guard let decoder = try? libraries.makeDecoder(setup) else { return nil }
        var frames = DecodedFrames(headerByteCount: 0)
        for packet in sink.kept {
            var bytes = packet.bytes
            if random.next(below: 2) == 0 { random.hurt(&bytes) }
            if let violation = violation(of: bytes, &frames, decoder) { return violation }
        }
        return nil
    }

    private func violation(
        of packet: [UInt8], _ frames: inout DecodedFrames, _ decoder: any LibraryDecoder
    ) -> String? {
        frames.removeAll()
        _ = packet.withUnsafeBytes { decoder.decode($0, into: &frames) }
        if frames.frameCount > Limits.packetFrameCount { return "\(frames.frameCount) frames of one packet" }
        let size = frames.withMessage { $0.count }
        if size != frames.frameCount * frames.channelCount * MemoryLayout<Float>.stride {
            return "\(size) bytes for \(frames.frameCount) frames"
        }
        return nil
    }

    private static var libraries: CodecLibraries? { try? shared.get() }
    // Used by one thread only: libFuzzer's.
    nonisolated(unsafe) private static let shared = Result { () throws(CodecLibraryError) in try CodecLibraries() }
}

/// Numbers that depend on nothing but the start; Marsaglia's xorshift64.
private struct Random {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state = state == 0 ? 0x9E37_79B9_7F4A_7C15 : state
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(max(limit, 1)))
    }

    /// Changes some bytes or bits, cuts, repeats or lengthens.
    mutating func hurt(_ bytes: inout [UInt8]) {
        switch next(below: 8) {
        case 0: bytes.removeLast(next(below: bytes.count + 1))
        case 1: bytes.append(contentsOf: bytes.prefix(next(below: 600)))
        case 2: bytes = (0..<next(below: 1_000)).map { _ in UInt8(next(below: 256)) }
        default:
            guard !bytes.isEmpty else { return }
            for _ in 0...next(below: 8) {
                // The front holds what decides most.
                let place = next(below: next(below: 2) == 0 ? min(bytes.count, 24) : bytes.count)
                bytes[place] = next(below: 2) == 0 ? UInt8(next(below: 256)) : bytes[place] ^ 1 << UInt8(next(below: 8))
            }
        }
    }
}
