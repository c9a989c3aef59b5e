/// Writes MPEG-4 files (ISO/IEC 14496-12) around meaningless packets: right ones, odd ones and wrong ones.
public struct MPEG4Writer: Sendable {
    /// The boxes of `stsd`'s description, `mp4a` with AAC by default.
    public var sampleEntry = Self.aac()
    public var timescale: UInt32 = 44_100
    public var movieTimescale: UInt32 = 1_000
    public var packets: [[UInt8]] = []
    /// Media time of each packet, and of the last.
    public var duration: UInt32 = 1_024
    public var lastDuration: UInt32?
    /// Media time of each packet by itself; nil where all are alike.
    public var durations: [UInt32]?
    public var packetsPerChunk = 4
    /// Bytes in front of each chunk that belong to somebody else.
    public var betweenChunks: [UInt8] = []
    /// Whether the last chunk comes first in the file.
    public var isReversed = false
    public var has64BitOffsets = false
    /// 32, or 4, 8 and 16 for compact ones.
    public var sizeBits = 32
    /// Said to be the size of all samples, and their number; nil for a table.
    public var constantSize: (size: UInt32, count: UInt32)?
    public var samplesPerChunk: UInt32?
    public var edits: [(duration: UInt32, mediaTime: Int32)] = []
    /// Of the edits with these numbers, in 65,536ths; 1 of the others.
    public var editRates: [Int: UInt32] = [:]
    /// Boxes in `udta`, and further tracks before the one that is played.
    public var userData: [UInt8] = []
    public var otherTracks: [UInt8] = []
    /// Further boxes of `moov`.
    public var movieBoxes: [UInt8] = []
    public var isEnabled = true
    public var handler = "soun"

    public init(packetCount: Int = 40) {
        packets = (0..<packetCount).map { payload(150 + $0 * 37 % 100, seed: UInt64($0)) }
    }

    // MARK: Boxes

