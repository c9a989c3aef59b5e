/// The parser's position in the tree of boxes. Entered boxes lie on a stack, whose depth the known types limit. A size
/// beyond the end of a box's parent is clipped.
struct BoxWalker {
    struct Level: Equatable {
        var type: BoxType
        /// Offset in the file of the box's first byte.
        var start: Int64
        /// Offset of the byte after it; `.max`: to the end of the file.
        var end: Int64
    }

    /// A box whose body is being collected.
    struct Collection {
        var type: BoxType
        var start: Int64
        var end: Int64
    }

    private(set) var levels: [Level] = []
    /// Where the next box begins or the level ends; what comes before is skipped.
    private(set) var next: Int64 = 0
    private(set) var collection: Collection?
    /// Body of the box that is being collected, or was last.
    private(set) var body: [UInt8] = []

    /// The file's size; `.max` in a pure stream.
    var fileEnd = Int64.max

    init() { levels.reserveCapacity(8) }

    /// The box that contains the position; nil outside all boxes.
    var parent: BoxType? { levels.last?.type }

    func isInside(_ type: BoxType) -> Bool { levels.contains { $0.type == type } }

    /// Returns where a box that begins at `start` ends.
    func end(of header: BoxHeader, at start: Int64) -> Int64 {
        let parentEnd = levels.last?.end ?? fileEnd
        guard let byteCount = header.boxByteCount else { return parentEnd }
        let (end, overflows) = start.addingReportingOverflow(byteCount)
        return overflows ? parentEnd : min(end, parentEnd)
    }

    /// - Parameter skipped: bytes after the header that are not boxes.
    mutating func enter(_ header: BoxHeader, at start: Int64, skipping skipped: Int = 0) {
        levels.append(Level(type: header.type, start: start, end: end(of: header, at: start)))
        next = start + Int64(header.byteCount + skipped)
    }

    mutating func skip(_ header: BoxHeader, at start: Int64) { next = end(of: header, at: start) }

    mutating func skipToEndOfLevel() { next = levels.last?.end ?? fileEnd }

    mutating func collect(_ header: BoxHeader, at start: Int64) {
        let bodyStart = start + Int64(header.byteCount)
        collection = Collection(type: header.type, start: bodyStart, end: max(bodyStart, end(of: header, at: start)))
        next = bodyStart
    }

    /// Takes bytes of the body being collected; returns their number.
    mutating func gather(_ bytes: RawSpan, at place: Int, position: Int64) -> Int {
        guard let collection else { return 0 }
        let count = Int(min(collection.end - position, Int64(bytes.byteCount - place)))
        bytes.extracting(place..<place + count).withUnsafeBytes { body.append(contentsOf: $0) }
        next = position + Int64(count)
        return count
    }

    /// Returns the box whose ``body`` is now complete.
    mutating func takeWhole() -> Collection? {
        guard let whole = collection, next >= whole.end else { return nil }
        collection = nil
        return whole
    }

    /// Drops the body. Bodies in fragments, which nobody keeps, leave their storage to the next one.
    mutating func dropBody() { body.removeAll(keepingCapacity: isInside(.moof)) }

    /// Leaves the innermost box if it ends here.
    mutating func leave(at position: Int64) -> Level? {
        guard collection == nil, let last = levels.last, position >= last.end else { return nil }
        return levels.removeLast()
    }

    /// Leaves the innermost box at the end of the file, wherever it was to end. An incomplete body is lost.
    mutating func leaveAtEndOfFile() -> Level? {
        collection = nil
        body = []
        return levels.popLast()
    }

    /// Continues elsewhere in the file, outside all boxes.
    mutating func restart(at position: Int64) {
        levels.removeAll(keepingCapacity: true)
        collection = nil
        body = []
        next = position
    }
}
