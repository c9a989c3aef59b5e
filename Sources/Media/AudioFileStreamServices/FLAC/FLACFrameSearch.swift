import AudioCore

// A FLAC frame does not say how long it is. It ends where its CRC-16 comes out as zero and the next header begins. A
// header alone (sync code, fields that belong to the stream, CRC-8) occurs by chance about every ten megabytes;
// together with the frame's CRC, practically never.
//
// Every byte is read once, whatever the file holds. One CRC runs over all bytes and serves every pair of places: with
// P(a) the CRC of everything before a, the bytes from a to b have a CRC of zero if
//
//     P(b) = P(a) * x^(8(b-a))     (modulo the generator, which is (x + 1)(x^15 + x + 1))
//
// x has the order 32,767 there and is invertible. So each candidate keeps P(a) * x^(-8a), and two of them enclose one
// or more frames if these are equal. A damaged frame is skipped as soon as the one after it is complete; no byte is
// read twice for that.

/// Finds frames by their headers and CRCs.
struct FLACFrameSearch {
    /// A place where a frame may begin.
    struct Candidate: Equatable {
        /// Offset in the file.
        var offset: Int64
        var header: FLACFrameHeader
        /// Equal for two places if the bytes between them have a CRC of zero.
        fileprivate(set) var mark: UInt16
    }

    struct Frame: Equatable {
        var start: Candidate
        var byteCount: Int
    }

    enum Finding: Equatable {
        case frame(Frame)
        /// A complete frame larger than `Limits.packetByteCount`.
        case oversized(offset: Int64, byteCount: Int64)
        /// The window must reach `FLACFrameHeader.largestByteCount` bytes beyond the searched part.
        case needsMore
    }

    /// Candidates kept while looking for the end of a frame that begins at one of them. False ones are rare.
    private static let candidateCount = 16

    private let stream: FLACStreamInfo
    private let frameCheck = FLACFrameCRC()
    /// The oldest first, which is the start of the current frame unless something was damaged.
    private var candidates: [Candidate] = []
    /// The last candidate too far back for a packet.
    private var expired: Candidate?
    private var register: UInt16 = 0
    /// The file ends within a frame.
    private var isCut = false
    /// How far ``register`` reaches, and how far headers were searched; offsets in the file.
    private var checkedEnd: Int64
    private var searchedEnd: Int64

    init(stream: FLACStreamInfo, at offset: Int64) {
        self.stream = stream
        checkedEnd = offset
        searchedEnd = offset
        candidates.reserveCapacity(Self.candidateCount + 1)
    }

    /// The first byte that is still needed.
    var neededFrom: Int64 { candidates.first?.offset ?? checkedEnd }

    /// How far the window must reach for a further search.
    var neededTo: Int64 { searchedEnd + Int64(FLACFrameHeader.largestByteCount) }

    /// Looks for the next frame in a window that begins at or before ``neededFrom``.
    mutating func next(in bytes: RawSpan, at offset: Int64, isLast: Bool) -> Finding {
        let end = isLast ? bytes.byteCount - 1 : bytes.byteCount - FLACFrameHeader.largestByteCount
        while let place = Self.syncCode(in: bytes, from: Int(searchedEnd - offset), through: end) {
            searchedEnd = offset + Int64(place) + 1
            guard let header = FLACFrameHeader(bytes, at: place, stream: stream) else { continue }
            let mark = check(upTo: place, bytes, offset)
            if let finding = take(Candidate(offset: offset + Int64(place), header: header, mark: mark)) {
                return finding
            }
        }
        searchedEnd = max(searchedEnd, offset + Int64(end + 1))
        if isLast, let frame = lastFrame(bytes, at: offset) { return .frame(frame) }
        expire(before: searchedEnd - Int64(Limits.packetByteCount))
        // Without a candidate, no searched byte can belong to a frame.
        if candidates.isEmpty { _ = check(upTo: max(0, Int(searchedEnd - offset)), bytes, offset) }
        return .needsMore
    }

    /// Returns whether the file ended within a frame; true only once.
    mutating func takeIsCut() -> Bool {
        defer { isCut = false }
        return isCut
    }

    private mutating func take(_ candidate: Candidate) -> Finding? {
        expire(before: candidate.offset - Int64(Limits.packetByteCount))
        if let start = candidates.first(where: { $0.mark == candidate.mark }) {
            candidates.removeAll(keepingCapacity: true)
            expired = nil
            candidates.append(candidate)
            return .frame(Frame(start: start, byteCount: Int(candidate.offset - start.offset)))
        }
        if candidates.count == Self.candidateCount { candidates.remove(at: 1) }
        candidates.append(candidate)
        guard let expired, expired.mark == candidate.mark, expired.header.isFollowed(by: candidate.header) else {
            return nil
        }
        return .oversized(offset: expired.offset, byteCount: candidate.offset - expired.offset)
    }

    private mutating func expire(before offset: Int64) {
        guard let first = candidates.first, first.offset < offset else { return }
        expired = first
        candidates.removeAll { $0.offset < offset }
    }

