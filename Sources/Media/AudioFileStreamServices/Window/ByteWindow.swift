import AudioCore

/// The bytes that a container has not consumed yet, and how many it needs before it can go on.
struct ByteWindow: ~Copyable {
    private(set) var storage: [UInt8] = []
    /// Offset in the file of the window's first byte.
    private(set) var offset: Int64
    /// Bytes the window must hold before the container can go on.
    var needed = 1

    init(at offset: Int64 = 0) { self.offset = offset }

    /// Offset in the file of the byte after the window's last.
    var end: Int64 { offset &+ Int64(storage.count) }

    var isEmpty: Bool { storage.isEmpty }

    /// Returns the same bytes at the same place, up to an offset of the file, for another container.
    func copy(before end: Int64) -> ByteWindow {
        var copy = ByteWindow(at: offset)
        copy.storage = Array(storage.prefix(Int(max(0, end &- offset))))
        return copy
    }

    var isEnough: Bool { storage.count >= needed }

    mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { storage.append(contentsOf: $0) }
    }

    mutating func take(_ progress: Progress) {
        if let jump = progress.jump {
            removeAll(movingTo: jump)
            needed = max(1, progress.needed)
            return
        }
        let taken = min(progress.consumed, storage.count)
        storage.removeFirst(taken)
        offset &+= Int64(taken)
        needed = max(1, progress.needed)
    }

    /// Drops all bytes; the next ones follow them, or begin at an offset of the file.
    mutating func removeAll(movingTo place: Int64? = nil) {
        offset = place ?? end
        storage.removeAll(keepingCapacity: true)
        needed = 1
    }
}

/// How far a container got in its window.
struct Progress: Equatable {
    /// Bytes at the front that it has consumed.
    var consumed: Int
    /// Bytes after those that it needs to go on. Keeps the cost linear when bytes trickle in.
    var needed: Int
    /// Offset in the file to jump to; only with random access. The window's bytes are dropped.
    var jump: Int64?
    /// The bytes that follow belong to another stream: see ``ContainerParser/following()``.
    var isOver: Bool

    init(consumed: Int, needed: Int, jump: Int64? = nil, isOver: Bool = false) {
        self.consumed = consumed
        self.needed = needed
        self.jump = jump
        self.isOver = isOver
    }
}
