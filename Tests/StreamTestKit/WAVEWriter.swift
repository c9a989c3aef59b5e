/// Writes WAVE files, right ones and wrong ones.
public struct WAVEWriter {
    public var formatTag: UInt16 = 1
    public var channels: UInt16 = 2
    public var sampleRate: UInt32 = 44_100
    public var bitsPerSample: UInt16 = 16
    /// Of the extensible format chunk; nil for a plain one.
    public var validBits: UInt16?
    /// Chunks before the format, between format and data, and after the data.
    public var leading: [UInt8] = []
    public var between: [UInt8] = []
    public var trailing: [UInt8] = []
    /// What the data chunk says of its size; nil for the truth.
    public var dataSize: UInt32?
    public var bytesPerFrame: UInt16?

    public init() {}

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

    public func file(data: [UInt8]) -> [UInt8] {
        var dataChunk: [UInt8] = []
        dataChunk.append(ascii: "data")
        dataChunk.append(littleEndian: dataSize ?? UInt32(data.count))
        dataChunk += data
        if data.count % 2 == 1, !trailing.isEmpty { dataChunk.append(0) }
        let body = leading + Self.chunk("fmt ", format) + between + dataChunk + trailing
        var file: [UInt8] = []
        file.append(ascii: "RIFF")
        file.append(littleEndian: UInt32(body.count + 4))
        file.append(ascii: "WAVE")
        return file + body
    }

    private var format: [UInt8] {
        let frame = bytesPerFrame ?? channels &* ((bitsPerSample + 7) / 8)
        var chunk: [UInt8] = []
        chunk.append(littleEndian: validBits == nil ? formatTag : 0xFFFE)
        chunk.append(littleEndian: channels)
        chunk.append(littleEndian: sampleRate)
        chunk.append(littleEndian: sampleRate &* UInt32(frame))
        chunk.append(littleEndian: frame)
        chunk.append(littleEndian: bitsPerSample)
        guard let validBits else { return chunk }
        chunk.append(littleEndian: UInt16(22))
        chunk.append(littleEndian: validBits)
        chunk.append(littleEndian: UInt32(3))
        chunk.append(littleEndian: formatTag)
        return chunk + [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
}
