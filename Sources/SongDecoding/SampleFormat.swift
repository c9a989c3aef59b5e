import AudioCore

/// How samples stand in a WAVE file.
struct SampleFormat: Hashable, Sendable {
    var byteCount: Int
    /// Of integers: significant bits, aligned high.
    var validBits: Int
    var isFloat: Bool

    static let float32 = SampleFormat(byteCount: 4, validBits: 32, isFloat: true)

    /// Integers in as many whole bytes as their bits need; nil for what no decoder gives.
    static func integer(bits: Int) -> SampleFormat? {
        guard (1...32).contains(bits) else { return nil }
        return SampleFormat(byteCount: (bits + 7) / 8, validBits: bits, isFloat: false)
    }

    /// What the song's samples are by nature: integers where its codec keeps integers, floats otherwise. Lossy codecs
    /// have no width of their own.
    /// - Parameter cookie: FLAC's STREAMINFO (RFC 9639 section 8.2), ALAC's specific configuration: they say it.
    init(of format: AudioStreamFormat, cookie: [UInt8]) {
        self = Self.bits(of: format, cookie).flatMap(Self.integer) ?? .float32
        if format.codec == .linearPCM, !isFloat, format.channelsPerFrame > 0 {
            byteCount = format.bytesPerFrame / format.channelsPerFrame
        }
    }

    private init(byteCount: Int, validBits: Int, isFloat: Bool) {
        self.byteCount = byteCount
        self.validBits = validBits
        self.isFloat = isFloat
    }

    private static func bits(of format: AudioStreamFormat, _ cookie: [UInt8]) -> Int? {
        switch format.codec {
        case .linearPCM: format.pcm.contains(.float) ? nil : format.bitsPerChannel
        // G.711 expands to 14 and 13 bits, IMA ADPCM predicts in 16.
        case .muLaw, .aLaw, .ima4, .waveIMA: 16
        // Behind 20 bits of sample rate and 3 of channels: bits less one, in 5.
        case .flac: cookie.count >= 18 ? Int((cookie[12] & 1) << 4 | cookie[13] >> 4) + 1 : nil
        case .alac: cookie.count >= 24 ? Int(cookie[5]) : nil
        default: nil
        }
    }
}

extension SampleFormat {
    /// Appends samples as this format has them, little-endian; 8 bits are offset binary, as WAVE wants them.
    ///
    /// What an integer decoder gave comes out as it was: a `Float` holds 24 bits. What exceeds full scale is cut.
    func append(_ samples: some Sequence<Float>, to bytes: inout [UInt8]) {
        guard !isFloat else {
            for sample in samples { Self.append(sample.bitPattern, 4, to: &bytes) }
            return
        }
        // Aligned high: scaled by the bits that count, then moved up.
        let scale = Double(UInt64(1) << (validBits - 1))
        let shift = byteCount * 8 - validBits
        for sample in samples {
            let value = Int64((Double(sample) * scale).rounded())
            let cut = min(max(value, -Int64(scale)), Int64(scale) - 1) << shift
            Self.append(UInt32(truncatingIfNeeded: byteCount == 1 ? cut + 128 : cut), byteCount, to: &bytes)
        }
    }

    @inline(__always)
    private static func append(_ word: UInt32, _ byteCount: Int, to bytes: inout [UInt8]) {
        for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * index))) }
    }

    /// Appends samples of linear PCM, which are this format but for the order of bytes and the sign of 8 bits, as they
    /// are.
    func append(pcm: RawSpan, of format: AudioStreamFormat, to bytes: inout [UInt8]) {
        let isBig = format.pcm.contains(.bigEndian)
        let flip: UInt8 = byteCount == 1 && format.pcm.contains(.signedInteger) ? 0x80 : 0
        pcm.withUnsafeBytes { source in
            guard isBig && byteCount > 1 else {
                guard flip != 0 else { return bytes.append(contentsOf: source) }
                return bytes.append(contentsOf: source.lazy.map { $0 ^ flip })
            }
            for sample in stride(from: 0, to: source.count - byteCount + 1, by: byteCount) {
                for index in (0..<byteCount).reversed() { bytes.append(source[sample + index]) }
            }
        }
    }
}