    public static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(body.count + 8))
        return bytes + name(type) + body
    }

    /// With a size of 64 bits.
    public static func longBox(_ type: String, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(1))
        bytes += name(type)
        bytes.append(bigEndian: UInt64(body.count + 16))
        return bytes + body
    }

    public static func fullBox(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ body: [UInt8]) -> [UInt8] {
        box(type, numbers([UInt32(version) << 24 | flags]) + body)
    }

    public static func numbers(_ values: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in values { bytes.append(bigEndian: value) }
        return bytes
    }

    private static func name(_ type: String) -> [UInt8] { type.unicodeScalars.map { UInt8($0.value) } }

    // MARK: Descriptions

    /// - Parameter fields: what a version 1 or 2 description has more.
    public static func entry(
        _ type: String, version: UInt16 = 0, channels: UInt16 = 2, bits: UInt16 = 16, rate: UInt32 = 44_100,
        fields: [UInt8] = [], _ boxes: [UInt8]
    ) -> [UInt8] {
        var body: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
        body.append(bigEndian: version)
        body += [0, 0, 0, 0, 0, 0]
        for value in [channels, bits, 0, 0] { body.append(bigEndian: value) }
        body.append(bigEndian: UInt32(min(rate, 65_535)) << 16)
        return box(type, body + fields + boxes)
    }

    public static func esds(objectType: UInt8 = 0x40, _ config: [UInt8], bitRate: UInt32 = 0) -> [UInt8] {
        func descriptor(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
            // Lengths in four bytes, as many writers have them.
            [tag, 0x80, 0x80, 0x80 | UInt8(body.count >> 7), UInt8(body.count & 0x7F)] + body
        }
        let specific = config.isEmpty ? [] : descriptor(5, config)
        let decoder = descriptor(4, [objectType, 0x15, 0, 0, 0] + numbers([0, bitRate]) + specific)
        return fullBox("esds", descriptor(3, [0, 1, 0] + decoder + descriptor(6, [2])))
    }

    /// LC, 44.1 kHz, stereo, unless told otherwise.
    public static func aac(_ config: [UInt8] = [0x12, 0x10]) -> [UInt8] { entry("mp4a", esds(config)) }

    // MARK: Files

    private var chunks: [[[UInt8]]] {
        stride(from: 0, to: packets.count, by: packetsPerChunk).map {
            Array(packets[$0..<min(packets.count, $0 + packetsPerChunk)])
        }
    }

    /// The bytes of `mdat`, and where in them each chunk begins.
    private var media: (bytes: [UInt8], offsets: [Int]) {
        let chunks = chunks
        var bytes: [UInt8] = []
        var offsets = [Int](repeating: 0, count: chunks.count)
        for index in isReversed ? chunks.indices.reversed() : Array(chunks.indices) {
            bytes += betweenChunks
            offsets[index] = bytes.count
            bytes += chunks[index].flatMap { $0 }
        }
        return (bytes, offsets)
    }

    public static var fileType: [UInt8] { box("ftyp", Array("M4A \0\0\0\0M4A mp42".utf8)) }

    /// - Parameters:
    ///   - mediaHead: of `mdat`, its size in 32 or 64 bits or open.
    public func file(movieFirst: Bool = true, mediaHead: MediaHead = .short) -> [UInt8] {
        let media = media
        let head = mediaHead.bytes(byteCount: media.bytes.count)
        let front = Self.fileType
        let size = movieFirst ? movie(offsets: media.offsets).count : 0
        let start = front.count + size + head.count
        let movie = movie(offsets: media.offsets.map { $0 + start })
        return movieFirst ? front + movie + head + media.bytes : front + head + media.bytes + movie
    }

    public enum MediaHead: Sendable {
        case short, long, open

        func bytes(byteCount: Int) -> [UInt8] {
            switch self {
            case .short: Array(MPEG4Writer.numbers([UInt32(byteCount + 8)])) + Array("mdat".utf8)
            case .long:
                Array(MPEG4Writer.longBox("mdat", []).dropLast(4)) + MPEG4Writer.numbers([UInt32(byteCount + 16)])
            case .open: MPEG4Writer.numbers([0]) + Array("mdat".utf8)
            }
        }
    }

    /// `moov`, with these chunk offsets.
    public func movie(offsets: [Int]) -> [UInt8] {
        let header = Self.fullBox("mvhd", Self.numbers([0, 0, movieTimescale, 0]) + [UInt8](repeating: 0, count: 80))
        let userData = userData.isEmpty ? [] : Self.box("udta", userData)
        return Self.box("moov", header + otherTracks + track(offsets: offsets) + movieBoxes + userData)
    }

    public func track(id: UInt32 = 1, offsets: [Int]) -> [UInt8] {
        let flags: UInt32 = isEnabled ? 7 : 6
        let header = Self.fullBox(
            "tkhd", flags: flags, Self.numbers([0, 0, id, 0, 0]) + [UInt8](repeating: 0, count: 60))
        let list = edits.enumerated().flatMap { index, edit in
            Self.numbers([edit.duration, UInt32(bitPattern: edit.mediaTime), editRates[index] ?? 0x1_0000])
        }
        let edits =
            edits.isEmpty ? [] : Self.box("edts", Self.fullBox("elst", Self.numbers([UInt32(edits.count)]) + list))
        let mediaHeader = Self.fullBox("mdhd", Self.numbers([0, 0, timescale, 0, 0]))
        let handler = Self.fullBox("hdlr", Self.numbers([0]) + Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
        let information = Self.box("minf", Self.fullBox("smhd", [0, 0, 0, 0]) + Self.box("stbl", tables(offsets)))
        return Self.box("trak", header + edits + Self.box("mdia", mediaHeader + handler + information))
    }

    private func tables(_ offsets: [Int]) -> [UInt8] {
        var times: [UInt32] = [1, UInt32(packets.count), duration]
        if let lastDuration, !packets.isEmpty { times = [2, UInt32(packets.count - 1), duration, 1, lastDuration] }
        if let durations { times = [UInt32(durations.count)] + durations.flatMap { [1, $0] } }
        if let constantSize { times = [1, constantSize.count, duration] }
        if packets.isEmpty { times = [0] }
        var runs: [UInt32] = [1, 1, samplesPerChunk ?? UInt32(packetsPerChunk), 1]
        let rest = packets.count % packetsPerChunk
        if samplesPerChunk == nil, rest > 0, offsets.count > 1 {
            runs = [2] + runs.dropFirst() + [UInt32(offsets.count), UInt32(rest), 1]
        } else if samplesPerChunk == nil, rest > 0 {
            runs[2] = UInt32(rest)
        }
        if packets.isEmpty { runs = [0] }
        var chunkOffsets: [UInt8] = Self.numbers([UInt32(offsets.count)])
        for offset in offsets {
            if has64BitOffsets {
                chunkOffsets.append(bigEndian: UInt64(offset))
            } else {
                chunkOffsets.append(bigEndian: UInt32(offset))
            }
        }
        return Self.fullBox("stsd", Self.numbers([1]) + sampleEntry) + Self.fullBox("stts", Self.numbers(times))
            + Self.fullBox("stsc", Self.numbers(runs)) + sizes
            + Self.fullBox(has64BitOffsets ? "co64" : "stco", chunkOffsets)
    }

    private var sizes: [UInt8] {
        if let constantSize { return Self.fullBox("stsz", Self.numbers([constantSize.size, constantSize.count])) }
        let sizes = packets.map { UInt32($0.count) }
        guard sizeBits < 32 else { return Self.fullBox("stsz", Self.numbers([0, UInt32(sizes.count)] + sizes)) }
        var table: [UInt8] = []
        for (index, size) in sizes.enumerated() {
            switch sizeBits {
            case 16: table.append(bigEndian: UInt16(size))
            case 8: table.append(UInt8(size))
            default:
                if index % 2 == 0 { table.append(UInt8(size) << 4) } else { table[table.count - 1] |= UInt8(size) }
            }
        }
        return Self.fullBox("stz2", [0, 0, 0, UInt8(sizeBits)] + Self.numbers([UInt32(sizes.count)]) + table)
    }

    // MARK: Fragments

    /// The packets in fragments of so many.
    /// - Parameters:
    ///   - total: `mehd`'s duration.
    ///   - described: packets that come first, which `moov` describes.
    public func fragmented(packetsPerFragment: Int, total: UInt32? = nil, described: Int = 0) -> [UInt8] {
        var first = self
        first.packets = Array(packets.prefix(described))
        first.lastDuration = nil
        let mehd = total.map { Self.fullBox("mehd", Self.numbers([$0])) } ?? []
        first.movieBoxes += Self.box("mvex", mehd + Self.fullBox("trex", Self.numbers([1, 1, duration, 0, 0])))
        var bytes = described > 0 ? first.file() : Self.fileType + first.movie(offsets: [])
        for start in stride(from: described, to: packets.count, by: packetsPerFragment) {
            let part = start..<min(packets.count, start + packetsPerFragment)
            bytes += fragment(Array(packets[part]), durations: part.map(duration(ofPacket:)))
        }
        return bytes
    }

    private func duration(ofPacket number: Int) -> UInt32 {
        if number == packets.count - 1, let lastDuration { return lastDuration }
        return durations?[number] ?? duration
    }

    /// `moof` and `mdat` of packets in two runs, counted from `moof`, with sizes of their own, and durations where
    /// those are not alike.
    private func fragment(_ packets: [[UInt8]], durations: [UInt32]) -> [UInt8] {
        func runs(_ dataOffset: UInt32) -> [UInt8] {
            let half = packets.count / 2
            var offset = dataOffset
            return [0..<half, half..<packets.count].flatMap { part -> [UInt8] in
                let isTimed = durations[part].contains { $0 != duration }
                let sizes = packets[part].map { UInt32($0.count) }
                let entries = zip(durations[part], sizes).flatMap { isTimed ? [$0, $1] : [$1] }
                defer { offset += sizes.reduce(0, +) }
                return Self.fullBox(
                    "trun", flags: isTimed ? 0x301 : 0x201, Self.numbers([UInt32(part.count), offset] + entries))
            }
        }
        func moof(_ dataOffset: UInt32) -> [UInt8] {
            let head = Self.fullBox("tfhd", flags: 0x2_0000, Self.numbers([1]))
            let other = Self.box("traf", Self.fullBox("tfhd", flags: 0x2_0000, Self.numbers([9])))
            return Self.box(
                "moof", Self.fullBox("mfhd", Self.numbers([1])) + other + Self.box("traf", head + runs(dataOffset)))
        }
        let size = moof(0).count
        let data = packets.flatMap { $0 }
        return moof(UInt32(size + 8 + betweenChunks.count)) + Self.box("mdat", betweenChunks + data)
    }
}
