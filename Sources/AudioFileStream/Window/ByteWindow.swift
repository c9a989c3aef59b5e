import AudioCore

/// The bytes that a container has not taken yet, and how many it wants before it looks again.
struct ByteWindow: ~Copyable {
    private(set) var storage: [UInt8] = []
    /// Offset in the file of the window's first byte.
    private(set) var offset: Int64 = 0
    /// Bytes the window must hold before a look at it can get any further.
    var needed = 1

    var isEnough: Bool { storage.count >= needed }

    mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { storage.append(contentsOf: $0) }
    }

    mutating func take(_ progress: Progress) {
        let taken = min(progress.consumed, storage.count)
        storage.removeFirst(taken)
        offset &+= Int64(taken)
        needed = max(1, progress.needed)
    }

    mutating func removeAll() {
        offset &+= Int64(storage.count)
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
}
