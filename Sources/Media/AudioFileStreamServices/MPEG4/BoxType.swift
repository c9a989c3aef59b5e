/// The four-character type of a box (ISO/IEC 14496-12 section 4.2), called atom in QuickTime.
struct BoxType: RawRepresentable, Hashable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// - Parameter characters: four characters of ISO 8859-1; anything else is a programming error.
    init(_ characters: StaticString) {
        var value: UInt32 = 0
        var count = 0
        characters.withUTF8Buffer { utf8 in
            for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
                value = value << 8 | (scalar.value & 0xFF)
                count += 1
            }
        }
        precondition(count == 4)
        rawValue = value
    }
}

extension BoxType: CustomStringConvertible {
    /// The four characters; those that are not printable ASCII appear as `?`.
    var description: String {
        String(
            String.UnicodeScalarView(
                [24, 16, 8, 0].map { shift in
                    let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
                    return (0x20..<0x7F).contains(byte) ? Unicode.Scalar(byte) : "?"
                }))
    }
}

extension BoxType {
    // The file (14496-12 sections 4.3, 8.1 and 8.2).
    static let moov = BoxType("moov")
    static let mdat = BoxType("mdat")
    static let mvhd = BoxType("mvhd")
    static let trak = BoxType("trak")
    // A track (8.3 to 8.6).
    static let tkhd = BoxType("tkhd")
    static let edts = BoxType("edts")
    static let elst = BoxType("elst")
    static let mdia = BoxType("mdia")
    static let mdhd = BoxType("mdhd")
    static let hdlr = BoxType("hdlr")
    static let minf = BoxType("minf")
    static let stbl = BoxType("stbl")
    // Its samples (8.5 to 8.7).
    static let stsd = BoxType("stsd")
    static let stts = BoxType("stts")
    static let stsz = BoxType("stsz")
    static let stz2 = BoxType("stz2")
    static let stsc = BoxType("stsc")
    static let stco = BoxType("stco")
    static let co64 = BoxType("co64")
    // Fragments (8.8).
    static let mvex = BoxType("mvex")
    static let mehd = BoxType("mehd")
    static let trex = BoxType("trex")
    static let sidx = BoxType("sidx")
    static let moof = BoxType("moof")
    static let traf = BoxType("traf")
    static let tfhd = BoxType("tfhd")
    static let trun = BoxType("trun")
    static let mfra = BoxType("mfra")
    static let tfra = BoxType("tfra")
    static let mfro = BoxType("mfro")
    // Metadata (8.10, 8.11; iTunes).
    static let udta = BoxType("udta")
    static let meta = BoxType("meta")
    static let keys = BoxType("keys")
    static let ilst = BoxType("ilst")
    static let data = BoxType("data")
    static let name = BoxType("name")
    static let lyrics = BoxType("©lyr")
    // Inside a sample entry.
    static let wave = BoxType("wave")
    static let esds = BoxType("esds")
    static let alac = BoxType("alac")
    static let chan = BoxType("chan")
    static let enda = BoxType("enda")
    static let srat = BoxType("srat")
    static let dac3 = BoxType("dac3")
    static let dOps = BoxType("dOps")
    static let dfLa = BoxType("dfLa")
    static let pcmC = BoxType("pcmC")
    static let damr = BoxType("damr")
}

/// The header of a box: its size and type.
struct BoxHeader: Equatable {
    var type: BoxType
    /// Bytes of the header: 8, or 16 with a 64-bit size.
    var byteCount: Int
    /// Bytes of the whole box; nil: to the end of its parent.
    var boxByteCount: Int64?

    static let smallestByteCount = 8
    static let largestByteCount = 16

    enum Reading: Equatable {
        case header(BoxHeader)
        case needsMore(Int)
        /// A size smaller than the header; the stored value.
        case invalid(UInt64)
    }

    static func read(_ bytes: RawSpan, at place: Int) -> Reading {
        let available = bytes.byteCount - place
        guard available >= smallestByteCount else { return .needsMore(smallestByteCount) }
        let size = bytes.bigEndian32(at: place)
        let type = BoxType(rawValue: bytes.bigEndian32(at: place + 4))
        switch size {
        case 0: return .header(BoxHeader(type: type, byteCount: smallestByteCount, boxByteCount: nil))
        case 1:
            guard available >= largestByteCount else { return .needsMore(largestByteCount) }
            let size = bytes.bigEndian64(at: place + smallestByteCount)
            guard size >= UInt64(largestByteCount), size <= UInt64(Int64.max) else { return .invalid(size) }
            return .header(BoxHeader(type: type, byteCount: largestByteCount, boxByteCount: Int64(size)))
        default:
            guard size >= UInt32(smallestByteCount) else { return .invalid(UInt64(size)) }
            return .header(BoxHeader(type: type, byteCount: smallestByteCount, boxByteCount: Int64(size)))
        }
    }
}

/// Calls `visit` with the type and the body's range of each box in `range`, one after the other; clips boxes that do
/// not fit.
func forEachBox(in bytes: RawSpan, _ range: Range<Int>, _ visit: (BoxType, Range<Int>) -> Void) {
    var place = range.lowerBound
    let limit = min(range.upperBound, bytes.byteCount)
    while limit - place >= BoxHeader.smallestByteCount,
        case .header(let header) = BoxHeader.read(bytes.extracting(0..<limit), at: place)
    {
        let end = header.boxByteCount.map { $0 < Int64(limit - place) ? place + Int($0) : limit } ?? limit
        visit(header.type, place + header.byteCount..<max(end, place + header.byteCount))
        place = end
    }
}

extension [UInt8] {
    /// The number at `offset`; an offset beyond the end is a programming error and traps.
    @inline(__always)
    func bigEndian32(at offset: Int) -> UInt32 {
        precondition(offset >= 0 && offset <= count - 4)
        return span.bytes.bigEndian32(at: offset)
    }

    /// Stores a number that fits into 32 bits.
    mutating func put(bigEndian32 value: Int64, at offset: Int) {
        for index in 0..<4 { self[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
    }
}
