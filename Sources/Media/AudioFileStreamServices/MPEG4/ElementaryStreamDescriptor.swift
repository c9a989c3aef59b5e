/// The contents of an `esds` box: ISO/IEC 14496-1 section 7.2.6. A descriptor is a tag byte, a length of one to four
/// bytes with seven bits each, and a body, which may contain other descriptors.
struct ElementaryStreamDescriptor {
    /// objectTypeIndication (14496-1 table 5, and the registration authority's list); 0 if absent.
    private(set) var objectType: UInt8 = 0
    /// Bits per second; 0 if the file does not say.
    private(set) var averageBitRate = 0
    /// DecoderSpecificInfo.
    private(set) var specificInfo: [UInt8] = []

    private enum Tag {
        static let stream: UInt8 = 3
        static let decoderConfig: UInt8 = 4
        static let decoderSpecificInfo: UInt8 = 5
    }

    /// - Parameter range: the box's body, including version and flags.
    init(_ bytes: RawSpan, _ range: Range<Int>) {
        read(bytes, range.dropFirst(4), depth: 0)
    }

    /// Reads descriptors down to three levels; deeper ones are ignored.
    private mutating func read(_ bytes: RawSpan, _ range: Range<Int>, depth: Int) {
        guard depth < 3 else { return }
        var place = range.lowerBound
        while place < range.upperBound {
            let tag = bytes[place]
            place += 1
            var length = 0
            for _ in 0..<4 where place < range.upperBound {
                let byte = bytes[place]
                place += 1
                length = length << 7 | Int(byte & 0x7F)
                if byte & 0x80 == 0 { break }
            }
            let end = min(range.upperBound, place + length)
            take(tag, bytes, place..<end, depth: depth)
            place = end
        }
    }

    private mutating func take(_ tag: UInt8, _ bytes: RawSpan, _ body: Range<Int>, depth: Int) {
        switch tag {
        case Tag.stream:
            guard body.count >= 3 else { return }
            let flags = bytes[body.lowerBound + 2]
            var skipped = 3 + (flags & 0x80 != 0 ? 2 : 0)
            if flags & 0x40 != 0, body.count > skipped { skipped += 1 + Int(bytes[body.lowerBound + skipped]) }
            if flags & 0x20 != 0 { skipped += 2 }
            read(bytes, body.dropFirst(skipped), depth: depth + 1)
        case Tag.decoderConfig:
            guard body.count >= 13 else { return }
            objectType = bytes[body.lowerBound]
            averageBitRate = Int(bytes.bigEndian32(at: body.lowerBound + 9))
            read(bytes, body.dropFirst(13), depth: depth + 1)
        case Tag.decoderSpecificInfo:
            specificInfo = bytes.copy(body)
        default:
            return
        }
    }
}
