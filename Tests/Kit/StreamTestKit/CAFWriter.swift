/// Writes CAF files, right ones and wrong ones.
public struct CAFWriter {
    public var sampleRate = 44_100.0
    public var type = "lpcm"
    public var flags: UInt32 = 2
    public var bytesPerPacket: UInt32 = 4
    public var framesPerPacket: UInt32 = 1
    public var channels: UInt32 = 2
    public var bits: UInt32 = 16
    /// Whole chunks between description and audio, and behind the audio.
    public var between: [UInt8] = []
    public var trailing: [UInt8] = []
    /// What the audio's chunk says of its size; nil for the truth.
    public var dataSize: Int64?

    public init() {}

    public static func chunk(_ name: String, _ body: [UInt8], size: Int64? = nil) -> [UInt8] {
        var bytes = Array(name.utf8)
        bytes.append(bigEndian: size ?? Int64(body.count))
        return bytes + body
    }

    public static func info(_ fields: [(String, String)]) -> [UInt8] {
        var body: [UInt8] = []
        body.append(bigEndian: UInt32(fields.count))
        for (key, value) in fields { body += Array(key.utf8) + [0] + Array(value.utf8) + [0] }
        return chunk("info", body)
    }

    /// - Parameters:
    ///   - sizes: bytes of each packet.
    ///   - frames: of each packet, if they vary.
    ///   - valid: frames that are heard.
    public static func table(
        _ sizes: [Int], frames: [Int]? = nil, valid: Int64, priming: Int32 = 0, remainder: Int32 = 0
    ) -> [UInt8] {
        var body: [UInt8] = []
        body.append(bigEndian: Int64(sizes.count))
        body.append(bigEndian: valid)
        body.append(bigEndian: priming)
        body.append(bigEndian: remainder)
        for (index, size) in sizes.enumerated() {
            body += number(size)
            if let frames { body += number(frames[index]) }
        }
        return chunk("pakt", body)
    }

    /// Seven bits a byte, the high bit set in all but the last.
    private static func number(_ value: Int) -> [UInt8] {
        var bytes = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }

    public func file(data: [UInt8]) -> [UInt8] {
        var description: [UInt8] = []
        description.append(bigEndian: sampleRate.bitPattern)
        description += Array(type.utf8)
        for number in [flags, bytesPerPacket, framesPerPacket, channels, bits] { description.append(bigEndian: number) }
        return Array("caff".utf8) + [0, 1, 0, 0] + Self.chunk("desc", description) + between
            + Self.chunk("data", [0, 0, 0, 1] + data, size: dataSize) + trailing
    }
}
