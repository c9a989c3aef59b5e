import AudioCore

// ID3v2.2, 2.3 and 2.4 (id3.org), read in one pass, a byte at a time: bytes may come in any pieces, and even a large
// tag needs no more memory than one picture. Only the frames that ``ID3v2Frame`` knows are collected; everything else
// is skipped.
//
// Unsynchronisation inserts a zero after each 0xFF. In 2.2 and 2.3 it covers the whole tag, frame headers included, and
// frame sizes do not count those zeros; so they are removed before frames are parsed. In 2.4 it applies frame by frame,
// and sizes count the zeros; so they are removed from a frame's body.

/// Reads one ID3v2 tag.
struct ID3v2Reader {
    static let headerByteCount = 10

    /// Findings of the last call of ``consume(_:from:)``, in the tag's order; only the tag's first picture, and its
    /// first lyrics of each kind.
    private(set) var found: [TagFinding] = []

    private enum Stage {
        case extendedHeaderSize, frameHeader
        case body(ID3v2Frame, unsynchronised: Bool, prefix: Int)
        /// Bytes to ignore; `.max` up to the end of the tag.
        case skip(Int)
    }

    private let majorVersion: UInt8
    private let wholeTagUnsynchronised: Bool
    private let framesUnsynchronised: Bool
    /// Stored bytes of the tag still to come, without the footer, which holds no frames.
    private var remaining: Int
    private var footerRemaining: Int
    /// Bytes of the tag's header still to pass; the initialiser has read them.
    private var headerRemaining = Self.headerByteCount
    private var stage: Stage
    private var field: [UInt8] = []
    private var fieldByteCount: Int
    private var lastWasFF = false
    private var taken: Set<ID3v2Frame.Single> = []

    /// - Returns: nil if no tag stands at `offset`; the caller has checked that its 10 bytes are present.
    init?(_ bytes: RawSpan, at offset: Int) {
        guard bytes.has("ID3", at: offset), bytes[offset + 3] != 0xFF, bytes[offset + 4] != 0xFF,
            let size = Self.synchsafe(bytes.copy(offset + 6..<offset + 10))
        else { return nil }
        majorVersion = bytes[offset + 3]
        let flags = bytes[offset + 5]
        let unsynchronised = flags & 0x80 != 0
        wholeTagUnsynchronised = unsynchronised && majorVersion < 4
        framesUnsynchronised = unsynchronised && majorVersion >= 4
        remaining = size
        footerRemaining = majorVersion >= 4 && flags & 0x10 != 0 ? Self.headerByteCount : 0
        fieldByteCount = majorVersion == 2 ? 6 : 10
        switch (majorVersion, flags & 0x40 != 0) {
        case (2, false), (3, false), (4, false):
            stage = .frameHeader
        case (3, true), (4, true):
            stage = .extendedHeaderSize
            fieldByteCount = 4
        default:
            // 2.2's flag means a compression that was never defined; later versions are unknown.
            stage = .skip(.max)
        }
    }

    var isDone: Bool { headerRemaining == 0 && remaining == 0 && footerRemaining == 0 }

    /// Consumes bytes of the tag from `start` on, beginning with its header; returns their number.
    mutating func consume(_ bytes: RawSpan, from start: Int) -> Int {
        found.removeAll(keepingCapacity: true)
        let header = min(headerRemaining, bytes.byteCount - start)
        headerRemaining -= header
        var position = start + header
        while position < bytes.byteCount, remaining > 0 {
            if case .skip(let count) = stage, count == .max || !wholeTagUnsynchronised {
                position += skip(min(count, bytes.byteCount - position))
                continue
            }
            guard wholeTagUnsynchronised else {
                position += collect(bytes, from: position)
                continue
            }
            let byte = bytes[position]
            position += 1
            remaining -= 1
            let isInserted = lastWasFF && byte == 0
            lastWasFF = byte == 0xFF
            if !isInserted { take(byte) }
        }
        guard remaining == 0 else { return position - start }
        let footer = min(footerRemaining, bytes.byteCount - position)
        footerRemaining -= footer
        return position - start + footer
    }

    /// Collects the available bytes of a field.
    private mutating func collect(_ bytes: RawSpan, from position: Int) -> Int {
        let count = min(fieldByteCount - field.count, bytes.byteCount - position, remaining)
        bytes.extracting(position..<position + count).withUnsafeBytes { field.append(contentsOf: $0) }
        remaining -= count
        if field.count >= fieldByteCount { endField() }
        return count
    }

