import AudioCore

/// Writes MPEG frames with true headers around meaningless sound, and the headers and tags of such files.
public struct MPEGWriter {
    /// MPEG-1 layer III, 128 kbit/s, 44.1 kHz, joint stereo, no CRC.
    public static let layer3: UInt32 = 0xFFFB_9064
    /// MPEG-2 layer III, 64 kbit/s, 22.05 kHz, stereo, no CRC.
    public static let layer3LowRate: UInt32 = 0xFFF3_8004
    /// MPEG-1 layer II, 192 kbit/s, 48 kHz, stereo, with CRC.
    public static let layer2: UInt32 = 0xFFFC_A404
    /// MPEG-1 layer I, 384 kbit/s, 32 kHz, stereo, no CRC.
    public static let layer1: UInt32 = 0xFFFF_C804
    /// MPEG-1 layer III, free format, 44.1 kHz, stereo, no CRC.
    public static let freeFormat: UInt32 = 0xFFFB_0004

    public var word: UInt32
    public var freeFormatByteCount: Int

    public init(_ word: UInt32 = Self.layer3, freeFormatByteCount: Int = 0) {
        self.word = word
        self.freeFormatByteCount = freeFormatByteCount
    }

    public func frame(seed: UInt64 = 1, isPadded: Bool = false, bitRateIndex: UInt32? = nil) -> [UInt8] {
        var word = word
        if isPadded { word |= 1 << 9 }
        if let bitRateIndex { word = word & ~(15 << 12) | bitRateIndex << 12 }
        let header = MPEGFrameHeader(word: word)!
        var bytes: [UInt8] = []
        bytes.append(bigEndian: word)
        return bytes + payload(header.packetByteCount(freeFormatByteCount: freeFormatByteCount) - 4, seed: seed)
    }

    public func frames(_ count: Int) -> [[UInt8]] {
        (0..<count).map { frame(seed: UInt64($0), isPadded: $0 % 3 == 2) }
    }

    /// A frame with Xing's header, and LAME's if a delay is given.
    /// - Parameters:
    ///   - encoder: the encoder's name, nine bytes.
    ///   - loudness: LAME's peak and gains, eight bytes.
    public func xing(
        _ name: String = "Xing", packets: UInt32?, bytes: UInt32? = nil, delay: Int? = nil, padding: Int = 0,
        encoder: StaticString = "LAME3.100", loudness: [UInt8] = [UInt8](repeating: 0, count: 8),
        table: [UInt8] = [UInt8](repeating: 7, count: 100)
    ) -> [UInt8] {
        let header = MPEGFrameHeader(word: word)!
        var body = [UInt8](repeating: 0, count: header.sideInfoByteCount)
        body.append(ascii: name)
        body.append(bigEndian: UInt32((packets == nil ? 0 : 1) | (bytes == nil ? 0 : 2) | 4 | 8))
        if let packets { body.append(bigEndian: packets) }
        if let bytes { body.append(bigEndian: bytes) }
        body += table + [0, 0, 0, 7]
        if let delay {
            body.append(ascii: encoder.description)
            body += [0, 0] + loudness + [0, 0]
            body += [UInt8(delay >> 4), UInt8(delay & 15) << 4 | UInt8(padding >> 8), UInt8(padding & 255)]
        }
        return fill(body)
    }

    /// A frame with Fraunhofer's header.
    /// - Parameter table: bytes of each stretch of `stretch` packets, in units of 16 bytes.
    public func vbri(packets: UInt32, bytes: UInt32, table: [UInt16] = [], stretch: UInt16 = 0) -> [UInt8] {
        var body = [UInt8](repeating: 0, count: 32)
        body.append(ascii: "VBRI")
        body += [0, 1, 4, 0xB1, 0, 100]
        body.append(bigEndian: bytes)
        body.append(bigEndian: packets)
        for value in [UInt16(table.count), 16, 2, stretch] + table { body.append(bigEndian: value) }
        return fill(body)
    }

    private func fill(_ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: word)
        bytes += body
        return bytes + [UInt8](repeating: 0, count: MPEGFrameHeader(word: word)!.packetByteCount() - bytes.count)
    }
}

