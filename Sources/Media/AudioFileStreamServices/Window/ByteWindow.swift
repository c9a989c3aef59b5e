import AudioCore

/// The bytes that a container has not taken yet, and how many it wants before it looks again.
struct ByteWindow: ~Copyable {
    private(set) var storage: [UInt8] = []
    /// Offset in the file of the window's first byte.
    private(set) var offset: Int64
    /// Bytes the window must hold before a look at it can get any further.
    var needed = 1

    init(at offset: Int64 = 0) { self.offset = offset }

    /// Offset in the file of the byte after the window's last.
    var end: Int64 { offset &+ Int64(storage.count) }

    var isEmpty: Bool { storage.isEmpty }

    /// The same bytes at the same place, for another container, without those from an offset of the file on.
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

    /// Drops what is held; what comes next follows it, or begins at an offset of the file.
    mutating func removeAll(movingTo place: Int64? = nil) {
        offset = place ?? end
        storage.removeAll(keepingCapacity: true)
        needed = 1
    }
}

/// How far a container got in its window.
struct Progress: Equatable {
    /// Bytes at the front that it has done with.
    var consumed: Int
    /// Bytes after those that must be there before it gets any further. Lets bytes trickle in at linear cost.
    var needed: Int
    /// Where in the file it goes on instead: only where all of it is at hand. Nothing of the window comes again.
    var jump: Int64?
    /// What comes next is another stream's: see ``ContainerParser/following()``.
    var isOver: Bool

    init(consumed: Int, needed: Int, jump: Int64? = nil, isOver: Bool = false) {
        self.consumed = consumed
        self.needed = needed
        self.jump = jump
        self.isOver = isOver
    }
}
