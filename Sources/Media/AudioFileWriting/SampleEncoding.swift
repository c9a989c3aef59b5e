import AudioCore

/// How samples are stored in one type of file: their width, byte order, and the meaning of 8 bits.
public struct SampleEncoding: Hashable, Sendable {
    public let samples: SampleFormat
    /// Most significant byte first.
    public let isBigEndian: Bool
    /// Whether 8-bit samples are offset binary; wider ones are always two's complement.
    public let hasOffsetBytes: Bool

    /// Creates the encoding of a file type: WAVE is little-endian with offset bytes, AIFF big-endian; CAF is written
    /// little-endian, like this machine.
    public init(_ samples: SampleFormat, in type: AudioFileType) {
        self.samples = samples
        isBigEndian = type == .aiff || type == .aifc
        hasOffsetBytes = type == .wave
    }

    /// The byte of silence.
    var silence: UInt8 { samples.byteCount == 1 && hasOffsetBytes ? 0x80 : 0 }

    /// Appends samples with a full scale of 1.
    ///
    /// Integer samples come out unchanged, up to the 24 bits of a `Float`. Samples beyond full scale are clipped.
    public func append(_ floats: some Sequence<Float>, to bytes: inout [UInt8]) {
        guard !samples.isFloat else {
            for sample in floats { append(sample.bitPattern, to: &bytes) }
            return
        }
        // Left-aligned: scaled by the valid bits, then shifted up.
        let scale = Double(UInt64(1) << (samples.validBits - 1))
        let shift = samples.byteCount * 8 - samples.validBits
        let offset: Int64 = silence == 0 ? 0 : 128
        for sample in floats {
            let value = Double(sample) * scale
            // NaN and infinities become silence.
            let rounded = value.isFinite ? Int64(min(max(value.rounded(), -scale), scale - 1)) : 0
            append(UInt32(truncatingIfNeeded: rounded << shift + offset), to: &bytes)
        }
    }

    /// Appends full-scale, left-aligned integers; cuts off bits that these samples lack. Not for floats.
    public func append(integers: some Sequence<Int32>, to bytes: inout [UInt8]) {
        precondition(!samples.isFloat)
        let shift = UInt32(32 - samples.byteCount * 8)
        let offset: UInt32 = silence == 0 ? 0 : 128
        for sample in integers { append(UInt32(bitPattern: sample) >> shift &+ offset, to: &bytes) }
    }

    @inline(__always)
    private func append(_ word: UInt32, to bytes: inout [UInt8]) {
        let top = samples.byteCount - 1
        for index in 0...top {
            bytes.append(UInt8(truncatingIfNeeded: word >> (8 * (isBigEndian ? top - index : index))))
        }
    }

    /// Whether samples of this format differ only in byte order and in the sign of 8 bits.
    public func passes(_ format: AudioStreamFormat) -> Bool {
        format.codec == .linearPCM && !samples.isFloat && !format.pcm.contains(.float)
            && format.bytesPerFrame == format.channelsPerFrame * samples.byteCount
    }

    /// Appends linear PCM samples that ``passes(_:)`` accepts, with unchanged values.
    public func append(pcm: RawSpan, of format: AudioStreamFormat, to bytes: inout [UInt8]) {
        let byteCount = samples.byteCount
        let flip: UInt8 = byteCount == 1 && format.pcm.contains(.signedInteger) == hasOffsetBytes ? 0x80 : 0
        pcm.withUnsafeBytes { source in
            guard byteCount > 1, format.pcm.contains(.bigEndian) != isBigEndian else {
                guard flip != 0 else { return bytes.append(contentsOf: source) }
                return bytes.append(contentsOf: source.lazy.map { $0 ^ flip })
            }
            for sample in stride(from: 0, to: source.count - byteCount + 1, by: byteCount) {
                for index in (0..<byteCount).reversed() { bytes.append(source[sample + index]) }
            }
        }
    }
}