    // MARK: The end

    /// Returns the frame that ends at the file's end, or at a tag after it.
    private mutating func lastFrame(_ bytes: RawSpan, at offset: Int64) -> Frame? {
        guard !candidates.isEmpty else { return nil }
        // Zeros after a frame leave its CRC at zero; its own last two bytes may be zeros as well.
        var padding = bytes.byteCount
        while padding > 0, bytes[padding - 1] == 0 { padding -= 1 }
        for place in max(0, Int(checkedEnd - offset))...bytes.byteCount {
            guard (padding...padding + 2).contains(place) || Self.isTag(place, of: bytes) else { continue }
            let mark = check(upTo: place, bytes, offset)
            let end = offset + Int64(place)
            guard let start = candidates.first(where: { $0.mark == mark && $0.offset < end }) else { continue }
            candidates.removeAll(keepingCapacity: true)
            let byteCount = Int(end - start.offset)
            return byteCount <= Limits.packetByteCount ? Frame(start: start, byteCount: byteCount) : nil
        }
        candidates.removeAll(keepingCapacity: true)
        isCut = true
        return nil
    }

    /// Whether a tag or another file begins here.
    private static func isTag(_ place: Int, of bytes: RawSpan) -> Bool {
        guard place < bytes.byteCount else { return false }
        switch bytes[place] {
        case UInt8(ascii: "T"): return bytes.byteCount - place == ID3v1Tag.byteCount && bytes.has("TAG", at: place)
        case UInt8(ascii: "A"): return bytes.has("APETAGEX", at: place)
        case UInt8(ascii: "I"): return bytes.has("ID3", at: place)
        case UInt8(ascii: "f"): return bytes.has("fLaC", at: place)
        default: return false
        }
    }

    // MARK: CRCs

    /// Returns the mark of a place; places must come in order.
    private mutating func check(upTo place: Int, _ bytes: RawSpan, _ offset: Int64) -> UInt16 {
        let start = Int(checkedEnd - offset)
        if place > start {
            register = frameCheck.register(register, after: bytes.extracting(start..<place))
            checkedEnd = offset + Int64(place)
        }
        return FLACCRCMarks.mark(register, at: checkedEnd)
    }

    // MARK: Sync code

    /// Returns the first place from `start` through `last` with a sync code: 15 bits (section 9.1) in two bytes.
    private static func syncCode(in bytes: RawSpan, from start: Int, through last: Int) -> Int? {
        let last = min(last, bytes.byteCount - 2)
        guard start >= 0, start <= last else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var place = start
            while last - place >= MemoryLayout<Words>.size - 1, !hasSyncCode(bytes, within: place) {
                place += MemoryLayout<Words>.size
            }
            while place <= last {
                if bytes[place] == 0xFF, bytes[place + 1] & 0xFE == 0xF8 { return place }
                place += 1
            }
            return nil
        }
    }

    private typealias Words = SIMD4<UInt64>

    /// Whether a sync code begins at one of as many places as ``Words`` has bytes.
    @inline(__always)
    private static func hasSyncCode(_ bytes: UnsafeRawBufferPointer, within place: Int) -> Bool {
        let first = bytes.loadUnaligned(fromByteOffset: place, as: Words.self)
        let second = bytes.loadUnaligned(fromByteOffset: place + 1, as: Words.self)
        // A byte of `rest` is zero where a sync code begins; its top bit, perhaps with some above, is a hit.
        let rest = ~first | (second ^ 0xF8F8_F8F8_F8F8_F8F8) & 0xFEFE_FEFE_FEFE_FEFE
        let hits = (rest &- 0x0101_0101_0101_0101) & ~rest & 0x8080_8080_8080_8080
        return hits[0] | hits[1] | hits[2] | hits[3] != 0
    }
}

/// CRCs made independent of the number of bytes that follow: multiplied by x^(-8a) for a place a.
private enum FLACCRCMarks {
    /// The multiplicative order of x: x^32767 is 1.
    private static let order: Int64 = 32_767

    static func mark(_ check: UInt16, at offset: Int64) -> UInt16 {
        let exponent = Int((order - 8 * (offset % order) % order) % order)
        return product(product(check, low[exponent & 0xFF]), high[exponent >> 8])
    }

    /// x^0 to x^255, and x^0, x^256, x^512 and so on.
    private static let low = powers(256, of: 2)
    private static let high = powers(128, of: product(low[255], 2))

    private static func powers(_ count: Int, of base: UInt16) -> [UInt16] {
        var powers: [UInt16] = [1]
        while powers.count < count { powers.append(product(powers[powers.count - 1], base)) }
        return powers
    }

    /// Multiplies polynomials over GF(2), modulo x^16 + x^15 + x^2 + 1.
    private static func product(_ first: UInt16, _ second: UInt16) -> UInt16 {
        var result: UInt16 = 0
        for bit in (0..<16).reversed() {
            result = result << 1 ^ (result >> 15 == 1 ? 0x8005 : 0)
            if second >> bit & 1 == 1 { result ^= first }
        }
        return result
    }
}
