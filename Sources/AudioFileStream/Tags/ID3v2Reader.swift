import AudioCore

// ID3v2.2, 2.3 and 2.4 (id3.org), read in one pass, a byte at a time, so that bytes may come in any pieces and a tag
// with megabytes of artwork costs no memory. Only the text frames in `keys` are collected; all else is counted down.
//
// Unsynchronisation puts a zero after each 0xFF. In 2.2 and 2.3 it covers the whole tag, frame headers included, and
// frame sizes count the bytes without those zeros; so they are taken out before the frames are looked at. In 2.4
// it is done frame by frame, and sizes count the zeros; so they are taken out of a frame's body.

/// Reads one ID3v2 tag.
struct ID3v2Reader {
    static let headerByteCount = 10

    /// Text fields found by the last call of ``consume(_:from:)``.
    private(set) var found: [(AudioInfoKey, String)] = []

    private enum Stage {
        case extendedHeaderSize, frameHeader
        case text(AudioInfoKey, unsynchronised: Bool, prefix: Int)
        /// Bytes to come that do not matter; `.max` to the end of the tag.
        case skip(Int)
    }

    private let majorVersion: UInt8
    private let wholeTagUnsynchronised: Bool
    private let framesUnsynchronised: Bool
    /// Bytes of the tag as stored that are still to come; the footer's are apart, they hold no frames.
    private var remaining: Int
    private var footerRemaining: Int
    /// Bytes of the tag's header, which the initialiser has looked at, that are still to be passed.
    private var headerRemaining = Self.headerByteCount
    private var stage: Stage
    private var field: [UInt8] = []
    private var fieldByteCount: Int
    private var lastWasFF = false

    /// - Returns: nil if no tag stands at `offset`, whose 10 bytes the caller has checked.
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
            // 2.2's flag is a compression that was never defined; later versions are unknown.
            stage = .skip(.max)
        }
    }

    var isDone: Bool { headerRemaining == 0 && remaining == 0 && footerRemaining == 0 }

    /// Takes bytes of the tag from `start` on, its header first; says how many.
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
            let byte = bytes[position]
            position += 1
            remaining -= 1
            let isInserted = wholeTagUnsynchronised && lastWasFF && byte == 0
            lastWasFF = byte == 0xFF
            if !isInserted { take(byte) }
        }
        guard remaining == 0 else { return position - start }
        let footer = min(footerRemaining, bytes.byteCount - position)
        footerRemaining -= footer
        return position - start + footer
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
        guard field.count >= fieldByteCount else { return }
        switch stage {
        case .extendedHeaderSize: endExtendedHeaderSize()
        case .frameHeader: endFrameHeader()
        case .text(let key, let unsynchronised, let prefix): endText(key, unsynchronised, prefix)
        case .skip: break
        }
    }

    /// 2.3 counts the extended header without these four bytes, 2.4 with them, synchsafe.
    private mutating func endExtendedHeaderSize() {
        let size = majorVersion == 3 ? Self.plain(field) : (Self.synchsafe(field) ?? 0) - 4
        setSkip(size >= 0 && size < remaining ? size : .max)
    }

    private mutating func endFrameHeader() {
        let idByteCount = majorVersion == 2 ? 3 : 4
        let id = Array(field[..<idByteCount])
        // Padding, or nothing that can be understood: the rest of the tag is skipped.
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
        guard size > 0, size <= AudioFileStreamLimits.tagTextByteCount, let key = Self.keys[TagText.latin1(id)],
            let next = textStage(key, flags: flags)
        else {
            setSkip(size)
            return
        }
        stage = next
        fieldByteCount = size
        field.removeAll(keepingCapacity: true)
    }

    /// 2.3 section 3.3.1 and 2.4 section 4.1.2: nil for frames that are compressed or encrypted.
    private func textStage(_ key: AudioInfoKey, flags: UInt8) -> Stage? {
        switch majorVersion {
        case 3:
            guard flags & 0xC0 == 0 else { return nil }
            return .text(key, unsynchronised: false, prefix: flags & 0x20 != 0 ? 1 : 0)
        case 4:
            guard flags & 0x0C == 0 else { return nil }
            let prefix = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
            return .text(key, unsynchronised: framesUnsynchronised || flags & 0x02 != 0, prefix: prefix)
        default:
            return .text(key, unsynchronised: false, prefix: 0)
        }
    }

    private mutating func endText(_ key: AudioInfoKey, _ unsynchronised: Bool, _ prefix: Int) {
        let body = unsynchronised ? Self.withoutInsertedZeros(field) : field
        if let text = Self.text(Array(body.dropFirst(prefix))), let value = Self.value(of: key, text) {
            found.append((key, value))
        }
        setSkip(0)
    }

    /// 2.4's year is a time stamp, of which the year is the first four digits.
    private static func value(of key: AudioInfoKey, _ text: String) -> String? {
        TagText.clean(key == .year ? String(text.prefix(4)) : text)
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

    /// The first of a frame's strings; the first byte names the encoding (2.4 section 4).
    private static func text(_ body: [UInt8]) -> String? {
        guard let encoding = body.first else { return nil }
        let bytes = Array(body.dropFirst())
        switch encoding {
        case 0: return TagText.latin1(bytes)
        case 1: return TagText.utf16(bytes, bigEndian: false)
        case 2: return TagText.utf16(bytes, bigEndian: true)
        case 3: return TagText.utf8(bytes)
        default: return nil
        }
    }

    /// 2.4 writes sizes synchsafe; some writers of 2.4 did not, and a byte above 127 tells.
    private func frameSize(_ bytes: [UInt8]) -> Int {
        majorVersion >= 4 ? Self.synchsafe(bytes) ?? Self.plain(bytes) : Self.plain(bytes)
    }

    /// Seven bits a byte (2.4 section 6.2); nil if an eighth is set.
    private static func synchsafe(_ bytes: [UInt8]) -> Int? {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return bytes.reduce(0) { $0 << 7 | Int($1) }
    }

    private static func plain(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static let keys: [String: AudioInfoKey] = [
        "TIT2": .title, "TPE1": .artist, "TALB": .album, "TRCK": .track, "TYER": .year, "TDRC": .year,
        "TT2": .title, "TP1": .artist, "TAL": .album, "TRK": .track, "TYE": .year,
    ]
}
