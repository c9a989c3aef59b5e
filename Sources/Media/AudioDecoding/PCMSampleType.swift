import AudioCore

/// How one sample of linear PCM is stored.
///
/// Integers with fewer bits than their bytes hold are left-aligned, so the container's width alone scales them.
enum PCMSampleType: Hashable {
    case unsigned8, signed8
    case signed16(bigEndian: Bool), signed24(bigEndian: Bool), signed32(bigEndian: Bool)
    /// Five to eight bytes.
    case signedWide(byteCount: Int, bigEndian: Bool)
    case float32(bigEndian: Bool), float64(bigEndian: Bool)

    /// Returns nil unless the format's sizes are consistent.
    init?(format: AudioStreamFormat) {
        guard Limits.channelRange.contains(format.channelsPerFrame), format.bytesPerFrame > 0,
            format.bytesPerFrame % format.channelsPerFrame == 0
        else { return nil }
        let byteCount = format.bytesPerFrame / format.channelsPerFrame
        guard byteCount <= 8, format.bitsPerChannel > 0, format.bitsPerChannel <= byteCount * 8 else { return nil }
        let bigEndian = format.pcm.contains(.bigEndian)
        switch (format.pcm.contains(.float), format.pcm.contains(.signedInteger), byteCount) {
        case (true, _, 4): self = .float32(bigEndian: bigEndian)
        case (true, _, 8): self = .float64(bigEndian: bigEndian)
        case (false, false, 1): self = .unsigned8
        case (false, true, 1): self = .signed8
        case (false, true, 2): self = .signed16(bigEndian: bigEndian)
        case (false, true, 3): self = .signed24(bigEndian: bigEndian)
        case (false, true, 4): self = .signed32(bigEndian: bigEndian)
        case (false, true, 5...8): self = .signedWide(byteCount: byteCount, bigEndian: bigEndian)
        default: return nil
        }
    }

    /// Bytes of one sample.
    var byteCount: Int {
        switch self {
        case .unsigned8, .signed8: 1
        case .signed16: 2
        case .signed24: 3
        case .signed32, .float32: 4
        case .float64: 8
        case .signedWide(let byteCount, _): byteCount
        }
    }

    /// Converts the first `count` samples. The caller has checked that both spans are large enough.
    func convert(_ bytes: RawSpan, count: Int, into output: inout MutableSpan<Float>) {
        precondition(count * byteCount <= bytes.byteCount && count <= output.count)
        bytes.withUnsafeBytes { source in
            output.withUnsafeMutableBufferPointer { target in
                convert(source, count: count, into: target)
            }
        }
    }

    private func convert(_ source: UnsafeRawBufferPointer, count: Int, into target: UnsafeMutableBufferPointer<Float>) {
        switch self {
        case .unsigned8:
            for i in 0..<count { target[i] = (Float(source[i]) - 128) * 0x1p-7 }
        case .signed8:
            for i in 0..<count { target[i] = Float(Int8(bitPattern: source[i])) * 0x1p-7 }
        case .signed16(let big):
            for i in 0..<count { target[i] = Float(Int16(bitPattern: source.load16(i * 2, big))) * 0x1p-15 }
        case .signed24(let big):
            for i in 0..<count { target[i] = Float(Int32(bitPattern: source.load24(i * 3, big))) * 0x1p-31 }
        case .signed32(let big):
            for i in 0..<count { target[i] = Float(Int32(bitPattern: source.load32(i * 4, big))) * 0x1p-31 }
        case .signedWide(let width, let big):
            for i in 0..<count {
                target[i] = Float(Int64(bitPattern: source.loadWide(i * width, width, big))) * 0x1p-63
            }
        case .float32(let big):
            for i in 0..<count { target[i] = Float(bitPattern: source.load32(i * 4, big)).finiteOrZero }
        case .float64(let big):
            for i in 0..<count { target[i] = Float(Double(bitPattern: source.load64(i * 8, big))).finiteOrZero }
        }
    }
}

extension Float {
    fileprivate var finiteOrZero: Float { isFinite ? self : 0 }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func load16(_ offset: Int, _ bigEndian: Bool) -> UInt16 {
        let value = loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        return bigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value)
    }

    /// Loads three bytes into the high bits of a word.
    @inline(__always)
    fileprivate func load24(_ offset: Int, _ bigEndian: Bool) -> UInt32 {
        let (low, middle, high) = (
            self[offset + (bigEndian ? 2 : 0)], self[offset + 1], self[offset + (bigEndian ? 0 : 2)]
        )
        return UInt32(high) << 24 | UInt32(middle) << 16 | UInt32(low) << 8
    }

    @inline(__always)
    fileprivate func load32(_ offset: Int, _ bigEndian: Bool) -> UInt32 {
        let value = loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return bigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
    }

    /// Loads five to eight bytes into the high bits of a word.
    fileprivate func loadWide(_ offset: Int, _ byteCount: Int, _ bigEndian: Bool) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<byteCount {
            let byte = self[offset + (bigEndian ? index : byteCount - 1 - index)]
            value = value << 8 | UInt64(byte)
        }
        return value << UInt64(64 - 8 * byteCount)
    }

    @inline(__always)
    fileprivate func load64(_ offset: Int, _ bigEndian: Bool) -> UInt64 {
        let value = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return bigEndian ? UInt64(bigEndian: value) : UInt64(littleEndian: value)
    }
}
