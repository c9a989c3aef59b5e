import Testing

@testable import ALSADevices

@Suite(.timeLimit(.minutes(5))) struct SampleFormatTests {
    private func encode(_ samples: [Float], _ format: PCMSampleFormat) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xAA, count: samples.count * format.byteCount)
        samples.withUnsafeBufferPointer { samples in
            bytes.withUnsafeMutableBytes { format.encode(samples, to: $0.baseAddress!) }
        }
        return bytes
    }

    private func integers(_ samples: [Float], _ format: PCMSampleFormat) -> [Int] {
        let bytes = encode(samples, format)
        return stride(from: 0, to: bytes.count, by: format.byteCount).map { start in
            let unsigned = (0..<format.byteCount).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
            let bits = format.byteCount * 8
            return unsigned >= 1 << (bits - 1) ? unsigned - 1 << bits : unsigned
        }
    }

    @Test func sixteenBitSamplesComeBackAsTheyWere() {
        let values = Array(-32_768...32_767)
        #expect(integers(values.map { Float($0) / 32_768 }, .integer16) == values)
    }

    @Test(arguments: [PCMSampleFormat.integer24, .integer24Packed])
    func twentyFourBitSamplesComeBackAsTheyWere(_ format: PCMSampleFormat) {
        let values = stride(from: -(1 << 23), through: (1 << 23) - 1, by: 4_999).map { $0 }
        #expect(integers(values.map { Float($0) / 0x1p23 }, format) == values)
    }

    @Test(arguments: [PCMSampleFormat.integer16, .integer24, .integer24Packed, .integer32])
    func whatIsBeyondFullScaleIsClipped(_ format: PCMSampleFormat) {
        let bits = format == .integer24 ? 24 : format.byteCount * 8
        let samples: [Float] = [1, 7, .infinity, -1, -7, -.infinity, .nan, 0]
        let (top, bottom) = ((1 << (bits - 1)) - 1, -(1 << (bits - 1)))
        #expect(integers(samples, format) == [top, top, top, bottom, bottom, bottom, 0, 0])
    }

    @Test func halvesAreRoundedToEven() {
        let samples: [Float] = [0.5, 1.5, 2.5, -0.5, -1.5, 0.4, -0.6].map { $0 / 32_768 }
        #expect(integers(samples, .integer16) == [0, 2, 2, 0, -2, 0, -1])
    }

    @Test func floatsPassAndAreClipped() {
        let bytes = encode([0.25, -3, 2, .nan], .float32)
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(samples == [0.25, -1, 1, 0])
    }
}
