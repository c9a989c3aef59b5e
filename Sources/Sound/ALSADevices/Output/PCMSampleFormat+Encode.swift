// From float samples to what the device takes.
//
// Full scale is 2^(bits - 1), so samples that a decoder made by dividing integers of at most that width become the same
// integers again. Values beyond full scale are clipped, ties round to even, NaN becomes silence. 16-bit output is not
// dithered: a 16-bit song at volume 1 must leave the card bit for bit unchanged.

extension PCMSampleFormat {
    /// Writes `samples.count` samples in this format to `bytes`. Real-time safe.
    func encode(_ samples: UnsafeBufferPointer<Float>, to bytes: UnsafeMutableRawPointer) {
        switch self {
        case .float32:
            encodeFloats(samples, to: bytes)
        case .integer32:
            for index in 0..<samples.count {
                bytes.storeBytes(of: Self.quantize32(samples[index]), toByteOffset: index &* 4, as: Int32.self)
            }
        case .integer24Packed:
            for index in 0..<samples.count {
                let value = Self.quantize(samples[index], scale: 0x1p23)
                let offset = index &* 3
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: offset, as: UInt8.self)
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: value >> 8), toByteOffset: offset &+ 1, as: UInt8.self)
                bytes.storeBytes(of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: offset &+ 2, as: UInt8.self)
            }
        case .integer24:
            for index in 0..<samples.count {
                bytes.storeBytes(
                    of: Self.quantize(samples[index], scale: 0x1p23), toByteOffset: index &* 4, as: Int32.self)
            }
        case .integer16:
            for index in 0..<samples.count {
                let value = Int16(truncatingIfNeeded: Self.quantize(samples[index], scale: 0x1p15))
                bytes.storeBytes(of: value, toByteOffset: index &* 2, as: Int16.self)
            }
        }
    }

    @inline(__always)
    private func encodeFloats(_ samples: UnsafeBufferPointer<Float>, to bytes: UnsafeMutableRawPointer) {
        for index in 0..<samples.count {
            let sample = samples[index]
            // NaN fails both comparisons and becomes zero.
            let clipped: Float = sample >= -1 ? (sample <= 1 ? sample : 1) : (sample < -1 ? -1 : 0)
            bytes.storeBytes(of: clipped, toByteOffset: index &* 4, as: Float.self)
        }
    }

    @inline(__always)
    private static func quantize(_ sample: Float, scale: Float) -> Int32 {
        let scaled = (sample * scale).rounded(.toNearestOrEven)
        let clipped = scaled >= -scale ? (scaled <= scale - 1 ? scaled : scale - 1) : (scaled < -scale ? -scale : 0)
        return Int32(clipped)
    }

    /// A `Float` cannot hold 2^31 - 1, so the clipping uses `Double`.
    @inline(__always)
    private static func quantize32(_ sample: Float) -> Int32 {
        let scaled = (Double(sample) * 0x1p31).rounded(.toNearestOrEven)
        let clipped =
            scaled >= -0x1p31 ? (scaled <= 0x1p31 - 1 ? scaled : 0x1p31 - 1) : (scaled < -0x1p31 ? -0x1p31 : 0)
        return Int32(clipped)
    }
}
