import AudioCore

/// What silence between the stretches of an edited song is given as: packets that no byte of the file is in.
struct SilentPackets {
    /// Of all but the last.
    let frameCount: Int64
    /// One of them: a splice without packets, or samples that are zero.
    private let packet: [UInt8]
    /// Where packets are cut by their bytes, else 0.
    private let bytesPerFrame: Int64

    private static let spliceFrameCount: Int64 = 4_096

    init(_ entry: SampleEntry) {
        guard let blocks = entry.blocks, blocks.framesPerBlock == 1 else {
            frameCount = Self.spliceFrameCount
            packet = AudioPacketSplice.bytes(dropping: 0, of: [])
            bytesPerFrame = 0
            return
        }
        bytesPerFrame = blocks.bytesPerBlock
        frameCount = max(1, min(blocks.blocksPerPacket, Int64(Limits.packetByteCount) / bytesPerFrame))
        packet = [UInt8](repeating: Self.zero(of: entry.format), count: Int(frameCount * bytesPerFrame))
    }

    /// Every byte of a sample that is zero, or as near to it as there is one (ITU-T G.711 tables 1 and 2).
    private static func zero(of format: AudioStreamFormat) -> UInt8 {
        switch format.codec {
        case .aLaw: 0xD5
        case .muLaw: 0xFF
        default: format.pcm.isDisjoint(with: [.signedInteger, .float]) ? 0x80 : 0
        }
    }

    /// No packet has more.
    var largestByteCount: Int64 { Int64(packet.count) }

    func packetCount(ofFrames count: Int64) -> Int64 {
        count / frameCount + (count.isMultiple(of: frameCount) ? 0 : 1)
    }

    func byteCount(ofFrames count: Int64) -> Int64 {
        bytesPerFrame > 0 ? count * bytesPerFrame : packetCount(ofFrames: count) * largestByteCount
    }

    func packets(ofFrames count: Int64) -> [SampleShare.Part] {
        (0..<packetCount(ofFrames: count)).map { number in
            let frames = min(frameCount, count - number * frameCount)
            let bytes = bytesPerFrame > 0 ? Array(packet.prefix(Int(frames * bytesPerFrame))) : packet
            return SampleShare.Part(content: .made(bytes), frameCount: Int(frames))
        }
    }
}
