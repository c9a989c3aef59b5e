/// Where in the tree of boxes the parser stands. Boxes that are entered lie on a stack, none deeper than the names that
/// are known allow; a size that goes beyond what a box lies in is cut there.
struct BoxWalker {
    struct Level: Equatable {
        var type: BoxType
        /// Of the box's first byte in the file.
        var start: Int64
        /// Of the first byte behind it; `.max`: to the end of the file.
        var end: Int64
    }

    /// A box whose body is being gathered.
    struct Collection {
        var type: BoxType
        var start: Int64
        var end: Int64
    }

    private(set) var levels: [Level] = []
    /// Where the next box begins, or the level ends: what lies before is skipped.
    private(set) var next: Int64 = 0
    private(set) var collection: Collection?
    /// Of the box that is being gathered, or was last.
    private(set) var body: [UInt8] = []

    /// Bytes of the file; `.max` where only what comes is known.
    var fileEnd = Int64.max

    init() { levels.reserveCapacity(8) }

    /// The box that the place lies in; nil outside of all.
    var parent: BoxType? { levels.last?.type }

    func isInside(_ type: BoxType) -> Bool { levels.contains { $0.type == type } }

    /// Where a box ends that begins at `start`.
    func end(of header: BoxHeader, at start: Int64) -> Int64 {
        let parentEnd = levels.last?.end ?? fileEnd
        guard let byteCount = header.boxByteCount else { return parentEnd }
        let (end, overflows) = start.addingReportingOverflow(byteCount)
        return overflows ? parentEnd : min(end, parentEnd)
    }

    /// - Parameter skipped: bytes behind the head that are not boxes.
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

    /// Takes bytes of the body that is being gathered; says how many.
    mutating func gather(_ bytes: RawSpan, at place: Int, position: Int64) -> Int {
        guard let collection else { return 0 }
        let count = Int(min(collection.end - position, Int64(bytes.byteCount - place)))
        bytes.extracting(place..<place + count).withUnsafeBytes { body.append(contentsOf: $0) }
        next = position + Int64(count)
        return count
    }

    /// The box whose ``body`` is whole now.
    mutating func takeWhole() -> Collection? {
        guard let whole = collection, next >= whole.end else { return nil }
        collection = nil
        return whole
    }

    /// The body is of no use any more. Those of fragments, which nobody keeps, leave their storage to the next one.
    mutating func dropBody() { body.removeAll(keepingCapacity: isInside(.moof)) }

    /// Leaves the innermost box if it ends here.
    mutating func leave(at position: Int64) -> Level? {
        guard collection == nil, let last = levels.last, position >= last.end else { return nil }
        return levels.removeLast()
    }

    /// The file ends here: leaves the innermost box wherever it was to end. What was not whole is lost.
    mutating func leaveAtEndOfFile() -> Level? {
        collection = nil
        body = []
        return levels.popLast()
    }

    /// Goes on elsewhere in the file, outside of all boxes.
    mutating func restart(at position: Int64) {
        levels.removeAll(keepingCapacity: true)
        collection = nil
        body = []
        next = position
    }
}
