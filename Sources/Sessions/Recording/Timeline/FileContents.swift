import AudioCore

/// Which epochs a file holds, and where; and what of them is not heard after all.
struct FileContents {
    private struct Entry {
        var epoch: Epoch
        var firstFrame: FramePosition
        /// Number of the file's frame that holds ``firstFrame``.
        var place: Int64
    }

    /// Oldest first.
    private var entries: [Entry] = []
    private var cut: (epoch: Epoch, frame: FramePosition)?

    /// Notes that an epoch begins at a frame of the file.
    mutating func append(_ epoch: Epoch, firstFrame: FramePosition, at place: Int64) {
        entries.append(Entry(epoch: epoch, firstFrame: firstFrame, place: place))
        // A pause needs the one that is heard, and a listener is sent few beyond that.
        if entries.count > Self.entryCount { entries.removeFirst() }
    }

    private static let entryCount = 8

    /// Notes the frame before which an epoch's sound ends, for now.
    mutating func cut(_ epoch: Epoch, at frame: FramePosition) {
        if entries.contains(where: { $0.epoch == epoch }) { cut = (epoch, frame) }
    }

    /// Takes a cut back.
    mutating func resume(_ epoch: Epoch) { if cut?.epoch == epoch { cut = nil } }

    /// Makes the cut final.
    /// - Returns: how many frames of the file are heard; nil if there is no cut.
    mutating func takeCut() -> Int64? {
        guard let cut = cut.take(), let index = entries.firstIndex(where: { $0.epoch == cut.epoch }) else { return nil }
        entries.removeLast(entries.count - 1 - index)
        let entry = entries[index]
        return entry.place + max(0, cut.frame - entry.firstFrame)
    }

    /// Removes an epoch and what follows it.
    /// - Returns: how many frames of the file stand before it; nil if the file does not hold it.
    mutating func remove(_ epoch: Epoch) -> Int64? {
        guard let index = entries.firstIndex(where: { $0.epoch == epoch }) else { return nil }
        defer { entries.removeLast(entries.count - index) }
        if let cut, !entries[..<index].contains(where: { $0.epoch == cut.epoch }) { self.cut = nil }
        return entries[index].place
    }
}
