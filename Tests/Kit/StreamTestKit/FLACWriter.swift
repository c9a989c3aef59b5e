/// Writes FLAC files whose frames have true headers and checks around meaningless sound (RFC 9639).
public struct FLACWriter {
    public var sampleRate = 44_100
    public var channels = 2
    public var bits = 16
    public var blockSize = 4_096
    /// In STREAMINFO and in frame headers: blocks of any size, sample numbers.
    public var isVariable = false
    /// STREAMINFO's count; nil for 0, unknown.
    public var frameCount: Int?
    /// STREAMINFO's largest frame in bytes.
    public var largestFrameByteCount = 0
    /// The coded number of the first frame.
    public var firstNumber = 0

    public init() {}

    public var streamInfo: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt16(isVariable ? 16 : blockSize))
        bytes.append(bigEndian: UInt16(isVariable ? 65_535 : blockSize))
        bytes += [0, 0, 0]
        bytes += [16, 8, 0].map { UInt8(largestFrameByteCount >> $0 & 255) }
        bytes.append(
            bigEndian: UInt64(sampleRate) << 44 | UInt64(channels - 1) << 41 | UInt64(bits - 1) << 36
                | UInt64(frameCount ?? 0))
        return bytes + [UInt8](repeating: 0xAB, count: 16)
    }

    public static func block(_ type: UInt8, _ body: [UInt8], isLast: Bool = false) -> [UInt8] {
        [type | (isLast ? 0x80 : 0)] + [16, 8, 0].map { UInt8(body.count >> $0 & 255) } + body
    }

    /// A frame with a payload of so many bytes.
    public func frame(number: Int, blockSize: Int? = nil, payload body: [UInt8]) -> [UInt8] {
        let size = blockSize ?? self.blockSize
        let depth: UInt8 = [8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7][bits] ?? 0
        var bytes: [UInt8] = [0xFF, isVariable ? 0xF9 : 0xF8, 7 << 4 | 0, UInt8(channels - 1) << 4 | depth << 1]
        bytes += Self.coded(number)
        bytes.append(bigEndian: UInt16(size - 1))
        bytes.append(UInt8(truncatingIfNeeded: Self.check(bytes, bits: 8, polynomial: 0x07)))
        bytes += body
        bytes.append(bigEndian: UInt16(truncatingIfNeeded: Self.check(bytes, bits: 16, polynomial: 0x8005)))
        return bytes
    }

    /// Frames of these block sizes.
    public func frames(blockSizes: [Int], payloadByteCount: Int = 500, seed: UInt64 = 1) -> [[UInt8]] {
        var sample = firstNumber
        return blockSizes.enumerated().map { index, size in
            defer { sample += size }
            return frame(
                number: isVariable ? sample : firstNumber + index, blockSize: size,
                payload: payload(payloadByteCount + index % 7, seed: seed &+ UInt64(index)))
        }
    }

    /// - Parameter blocks: metadata blocks behind STREAMINFO.
    public func file(blocks: [(type: UInt8, body: [UInt8])] = [], frames: [[UInt8]]) -> [UInt8] {
        var bytes = Array("fLaC".utf8) + Self.block(0, streamInfo, isLast: blocks.isEmpty)
        for (index, block) in blocks.enumerated() {
            bytes += Self.block(block.type, block.body, isLast: index == blocks.count - 1)
        }
        return bytes + frames.flatMap { $0 }
    }

    /// Section 9.1.5.
    private static func coded(_ number: Int) -> [UInt8] {
        guard number >= 0x80 else { return [UInt8(number)] }
        var count = 2
        while count < 7, number >= 1 << (5 * count + 1) { count += 1 }
        let lead = UInt8(truncatingIfNeeded: 0xFF00 >> count)
        return (0..<count).map { index in
            let part = UInt8(truncatingIfNeeded: number >> (6 * (count - 1 - index)))
            return index == 0 ? lead | (count < 7 ? part & (0x7F >> UInt8(count)) : 0) : 0x80 | part & 0x3F
        }
    }

    /// A CRC bit by bit, starting from zero.
    public static func check(_ bytes: [UInt8], bits: Int, polynomial: UInt32) -> UInt32 {
        var register: UInt32 = 0
        let top: UInt32 = 1 << UInt32(bits - 1)
        for byte in bytes {
            for bit in (0..<8).reversed() {
                let isSet = (register & top != 0) != (byte >> UInt8(bit) & 1 == 1)
                register = register << 1 ^ (isSet ? polynomial : 0)
            }
        }
        return bits == 32 ? register : register & (1 << UInt32(bits) - 1)
    }
}

/// Vorbis comments as FLAC and Ogg have them; without Vorbis's framing bit.
public func vorbisComments(_ fields: [String], vendor: String = "Tutti") -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt32(vendor.utf8.count))
    bytes.append(ascii: vendor)
    bytes.append(littleEndian: UInt32(fields.count))
    for field in fields {
        bytes.append(littleEndian: UInt32(field.utf8.count))
        bytes.append(ascii: field)
    }
    return bytes
}

/// FLAC's picture block.
public func pictureBlock(type: UInt32 = 3, mime: String = "image/png", _ picture: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: type)
    bytes.append(bigEndian: UInt32(mime.utf8.count))
    bytes.append(ascii: mime)
    bytes.append(bigEndian: UInt32(5))
    bytes.append(ascii: "cover")
    for value in [1, 1, 24, 0] as [UInt32] { bytes.append(bigEndian: value) }
    bytes.append(bigEndian: UInt32(picture.count))
    return bytes + picture
}

public func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for index in 0..<4 {
            text.append(index <= group.count ? digits[word >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}
