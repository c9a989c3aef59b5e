/// Writes WAVE files, right ones and wrong ones.
public struct WAVEWriter {
    public var formatTag: UInt16
    public var channels: UInt16
    public var sampleRate: UInt32
    public var bitsPerSample: UInt16
    /// Of the extensible format chunk; nil for a plain one.
    public var validBits: UInt16?
    /// Chunks before the format, between format and data, and after the data.
    public var leading: [UInt8] = []
    public var between: [UInt8] = []
    public var trailing: [UInt8] = []
    /// What the data chunk says of its size; nil for the truth.
    public var dataSize: UInt32?
    public var bytesPerFrame: UInt16?
    /// "RIFX" is big-endian; "RF64" and "BW64" have their sizes in a chunk of their own.
    public var form = "RIFF"
    /// Of the extensible format chunk.
    public var speakerMask: UInt32 = 3
    /// Of IMA ADPCM's format chunk.
    public var framesPerBlock: UInt16?

    public init(rate: Int = 44_100, channels: Int = 2, bits: Int = 16, isFloat: Bool = false) {
        formatTag = isFloat ? 3 : 1
        self.channels = UInt16(channels)
        sampleRate = UInt32(rate)
        bitsPerSample = UInt16(bits)
    }

    public static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(ascii: name)
        bytes.append(littleEndian: UInt32(body.count))
        bytes += body
        if body.count % 2 == 1 { bytes.append(0) }
        return bytes
    }

    public static func info(_ fields: [(String, String)]) -> [UInt8] {
        chunk("LIST", Array("INFO".utf8) + fields.flatMap { chunk($0.0, Array($0.1.utf8) + [0]) })
    }

    private var isBigEndian: Bool { form == "RIFX" }

    private func number(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        if isBigEndian { bytes.append(bigEndian: value) } else { bytes.append(littleEndian: value) }
        return bytes
    }

    public func file(data: [UInt8]) -> [UInt8] {
        let isWide = form == "RF64" || form == "BW64"
        var wide: [UInt8] = []
        if isWide {
            wide = Self.chunk(
                "ds64", number(UInt64(0)) + number(UInt64(data.count)) + number(UInt64(0)) + [0, 0, 0, 0])
        }
        var dataChunk = Array("data".utf8) + number(dataSize ?? (isWide ? .max : UInt32(data.count))) + data
        if data.count % 2 == 1, !trailing.isEmpty { dataChunk.append(0) }
        let formatChunk = Array("fmt ".utf8) + number(UInt32(format.count)) + format
        let body = wide + leading + formatChunk + between + dataChunk + trailing
        let size = isWide ? .max : UInt32(body.count + 4)
        return Array(form.utf8) + number(size) + Array("WAVE".utf8) + body
    }

    private var format: [UInt8] {
        let frame = bytesPerFrame ?? channels &* ((bitsPerSample + 7) / 8)
        var chunk = number(validBits == nil ? formatTag : 0xFFFE) + number(channels) + number(sampleRate)
        chunk += number(sampleRate &* UInt32(frame)) + number(frame) + number(bitsPerSample)
        if let framesPerBlock { return chunk + number(UInt16(2)) + number(framesPerBlock) }
        guard let validBits else { return chunk }
        chunk += number(UInt16(22)) + number(validBits) + number(speakerMask)
        return chunk + number(UInt32(formatTag)) + number(UInt16(0)) + number(UInt16(0x10))
            + [0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
}
