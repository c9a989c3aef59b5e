/// Writes AIFF and AIFF-C files, right ones and wrong ones.
public struct AIFFWriter {
    /// AIFF-C's compression type; nil for AIFF.
    public var type: String?
    public var channels: UInt16 = 2
    public var bits: UInt16 = 16
    public var frameCount: UInt32 = 0
    public var sampleRate: UInt32 = 44_100
    /// Bytes between SSND's head and its first sample.
    public var offset: UInt32 = 0
    /// What SSND says of its size; nil for the truth.
    public var audioSize: UInt32?
    /// The audio comes before the chunk that describes it.
    public var isAudioFirst = false
    public var between: [UInt8] = []
    public var trailing: [UInt8] = []

    public init() {}

    public static func chunk(_ name: String, _ body: [UInt8], size: UInt32? = nil) -> [UInt8] {
        var bytes = Array(name.utf8)
        bytes.append(bigEndian: size ?? UInt32(body.count))
        return bytes + body + [UInt8](repeating: 0, count: body.count % 2)
    }

    public func file(data: [UInt8]) -> [UInt8] {
        var prefix: [UInt8] = []
        prefix.append(bigEndian: offset)
        prefix.append(bigEndian: UInt32(512))
        let audio = Self.chunk("SSND", prefix + [UInt8](repeating: 9, count: Int(offset)) + data, size: audioSize)
        let common = Self.chunk("COMM", commonBody)
        let version = type == nil ? [] : Self.chunk("FVER", [0xA2, 0x80, 0x51, 0x40])
        let body = version + (isAudioFirst ? audio + between + common : common + between + audio) + trailing
        return Array("FORM".utf8) + Self.size(body.count + 4) + Array((type == nil ? "AIFF" : "AIFC").utf8) + body
    }

    private static func size(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(count))
        return bytes
    }

    private var commonBody: [UInt8] {
        var body: [UInt8] = []
        body.append(bigEndian: channels)
        body.append(bigEndian: frameCount)
        body.append(bigEndian: bits)
        // The significand's first bit is written out.
        let shift = sampleRate.leadingZeroBitCount
        body.append(bigEndian: UInt16(16_383 + 31 - min(shift, 31)))
        body.append(bigEndian: UInt32(sampleRate << UInt32(min(shift, 31))))
        body.append(bigEndian: UInt32(0))
        if let type { body += Array(type.utf8) + [3] + Array("any".utf8) }
        return body
    }
}

/// Writes NeXT/Sun files.
public struct NextSunWriter {
    public var encoding: UInt32 = 3
    public var sampleRate: UInt32 = 44_100
    public var channels: UInt32 = 2
    public var text: [UInt8] = [0, 0, 0, 0]
    /// What the header says of the audio's size; nil for the truth.
    public var size: UInt32?
    public var isBigEndian = true

    public init() {}

    public func file(data: [UInt8]) -> [UInt8] {
        var bytes = Array((isBigEndian ? ".snd" : "dns.").utf8)
        for number in [UInt32(24 + text.count), size ?? UInt32(data.count), encoding, sampleRate, channels] {
            if isBigEndian { bytes.append(bigEndian: number) } else { bytes.append(littleEndian: number) }
        }
        return bytes + text + data
    }
}
