import AudioCore

/// CAF's audio description chunk: the fields of Core Audio's `AudioStreamBasicDescription`.
struct CAFDescription {
    static let byteCount = 32

    let type: ChunkName
    let sampleRate: Double
    let channels: Int
    private let flags: UInt32
    /// Zero if packet sizes vary.
    let bytesPerPacket: Int
    let framesPerPacket: Int
    private let bits: Int

    /// - Parameter chunk: the whole body of the chunk.
    init(_ chunk: RawSpan) throws(AudioStreamError) {
        sampleRate = Double(bitPattern: chunk.bigEndian64(at: 0))
        type = ChunkName(code: chunk.bigEndian32(at: 8))
        flags = chunk.bigEndian32(at: 12)
        bytesPerPacket = Int(chunk.bigEndian32(at: 16))
        framesPerPacket = Int(chunk.bigEndian32(at: 20))
        channels = Int(chunk.bigEndian32(at: 24))
        bits = Int(chunk.bigEndian32(at: 28))
        try AudioFormats.check(sampleRate: sampleRate, channels: channels)
        guard bytesPerPacket <= Limits.packetByteCount, framesPerPacket <= Limits.packetFrameCount else {
            throw .unsupportedDataFormat(
                "CAF with packets of \(bytesPerPacket) bytes and \(framesPerPacket) frames")
        }
    }

    /// Returns the format of a codec with equal packets; nil for other codecs.
    func plainFormat() throws(AudioStreamError) -> AudioStreamFormat? {
        switch type {
        case "lpcm": return try linearPCM()
        case "ulaw": return .packed(.muLaw, sampleRate: sampleRate, channels: channels)
        case "alaw": return .packed(.aLaw, sampleRate: sampleRate, channels: channels)
        case "ima4": return .ima4(sampleRate: sampleRate, channels: channels)
        case ChunkName(code: Codec.waveIMA.rawValue):
            let unit = 4 * channels
            guard bytesPerPacket >= 2 * unit, bytesPerPacket % unit == 0 else {
                throw .invalidFile("CAF's IMA blocks of \(bytesPerPacket) bytes do not suit \(channels) channels")
            }
            return AudioStreamFormat(
                codec: .waveIMA, sampleRate: sampleRate, bytesPerPacket: bytesPerPacket,
                framesPerPacket: (bytesPerPacket / unit - 1) * 8 + 1, channelsPerFrame: channels)
        default: return nil
        }
    }

    /// Returns the linear PCM format. Flags ("Audio Description Chunk"): 1 float, 2 little-endian. Integers are signed.
    private func linearPCM() throws(AudioStreamError) -> AudioStreamFormat {
        guard framesPerPacket == 1, bytesPerPacket > 0, bytesPerPacket % channels == 0,
            (1...8 * (bytesPerPacket / channels)).contains(bits)
        else {
            throw .invalidFile(
                "CAF's PCM of \(bits) bits in \(bytesPerPacket) bytes does not suit \(channels) channels")
        }
        let bytesPerSample = bytesPerPacket / channels
        let isFloat = flags & 1 != 0
        guard isFloat ? [4, 8].contains(bytesPerSample) : bytesPerSample <= 8 else {
            throw .unsupportedDataFormat("\(isFloat ? "float" : "PCM") samples of \(bytesPerSample) bytes")
        }
        var layout: PCMLayout = isFloat ? .float : .signedInteger
        if flags & 2 == 0, bytesPerSample > 1 { layout.insert(.bigEndian) }
        return .packedPCM(
            sampleRate: sampleRate, channels: channels, bits: bits, bytesPerSample: bytesPerSample, layout: layout)
    }

    /// The codec of packets that a packet table describes; nil if it is unknown.
    var codec: Codec? {
        let codec = Codec(rawValue: type.code)
        switch codec {
        case .aac, .aacHE, .aacHEv2, .alac, .mpegLayer1, .mpegLayer2, .mpegLayer3, .opus, .flac, .ac3,
            .amrNarrowband, .amrWideband:
            return codec
        case Codec(rawValue: 0x6D73_0055): return .mpegLayer3
        case Codec("cac3"): return .ac3
        default: return nil
        }
    }
}