    private mutating func skip(_ count: Int) -> Int {
        let skipped = min(count, remaining)
        remaining -= skipped
        if case .skip(let left) = stage, left != .max { setSkip(left - skipped) }
        return skipped
    }

    private mutating func setSkip(_ count: Int) {
        guard count == 0 else {
            stage = .skip(count)
            return
        }
        stage = .frameHeader
        fieldByteCount = majorVersion == 2 ? 6 : 10
        field.removeAll(keepingCapacity: true)
    }

    private mutating func take(_ byte: UInt8) {
        if case .skip(let count) = stage {
            if count != .max { setSkip(count - 1) }
            return
        }
        field.append(byte)
        if field.count >= fieldByteCount { endField() }
    }

    private mutating func endField() {
        switch stage {
        case .extendedHeaderSize: endExtendedHeaderSize()
        case .frameHeader: endFrameHeader()
        case .body(let frame, let unsynchronised, let prefix): endBody(frame, unsynchronised, prefix)
        case .skip: break
        }
    }

    /// 2.3 does not count these four bytes in the extended header's size; 2.4 does, synchsafe.
    private mutating func endExtendedHeaderSize() {
        let size = majorVersion == 3 ? Self.plain(field) : (Self.synchsafe(field) ?? 0) - 4
        setSkip(size >= 0 && size < remaining ? size : .max)
    }

    private mutating func endFrameHeader() {
        let idByteCount = majorVersion == 2 ? 3 : 4
        let id = Array(field[..<idByteCount])
        // Padding, or something unintelligible: skip the rest of the tag.
        guard id.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }) else {
            stage = .skip(.max)
            return
        }
        let size = frameSize(Array(field[idByteCount..<(majorVersion == 2 ? 6 : 8)]))
        let flags = majorVersion == 2 ? 0 : field[9]
        guard size <= remaining else {
            stage = .skip(.max)
            return
        }
        guard let frame = ID3v2Frame(id: TagText.latin1(id)), isWanted(frame), size > 0, size <= frame.largestByteCount,
            let next = bodyStage(frame, flags: flags)
        else {
            setSkip(size)
            return
        }
        stage = next
        fieldByteCount = size
        field.removeAll(keepingCapacity: true)
    }

    private func isWanted(_ frame: ID3v2Frame) -> Bool { frame.single.map { !taken.contains($0) } ?? true }

    /// Returns nil for compressed or encrypted frames (2.3 section 3.3.1 and 2.4 section 4.1.2).
    private func bodyStage(_ frame: ID3v2Frame, flags: UInt8) -> Stage? {
        switch majorVersion {
        case 3:
            guard flags & 0xC0 == 0 else { return nil }
            return .body(frame, unsynchronised: false, prefix: flags & 0x20 != 0 ? 1 : 0)
        case 4:
            guard flags & 0x0C == 0 else { return nil }
            let prefix = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
            return .body(frame, unsynchronised: framesUnsynchronised || flags & 0x02 != 0, prefix: prefix)
        default:
            return .body(frame, unsynchronised: false, prefix: 0)
        }
    }

    private mutating func endBody(_ frame: ID3v2Frame, _ unsynchronised: Bool, _ prefix: Int) {
        let body = (unsynchronised ? Self.withoutInsertedZeros(field) : field).dropFirst(prefix)
        if let single = frame.single {
            let finding = frame.picture(body).map { .artwork($0) } ?? frame.lyrics(body).map { TagFinding.lyrics($0) }
            if let finding {
                found.append(finding)
                taken.insert(single)
            }
            // Do not keep the large storage for the small fields that follow.
            field = []
        } else if let (key, value) = frame.text(body) {
            found += TagText.field(key, value).map { .text($0.0, $0.1) }
        }
        setSkip(0)
    }

    private static func withoutInsertedZeros(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var lastWasFF = false
        for byte in bytes {
            if !(lastWasFF && byte == 0) { result.append(byte) }
            lastWasFF = byte == 0xFF
        }
        return result
    }

    /// 2.4 requires synchsafe sizes; some writers did not comply, which a byte above 127 reveals.
    private func frameSize(_ bytes: [UInt8]) -> Int {
        majorVersion >= 4 ? Self.synchsafe(bytes) ?? Self.plain(bytes) : Self.plain(bytes)
    }

    /// Decodes seven bits per byte (2.4 section 6.2); returns nil if a top bit is set.
    private static func synchsafe(_ bytes: [UInt8]) -> Int? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return bytes.reduce(0) { $0 << 7 | Int($1) }
    }

    private static func plain(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
