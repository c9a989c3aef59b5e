import AudioCore

// Linear PCM and G.711 have no packets of their own and are cut into pieces of about 20 ms; the last may be shorter.
// The IMA codecs have packets; the last may be shorter in WAVE, but not in Apple's IMA 4:1.

/// Packets of one size and one frame count: their places follow by arithmetic.
struct ConstantPackets {
    let bytesPerPacket: Int
    let framesPerPacket: Int
    private let codec: Codec
    private let bytesPerFrame: Int
    private let channelCount: Int

    /// - Precondition: neither size in the format is zero.
    init(_ format: AudioStreamFormat) {
        bytesPerPacket = format.bytesPerPacket
        framesPerPacket = format.framesPerPacket
        bytesPerFrame = format.bytesPerFrame
        channelCount = format.channelsPerFrame
        codec = format.codec
    }

    /// Returns the part of a packet that can be decoded from only its first `byteCount` bytes.
    func part(ofByteCount byteCount: Int) -> (byteCount: Int, frameCount: Int) {
        if byteCount >= bytesPerPacket { return (bytesPerPacket, framesPerPacket) }
        if codec == .waveIMA {
            // Per channel a 4-byte header with one sample, then eight samples per 4 bytes.
            let unit = 4 * channelCount
            let units = byteCount / unit
            return units == 0 ? (0, 0) : (units * unit, min(framesPerPacket, (units - 1) * 8 + 1))
        }
        guard bytesPerFrame > 0 else { return (0, 0) }
        let frames = byteCount / bytesPerFrame
        return (frames * bytesPerFrame, frames)
    }

    /// Returns what this many bytes contain; the caller has limited them.
    func total(ofByteCount byteCount: Int64) -> StreamLength {
        let (packets, rest) = byteCount.quotientAndRemainder(dividingBy: Int64(bytesPerPacket))
        let last = part(ofByteCount: Int(rest))
        return StreamLength(
            byteCount: packets * Int64(bytesPerPacket) + Int64(last.byteCount),
            packetCount: packets + (last.frameCount > 0 ? 1 : 0),
            frameCount: packets * Int64(framesPerPacket) + Int64(last.frameCount))
    }
}

/// A length of audio.
struct StreamLength: Equatable {
    var byteCount: Int64 = 0
    var packetCount: Int64 = 0
    /// Frames that the decoder outputs.
    var frameCount: Int64 = 0

    mutating func add(byteCount: Int, frameCount: Int) {
        self.byteCount += Int64(byteCount)
        packetCount += 1
        self.frameCount += Int64(frameCount)
    }
}

/// How linear PCM, which has no packets of its own, is cut into packets.
enum PCMPackets {
    /// Returns about 20 ms of frames: a power of two, at most 1,024, so that the most channels of the widest samples
    /// fit into `Limits.packetByteCount`. The last packet of a file may be shorter.
    static func frameCount(sampleRate: Double) -> Int {
        switch sampleRate {
        case 32_000...: 1_024
        case 16_000...: 512
        default: 256
        }
    }
}
