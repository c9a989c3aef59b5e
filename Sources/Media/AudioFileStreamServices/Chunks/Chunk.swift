import AudioCore

/// A chunk's name: four ASCII characters.
struct ChunkName: Hashable, ExpressibleByStringLiteral {
    /// The four characters, the first in the highest byte.
    var code: UInt32

    init(code: UInt32) { self.code = code }

    init(stringLiteral text: StaticString) {
        precondition(text.utf8CodeUnitCount == 4)
        code = text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}

/// A chunk of a file: a named range of bytes.
struct Chunk: Equatable {
    var name: ChunkName
    /// Size of the body in the header; -1 in CAF: to the end of the file.
    var byteCount: Int64
    /// Offset in the file of the body's first byte.
    var bodyOffset: Int64
    /// Offset in the file of the next chunk's header.
    var end: Int64

    /// Offset in the file of the byte after the body.
    var bodyEnd: Int64 { byteCount < 0 || end == .max ? .max : bodyOffset + byteCount }
}

/// How a family of formats writes a chunk header: the name, then the body's size.
struct ChunkSyntax {
    var isBigEndian: Bool
    /// Sizes of 64 bits (CAF) instead of 32.
    var hasWideSizes = false
    /// A pad byte follows a body of odd size (RIFF, IFF).
    var isPadded = true

    var headerByteCount: Int { hasWideSizes ? 12 : 8 }

    /// - Parameter offset: offset of the header in the file.
    func chunk(_ header: RawSpan, at offset: Int64) -> Chunk {
        let byteCount = size(header)
        let bodyOffset = offset &+ Int64(headerByteCount)
        let padding = isPadded ? byteCount & 1 : 0
        let (end, overflows) = bodyOffset.addingReportingOverflow(byteCount)
        return Chunk(
            name: ChunkName(code: header.bigEndian32(at: 0)), byteCount: byteCount, bodyOffset: bodyOffset,
            end: overflows || byteCount < 0 ? .max : end &+ padding)
    }

    private func size(_ header: RawSpan) -> Int64 {
        if hasWideSizes { return max(-1, Int64(bitPattern: header.bigEndian64(at: 4))) }
        return Int64(number32(header, at: 4))
    }

    func number16(_ bytes: RawSpan, at offset: Int) -> UInt16 {
        isBigEndian ? bytes.bigEndian16(at: offset) : bytes.littleEndian16(at: offset)
    }

    func number32(_ bytes: RawSpan, at offset: Int) -> UInt32 {
        isBigEndian ? bytes.bigEndian32(at: offset) : bytes.littleEndian32(at: offset)
    }

    /// Calls `body` for each chunk that lies completely in `bytes`: the members of a list.
    func forEachMember(of bytes: RawSpan, from start: Int, _ body: (ChunkName, RawSpan) -> Void) {
        var place = start
        while bytes.byteCount - place >= headerByteCount {
            let header = bytes.extracting(place..<place + headerByteCount)
            let member = chunk(header, at: Int64(place))
            guard member.byteCount >= 0, member.byteCount <= Int64(bytes.byteCount) - member.bodyOffset else { return }
            let start = Int(member.bodyOffset)
            body(member.name, bytes.extracting(start..<start + Int(member.byteCount)))
            guard member.end <= Int64(bytes.byteCount) else { return }
            place = Int(member.end)
        }
    }
}
