import AudioCore

// ITU-T G.711: a byte contains sign, segment and step. Tables 2a (mu-law, bias 33, 14-bit values) and 1a (A-law, 13-bit
// values), both scaled to 16 bits as usual; on the wire, bytes are inverted (mu-law) or have their even bits inverted
// (A-law).

/// Decodes G.711, mu-law and A-law, to `Float`: one byte per sample.
public final class G711Decoder: AudioPacketDecoder {
    public let sampleRate: Double
    public let channelCount: Int
    public private(set) var damagedPacketCount = 0
    private let table: [Float]

    /// - Throws: `unsupportedCodec` for another codec than ``AudioCore/Codec/muLaw`` and ``AudioCore/Codec/aLaw``.
    public init(format: AudioStreamFormat) throws(AudioDecodingError) {
        switch format.codec {
        case .muLaw: table = (0...255).map { Float(Self.muLaw($0)) * 0x1p-15 }
        case .aLaw: table = (0...255).map { Float(Self.aLaw($0)) * 0x1p-15 }
        default: throw .unsupportedCodec(format.codec)
        }
        sampleRate = format.sampleRate
        channelCount = format.channelsPerFrame
    }

    public func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        try checkLimits(of: packet, frameCount: frameCount, output: output)
        if packet.byteCount != frameCount * channelCount { damagedPacketCount += 1 }
        let present = min(packet.byteCount / channelCount, frameCount) * channelCount
        packet.withUnsafeBytes { source in
            table.withUnsafeBufferPointer { table in
                output.withUnsafeMutableBufferPointer { target in
                    for index in 0..<present { target[index] = table[Int(source[index])] }
                }
            }
        }
        for index in present..<(frameCount * channelCount) { output[index] = 0 }
    }

    public func reset(streamFrame: Int64) {}

    static func muLaw(_ byte: Int) -> Int {
        let inverted = byte ^ 0xFF
        let magnitude = ((inverted & 0x0F) << 3 + 0x84) << ((inverted & 0x70) >> 4) - 0x84
        return inverted & 0x80 == 0 ? magnitude : -magnitude
    }

    static func aLaw(_ byte: Int) -> Int {
        let toggled = byte ^ 0x55
        let segment = (toggled & 0x70) >> 4
        let step = (toggled & 0x0F) << 4 + 8
        let magnitude = segment == 0 ? step : (step + 0x100) << (segment - 1)
        return toggled & 0x80 != 0 ? magnitude : -magnitude
    }
}
