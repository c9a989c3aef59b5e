/// Writes Ogg pages with correct checksums (RFC 3533).
public struct OggWriter {
    public var serial: UInt32
    public private(set) var sequence: UInt32 = 0
    /// The pages so far, one by one.
    public private(set) var pages: [[UInt8]] = []

    public init(serial: UInt32 = 0x5455_5454) { self.serial = serial }

    public var bytes: [UInt8] { pages.flatMap { $0 } }

    /// A packet, and the granule position at its end.
    public typealias Packet = (bytes: [UInt8], granule: Int64)

    /// Adds packets in as many pages as they need; the first packet begins a page.
    public mutating func add(
        _ packets: [Packet], isFirst: Bool = false, isLast: Bool = false, segmentsPerPage: Int = 255
    ) {
        var segments: [(bytes: ArraySlice<UInt8>, granule: Int64?, isStart: Bool)] = []
        for packet in packets {
            for start in stride(from: 0, through: packet.bytes.count, by: 255) {
                let part = packet.bytes[start..<min(start + 255, packet.bytes.count)]
                segments.append((part, part.count < 255 ? packet.granule : nil, start == 0))
            }
        }
        for start in stride(from: 0, to: segments.count, by: segmentsPerPage) {
            let end = min(start + segmentsPerPage, segments.count)
            // Continued packet, first page, last page (section 6).
            let flags =
                (segments[start].isStart ? 0 : 1) | (isFirst && start == 0 ? 2 : 0)
                | (isLast && end == segments.count ? 4 : 0)
            let granule = segments[start..<end].compactMap(\.granule).last ?? -1
            addPage(
                flags: UInt8(flags), granule: granule, lacing: segments[start..<end].map { UInt8($0.bytes.count) },
                body: segments[start..<end].flatMap { $0.bytes })
        }
    }

    /// Adds one page with any content.
    /// - Parameter lacing: the segment table, sizes of the parts of `body`.
    public mutating func addPage(flags: UInt8, granule: Int64, lacing: [UInt8], body: [UInt8]) {
        var page = Array("OggS".utf8) + [0, flags]
        page.append(littleEndian: granule)
        page.append(littleEndian: serial)
        page.append(littleEndian: sequence)
        page += [0, 0, 0, 0, UInt8(lacing.count)] + lacing + body
        var check: [UInt8] = []
        check.append(littleEndian: FLACWriter.check(page, bits: 32, polynomial: 0x04C1_1DB7))
        page.replaceSubrange(22..<26, with: check)
        pages.append(page)
        sequence += 1
    }
}

/// Vorbis streams with valid headers and random bytes for sound: blocks of 256 and 2,048 frames.
public struct VorbisWriter {
    public var channels: UInt8 = 2
    public var sampleRate: UInt32 = 44_100
    public var comments: [String] = []
    /// Whether each mode's block is long.
    public var modes = [false, true]
    public var setupSeed: UInt64 = 1

    public init() {}

    public var identification: [UInt8] {
        var bytes = Array("\u{1}vorbis".utf8)
        bytes.append(littleEndian: UInt32(0))
        bytes.append(channels)
        for value in [sampleRate, 0, 128_000, 0] as [UInt32] { bytes.append(littleEndian: value) }
        // Block sizes 2^8 and 2^11, framing bit.
        return bytes + [0xB8, 1]
    }

    public var commentHeader: [UInt8] { Array("\u{3}vorbis".utf8) + vorbisComments(comments) + [1] }

    /// The setup header: random bytes in place of codebooks, floors, residues and mappings; then valid modes and the
    /// framing bit, which a parser can read from the end.
    public var setup: [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) { for shift in 0..<count { bits.append(value >> shift & 1 == 1) } }
        for byte in payload(800, seed: setupSeed) { append(Int(byte), 8) }
        append(5, 3)
        append(modes.count - 1, 6)
        for isLong in modes {
            append(isLong ? 1 : 0, 1)
            append(0, 32)
            append(modes.count > 2 ? 1 : 0, 8)
        }
        append(1, 1)
        var bytes = Array("\u{5}vorbis".utf8)
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append(bits[start..<min(start + 8, bits.count)].reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
        }
        return bytes
    }

    /// An audio packet, whose first bits select the mode.
    public func packet(isLong: Bool, byteCount: Int = 60, seed: UInt64 = 1) -> [UInt8] {
        [UInt8(modes.firstIndex(of: isLong)!) << 1] + payload(byteCount - 1, seed: seed)
    }

    /// Returns a writer that has the header pages.
    public func writerWithHeaders(serial: UInt32 = 1) -> OggWriter {
        var writer = OggWriter(serial: serial)
        writer.add([(identification, 0)], isFirst: true)
        writer.add([(commentHeader, 0), (setup, 0)])
        return writer
    }
}

/// Opus streams.
public struct OpusWriter {
    public var channels: UInt8 = 2
    public var preSkip: UInt16 = 312
    public var family: UInt8 = 0
    public var mapping: [UInt8] = []
    public var comments: [String] = []

    public init() {}

    public var head: [UInt8] {
        var bytes = Array("OpusHead".utf8) + [1, channels]
        bytes.append(littleEndian: preSkip)
        bytes.append(littleEndian: UInt32(44_100))
        return bytes + [0, 1, family] + mapping
    }

    public var tags: [UInt8] { Array("OpusTags".utf8) + vorbisComments(comments) }

    /// A packet of 20 ms (CELT, full band, one frame).
    public static func packet(byteCount: Int = 100, seed: UInt64 = 1) -> [UInt8] {
        [0xF8] + payload(byteCount - 1, seed: seed)
    }

    /// Returns a writer that has the header pages.
    public func writerWithHeaders(serial: UInt32 = 1) -> OggWriter {
        var writer = OggWriter(serial: serial)
        writer.add([(head, 0)], isFirst: true)
        writer.add([(tags, 0)])
        return writer
    }

    /// Returns a writer that has headers and packets of 20 ms.
    /// - Parameter cut: frames that the last granule position cuts off the last packet.
    public func file(packets: Int, perPage: Int = 10, cut: Int = 0, serial: UInt32 = 1, byteCount: Int = 100)
        -> OggWriter
    {
        var writer = writerWithHeaders(serial: serial)
        for start in stride(from: 0, to: packets, by: perPage) {
            let end = min(start + perPage, packets)
            writer.add(
                (start..<end).map { index in
                    let isLast = index == packets - 1
                    return (
                        Self.packet(byteCount: byteCount + index % 7, seed: UInt64(index)),
                        Int64((index + 1) * 960 - (isLast ? cut : 0))
                    )
                }, isLast: end == packets)
        }
        return writer
    }
}
