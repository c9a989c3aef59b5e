/// The header of a WAVE file of 32-bit IEEE floats (Multimedia Programming Interface 1.0, "Waveform Audio File
/// Format"; format tag 3, with the `fact` chunk that tags other than PCM need).
struct WaveHeader {
    let bytes: [UInt8]

    static let byteCount = 58

    /// - Parameter dataByteCount: sizes beyond what 32 bits hold are stated as the greatest that fits.
    init(sampleRate: Double, channelCount: Int, dataByteCount: Int64) {
        let bytesPerFrame = 4 * channelCount
        let size = UInt32(clamping: dataByteCount)
        var bytes = Array("RIFF".utf8)
        bytes.append(UInt32(clamping: Int64(size) + Int64(Self.byteCount - 8)))
        bytes += Array("WAVEfmt ".utf8)
        bytes.append(UInt32(18))
        bytes.append(UInt16(3))
        bytes.append(UInt16(channelCount))
        bytes.append(UInt32(sampleRate.rounded()))
        bytes.append(UInt32((sampleRate * Double(bytesPerFrame)).rounded()))
        bytes.append(UInt16(bytesPerFrame))
        bytes.append(UInt16(32))
        bytes.append(UInt16(0))
        bytes += Array("fact".utf8)
        bytes.append(UInt32(4))
        bytes.append(UInt32(clamping: dataByteCount / Int64(bytesPerFrame)))
        bytes += Array("data".utf8)
        bytes.append(size)
        self.bytes = bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
