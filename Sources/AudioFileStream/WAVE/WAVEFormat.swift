import AudioCore

// The format chunk of a WAVE file: WAVEFORMATEX and WAVEFORMATEXTENSIBLE (Multimedia Programming Interface and Data
// Specifications 1.0; mmreg.h). Little-endian: format tag, channels, frames per second, bytes per second, bytes per
// frame, bits per sample; then the size of what follows; extensible: valid bits, speaker mask, a GUID that begins with
// the real tag.

/// Reads a format chunk.
enum WAVEFormat {
    static let smallestByteCount = 16
    private static let extensibleByteCount = 40

    private enum Tag {
        static let pcm: UInt16 = 0x0001
        static let float: UInt16 = 0x0003
        static let extensible: UInt16 = 0xFFFE
    }

    /// - Parameter chunk: the chunk's body, whole, at least ``smallestByteCount`` bytes.
    static func parse(_ chunk: RawSpan) throws(AudioStreamError) -> AudioStreamFormat {
        var tag = chunk.littleEndian16(at: 0)
        let channels = Int(chunk.littleEndian16(at: 2))
        let sampleRate = Double(chunk.littleEndian32(at: 4))
        let bytesPerFrame = Int(chunk.littleEndian16(at: 12))
        var validBits = Int(chunk.littleEndian16(at: 14))
        if tag == Tag.extensible {
            guard chunk.byteCount >= extensibleByteCount else {
                throw .invalidFile("WAVE's extensible format chunk has \(chunk.byteCount) bytes instead of 40")
            }
            guard hasAudioSubformat(chunk) else { throw .unsupportedDataFormat("WAVE with an unknown sub-format") }
            tag = chunk.littleEndian16(at: 24)
            let declared = Int(chunk.littleEndian16(at: 18))
            if declared > 0, declared <= validBits { validBits = declared }
        }
        guard tag == Tag.pcm || tag == Tag.float else { throw .unsupportedDataFormat(name(ofTag: tag)) }
        guard Limits.channelRange.contains(channels) else { throw .unsupportedDataFormat("\(channels) channels") }
        guard Limits.sampleRateRange.contains(sampleRate) else {
            throw .unsupportedDataFormat("a sample rate of \(Int(sampleRate)) Hz")
        }
        guard bytesPerFrame > 0, bytesPerFrame % channels == 0 else {
            throw .invalidFile("WAVE frames of \(bytesPerFrame) bytes do not divide into \(channels) channels")
        }
        let bytesPerSample = bytesPerFrame / channels
        let layout = try layout(isFloat: tag == Tag.float, bits: validBits, bytesPerSample: bytesPerSample)
        return format(sampleRate, channels, validBits, bytesPerSample, layout)
    }

    /// The tail that all GUIDs of KSDATAFORMAT_SUBTYPE_WAVEFORMATEX share: {0000xxxx-0000-0010-8000-00AA00389B71}.
    private static func hasAudioSubformat(_ chunk: RawSpan) -> Bool {
        let tail: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        return chunk.copy(26..<40) == tail
    }

    private static func layout(
        isFloat: Bool, bits: Int, bytesPerSample: Int
    ) throws(AudioStreamError) -> PCMLayout {
        guard bits > 0, bits <= bytesPerSample * 8 else {
            throw .invalidFile("WAVE samples of \(bits) bits in \(bytesPerSample) bytes")
        }
        switch (isFloat, bytesPerSample) {
        case (true, 4), (true, 8): return .float
        // "Samples of 1 to 8 bits are unsigned, of 9 and more signed", aligned high in their bytes.
        case (false, 1): return []
        case (false, 2...4): return .signedInteger
        default: throw .unsupportedDataFormat("\(isFloat ? "float" : "PCM") samples of \(bytesPerSample) bytes")
        }
    }

    private static func format(
        _ sampleRate: Double, _ channels: Int, _ bits: Int, _ bytesPerSample: Int, _ layout: PCMLayout
    ) -> AudioStreamFormat {
        var format = AudioStreamFormat.linearPCM(
            sampleRate: sampleRate, channels: channels, bitsPerChannel: bits, bytesPerSample: bytesPerSample,
            layout: layout)
        format.framesPerPacket = PCMPackets.frameCount(sampleRate: sampleRate)
        format.bytesPerPacket = format.framesPerPacket * format.bytesPerFrame
        return format
    }

    private static func name(ofTag tag: UInt16) -> String {
        switch tag {
        case 0x0002: "WAVE with Microsoft ADPCM"
        case 0x0006: "WAVE with A-law"
        case 0x0007: "WAVE with mu-law"
        case 0x0011: "WAVE with IMA ADPCM"
        case 0x0050: "WAVE with MPEG layer I or II"
        case 0x0055: "WAVE with MPEG layer III"
        default: "WAVE with format tag \(tag)"
        }
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