/// Writes ID3v2 tags.
public struct ID3v2Writer {
    public var majorVersion: UInt8
    public var isUnsynchronised = false
    public var hasExtendedHeader = false
    public var hasFooter = false
    public var paddingByteCount = 0
    private var frames: [UInt8] = []

    public init(majorVersion: UInt8) { self.majorVersion = majorVersion }

    /// - Parameter body: of a text frame the encoding byte and the text.
    public mutating func add(_ id: String, _ body: [UInt8], flags: UInt8 = 0) {
        let body = majorVersion == 4 && isUnsynchronised ? Self.unsynchronised(body) : body
        frames.append(ascii: id)
        switch majorVersion {
        case 2: frames += Self.bigEndian24(body.count)
        case 3: frames.append(bigEndian: UInt32(body.count))
        default: frames += Self.synchsafe(body.count)
        }
        if majorVersion > 2 { frames += [0, flags | (majorVersion == 4 && isUnsynchronised ? 2 : 0)] }
        frames += body
    }

    public var bytes: [UInt8] {
        var body = frames + [UInt8](repeating: 0, count: paddingByteCount)
        if hasExtendedHeader {
            body = (majorVersion == 3 ? [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] : [0, 0, 0, 6, 1, 0]) + body
        }
        if majorVersion < 4 && isUnsynchronised { body = Self.unsynchronised(body) }
        let flags: UInt8 = (isUnsynchronised ? 0x80 : 0) | (hasExtendedHeader ? 0x40 : 0) | (hasFooter ? 0x10 : 0)
        let rest = [majorVersion, 0, flags] + Self.synchsafe(body.count)
        return Array("ID3".utf8) + rest + body + (hasFooter ? Array("3DI".utf8) + rest : [])
    }

    private static func unsynchronised(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if result.last == 0xFF, byte == 0 || byte >= 0xE0 { result.append(0) }
            result.append(byte)
        }
        if result.last == 0xFF { result.append(0) }
        return result
    }

    private static func synchsafe(_ value: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) } }
    private static func bigEndian24(_ value: Int) -> [UInt8] { [16, 8, 0].map { UInt8(value >> $0 & 0xFF) } }
}

/// An ID3v1.1 tag.
public func id3v1(
    title: String, artist: String, album: String, year: String, track: UInt8, comment: String = "", genre: UInt8 = 255
) -> [UInt8] {
    func field(_ text: String, _ count: Int) -> [UInt8] {
        Array(text.utf8.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - text.utf8.count))
    }
    return Array("TAG".utf8) + field(title, 30) + field(artist, 30) + field(album, 30) + field(year, 4)
        + field(comment, 28) + [0, track, genre]
}

/// An APEv2 tag with header and footer around `byteCount` bytes that are no items.
public func apeTag(byteCount: Int) -> [UInt8] { apeTag(items: payload(byteCount), count: 1) }

/// An APEv2 tag with texts and, under their names, pictures.
public func apeTag(_ texts: [(String, String)], pictures: [(String, [UInt8])] = []) -> [UInt8] {
    func item(_ name: String, _ value: [UInt8], flags: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(value.count))
        bytes.append(littleEndian: flags)
        return bytes + Array(name.utf8) + [0] + value
    }
    let items =
        texts.flatMap { item($0.0, Array($0.1.utf8), flags: 0) }
        + pictures.flatMap { item($0.0, Array("cover.jpg".utf8) + [0] + $0.1, flags: 2) }
    return apeTag(items: items, count: texts.count + pictures.count)
}

private func apeTag(items: [UInt8], count: Int) -> [UInt8] {
    func frame(_ flags: UInt32) -> [UInt8] {
        var bytes = Array("APETAGEX".utf8)
        bytes.append(littleEndian: UInt32(2_000))
        bytes.append(littleEndian: UInt32(items.count + 32))
        bytes.append(littleEndian: UInt32(count))
        bytes.append(littleEndian: flags)
        return bytes + [UInt8](repeating: 0, count: 8)
    }
    return frame(1 << 31 | 1 << 29) + items + frame(1 << 31)
}
