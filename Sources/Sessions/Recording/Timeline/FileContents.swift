import AudioCore

/// Which epochs a file holds, and where.
struct FileContents {
    private struct Entry {
        var epoch: Epoch
        var firstFrame: FramePosition
        /// Number of the file's frame that holds ``firstFrame``.
        var place: Int64
    }

    /// Oldest first.
    private var entries: [Entry] = []

    /// Notes that an epoch begins at a frame of the file.
    mutating func append(_ epoch: Epoch, firstFrame: FramePosition, at place: Int64) {
        entries.append(Entry(epoch: epoch, firstFrame: firstFrame, place: place))
        // A pause needs the one that is heard, and a listener is sent few beyond that.
        if entries.count > Self.entryCount { entries.removeFirst() }
    }

    private static let entryCount = 8

    func holds(_ epoch: Epoch) -> Bool { entries.contains { $0.epoch == epoch } }

    /// Removes what follows an epoch, which ends before a frame.
    /// - Returns: how many frames of the file are left; nil if the file does not hold the epoch.
    mutating func end(_ epoch: Epoch, before frame: FramePosition) -> Int64? {
        guard let index = entries.firstIndex(where: { $0.epoch == epoch }) else { return nil }
        entries.removeLast(entries.count - 1 - index)
        return entries[index].place + max(0, frame - entries[index].firstFrame)
    }

    /// Removes an epoch and what follows it.
    /// - Returns: how many frames of the file are left; nil if the file does not hold the epoch.
    mutating func remove(_ epoch: Epoch) -> Int64? {
        guard let index = entries.firstIndex(where: { $0.epoch == epoch }) else { return nil }
        defer { entries.removeLast(entries.count - index) }
        return entries[index].place
    }
}
