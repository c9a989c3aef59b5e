/// The library's sample storage: `AVSampleFormat`, by its numbers. Integers are left-aligned.
enum LibrarySampleFormat: Int32 {
    case unsigned8, signed16, signed32, float32, float64
    case unsigned8Planar, signed16Planar, signed32Planar, float32Planar, float64Planar

    /// Whether each channel has its own plane.
    var isPlanar: Bool { rawValue >= Self.unsigned8Planar.rawValue }

    /// Bytes of one sample.
    var byteCount: Int {
        switch self {
        case .unsigned8, .unsigned8Planar: 1
        case .signed16, .signed16Planar: 2
        case .signed32, .signed32Planar, .float32, .float32Planar: 4
        case .float64, .float64Planar: 8
        }
    }

    /// Converts to interleaved samples: to `Float` with full-scale integers as 1, or to full-scale `Int32`.
    /// - Parameters:
    ///   - planes: one per channel, or a single one with the samples of all. Any alignment.
    ///   - target: has room for the frames. Any alignment.
    /// - Returns: whether the conversion exists: there is none from floats to integers.
    func convert(
        _ planes: UnsafePointer<UnsafeRawPointer?>, frameCount: Int, channelCount: Int, toIntegers: Bool,
        into target: UnsafeMutableRawPointer
    ) -> Bool {
        /// Converts samples to positions `stride` samples apart in the target.
        func run<Sample: BitwiseCopyable, Converted: BitwiseCopyable>(
            _ source: UnsafeRawPointer, count: Int, first: Int, stride: Int, _ convert: (Sample) -> Converted
        ) {
            for index in 0..<count {
                let sample = source.loadUnaligned(
                    fromByteOffset: index * MemoryLayout<Sample>.stride, as: Sample.self)
                target.storeBytes(
                    of: convert(sample), toByteOffset: (first + index * stride) * MemoryLayout<Converted>.stride,
                    as: Converted.self)
            }
        }
        for plane in 0..<(isPlanar ? channelCount : 1) {
            guard let source = planes[plane] else { continue }
            let count = isPlanar ? frameCount : frameCount * channelCount
            let stride = isPlanar ? channelCount : 1
            switch (self, toIntegers) {
            case (.unsigned8, false), (.unsigned8Planar, false):
                run(source, count: count, first: plane, stride: stride) { (s: UInt8) in (Float(s) - 128) * 0x1p-7 }
            case (.signed16, false), (.signed16Planar, false):
                run(source, count: count, first: plane, stride: stride) { (s: Int16) in Float(s) * 0x1p-15 }
            case (.signed32, false), (.signed32Planar, false):
                run(source, count: count, first: plane, stride: stride) { (s: Int32) in Float(s) * 0x1p-31 }
            case (.float32, false), (.float32Planar, false):
                run(source, count: count, first: plane, stride: stride) { (s: Float) in s }
            case (.float64, false), (.float64Planar, false):
                run(source, count: count, first: plane, stride: stride) { (s: Double) in Float(s) }
            case (.unsigned8, true), (.unsigned8Planar, true):
                run(source, count: count, first: plane, stride: stride) { (s: UInt8) in (Int32(s) - 128) << 24 }
            case (.signed16, true), (.signed16Planar, true):
                run(source, count: count, first: plane, stride: stride) { (s: Int16) in Int32(s) << 16 }
            case (.signed32, true), (.signed32Planar, true):
                run(source, count: count, first: plane, stride: stride) { (s: Int32) in s }
            case (.float32, true), (.float32Planar, true), (.float64, true), (.float64Planar, true):
                return false
            }
        }
        return true
    }
}
