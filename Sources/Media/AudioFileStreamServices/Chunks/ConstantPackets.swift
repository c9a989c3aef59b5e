import AudioCore

// Linear PCM and G.711 have no packets of their own and are cut into pieces of about 20 ms; the last may be shorter.
// The packets of the IMA codecs are theirs: of WAVE's the last may be shorter, of Apple's not.

/// Packets of one size and one length: where they lie is arithmetic.
struct ConstantPackets {
    let bytesPerPacket: Int
    let framesPerPacket: Int
    private let codec: Codec
    private let bytesPerFrame: Int
    private let channelCount: Int

    /// The caller has checked that neither size of the format is zero.
    init(_ format: AudioStreamFormat) {
        bytesPerPacket = format.bytesPerPacket
        framesPerPacket = format.framesPerPacket
        bytesPerFrame = format.bytesPerFrame
        channelCount = format.channelsPerFrame
        codec = format.codec
    }

    /// What can be decoded of a packet of which only so many bytes are there.
    func part(ofByteCount byteCount: Int) -> (byteCount: Int, frameCount: Int) {
        if byteCount >= bytesPerPacket { return (bytesPerPacket, framesPerPacket) }
        if codec == .waveIMA {
            // A header of four bytes a channel that holds one sample, then eight samples in each four bytes.
            let unit = 4 * channelCount
            let units = byteCount / unit
            return units == 0 ? (0, 0) : (units * unit, min(framesPerPacket, (units - 1) * 8 + 1))
        }
        guard bytesPerFrame > 0 else { return (0, 0) }
        let frames = byteCount / bytesPerFrame
        return (frames * bytesPerFrame, frames)
    }

    /// What so many bytes hold; the caller has limited them.
    func total(ofByteCount byteCount: Int64) -> StreamLength {
        let (packets, rest) = byteCount.quotientAndRemainder(dividingBy: Int64(bytesPerPacket))
        let last = part(ofByteCount: Int(rest))
        return StreamLength(
            byteCount: packets * Int64(bytesPerPacket) + Int64(last.byteCount),
            packetCount: packets + (last.frameCount > 0 ? 1 : 0),
            frameCount: packets * Int64(framesPerPacket) + Int64(last.frameCount))
    }
}

/// How much audio there is.
struct StreamLength: Equatable {
    var byteCount: Int64 = 0
    var packetCount: Int64 = 0
    /// Frames that come out of the decoder.
    var frameCount: Int64 = 0

    mutating func add(byteCount: Int, frameCount: Int) {
        self.byteCount += Int64(byteCount)
        packetCount += 1
        self.frameCount += Int64(frameCount)
    }
}

/// How linear PCM, which has no packets of its own, is cut into them.
enum PCMPackets {
    /// About 20 ms, a power of two, at most 1,024 frames: with the most channels of the widest samples still within
    /// `Limits.packetByteCount`. The last packet of a file may be shorter.
    static func frameCount(sampleRate: Double) -> Int {
        switch sampleRate {
        case 32_000...: 1_024
        case 16_000...: 512
        default: 256
        }
    }
}
