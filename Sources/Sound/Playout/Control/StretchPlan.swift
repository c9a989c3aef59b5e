import AudioCore

// The control side's list of what is to sound. An epoch is one stretch, unless it was cut and resumed: each resumption
// adds a stretch of the same rendition. Serials increase along the list, so that the renderer knows what follows a
// stretch that is no longer in it. A stretch that changes so much that the renderer must begin it anew gets a new
// serial, and with it all behind it.

/// The stretches that are to sound, in order, as the control side keeps them.
struct StretchPlan {
    struct Entry {
        let rendition: Rendition
        /// Numbers the renditions.
        let number: UInt64
        /// Zero until the renderer may know of it.
        var serial: UInt64 = 0
        /// The first frame to be heard.
        var first: Int64
        var fadeInSeconds: Double
        var timeline: HostTimeline?
        var end = Int64.max
        var cut = Int64.max
        /// Whether it is cut and the timeline of a later epoch is known: it does not sound again.
        var isOver = false

        init(_ rendition: Rendition, number: UInt64) {
            self.rendition = rendition
            self.number = number
            first = rendition.firstFrame.index
            fadeInSeconds = rendition.fadesIn ? Timing.fadeSeconds : 0
        }

        var epoch: Epoch { rendition.epoch }
        var isCut: Bool { cut != .max }

        /// The position of this entry that is due when the first frame of another one is; nil if that is not known.
        func position(due next: Entry) -> Double? {
            guard let timeline, let other = next.timeline else { return nil }
            let origins = Double(other.host.nanoseconds &- timeline.host.nanoseconds) * 1e-9
            let start = origins + Double(next.first &- other.frame.index) / other.framesPerSecond
            let position = Double(timeline.frame.index) + start * timeline.framesPerSecond
            return FixedPosition.range.contains(position) ? position : nil
        }
    }

    private(set) var entries: [Entry] = []
    /// The epochs that were heard to their end, unless one that is newer was placed behind a cut since: what stands
    /// behind them was to begin at that end.
    private var heard: ClosedRange<Epoch>?

    var isEmpty: Bool { entries.isEmpty }

    /// Whether the epoch may still sound.
    func contains(_ epoch: Epoch) -> Bool { newestIndex(of: epoch) != nil }

    func contains(_ rendition: Rendition) -> Bool { entries.contains { $0.rendition === rendition } }

    /// How many epochs there are from this one on; all, if it is not among them.
    func epochCount(from epoch: Epoch?) -> Int {
        let rest = entries[(entries.firstIndex { $0.epoch == epoch } ?? 0)...]
        return Set(rest.lazy.filter { !$0.isOver }.map(\.epoch)).count
    }

    /// The renditions behind those of this epoch.
    func renditions(behind epoch: Epoch?) -> [Rendition] {
        guard let index = entries.lastIndex(where: { $0.epoch == epoch }) else { return [] }
        return entries[(index + 1)...].map(\.rendition)
    }

    private func newestIndex(of epoch: Epoch) -> Int? { entries.lastIndex { $0.epoch == epoch && !$0.isOver } }

    mutating func append(_ entry: Entry) {
        // What is over only has its fade out left.
        if entries.count >= StretchList.capacity { entries.removeAll(where: \.isOver) }
        entries.append(entry)
    }

    mutating func removeAll() { self = StretchPlan() }

    mutating func remove(_ epoch: Epoch) { entries.removeAll { $0.epoch == epoch } }

    /// Removes what the renderer has passed, except the last.
    mutating func removePassed(before serial: UInt64) {
        let newest = entries.last?.serial
        let isPassed = { (entry: Entry) in entry.serial != 0 && entry.serial < serial && entry.serial != newest }
        for (index, entry) in entries.enumerated() where isPassed(entry) && cut(ofEntryAt: index) == .max {
            heard = (heard?.lowerBound ?? entry.epoch)...entry.epoch
        }
        entries.removeAll(where: isPassed)
    }

    mutating func setEnd(_ end: Int64, of epoch: Epoch) {
        for index in entries.indices where entries[index].epoch == epoch { entries[index].end = end }
    }

    /// Cuts the newest stretch of an epoch. What stands behind was to begin at the end, so its timelines are void; also
    /// if the end was heard before the cut came.
    mutating func cut(at frame: Int64, _ epoch: Epoch) {
        if let index = newestIndex(of: epoch) {
            entries[index].cut = min(entries[index].cut, frame)
            takeTimelines(from: index + 1)
        } else if let heard, heard.contains(epoch) {
            takeTimelines(from: entries.firstIndex { $0.epoch > epoch } ?? entries.endIndex)
            self.heard = nil
        }
    }

    private mutating func takeTimelines(from first: Int) {
        for index in entries.indices[first...] where entries[index].timeline != nil {
            entries[index].timeline = nil
            entries[index].serial = 0
        }
    }

    /// The frame before which an entry's sound ends: its cut or, if a later one is due before it has ended, where it
    /// gives way to that.
    func cut(ofEntryAt index: Int) -> Int64 {
        let entry = entries[index]
        guard let next = entries[(index + 1)...].first(where: { $0.timeline != nil }),
            let meeting = entry.position(due: next)
        else { return entry.cut }
        let lead = next.fadeInSeconds == 0 ? Timing.leadSeconds : 0
        let last = min(entry.cut, entry.end)
        let spare = (entry.cut < entry.end ? lead : -Timing.errorLimit) * entry.rendition.sampleRate
        guard meeting < Double(last) + spare else { return entry.cut }
        return min(entry.cut, Int64((meeting - lead * entry.rendition.sampleRate).rounded(.down)))
    }

    /// Whether an epoch gives way to a later one before it has ended.
    func givesWay(_ epoch: Epoch) -> Bool {
        newestIndex(of: epoch).map { cut(ofEntryAt: $0) < entries[$0].cut } ?? false
    }

    /// Sets or revises a timeline. A cut epoch is resumed by it; what cannot sound before this epoch any more is over.
    /// - Returns: whether the epoch is known.
    mutating func setTimeline(_ timeline: HostTimeline) -> Bool {
        guard newestIndex(of: timeline.epoch) != nil else { return false }
        supersede(before: timeline.epoch)
        guard let index = newestIndex(of: timeline.epoch) else { return false }
        guard entries[index].isCut else {
            entries[index].timeline = timeline
            return true
        }
        var resumed = entries[index]
        // If nothing of it was to be heard yet, it begins as it was to begin.
        let isUnheard = resumed.cut <= resumed.first
        if !isUnheard {
            resumed.first = resumed.cut
            resumed.fadeInSeconds = Timing.cutFadeSeconds
        }
        resumed.cut = .max
        resumed.timeline = timeline
        resumed.serial = 0
        // An empty stretch would stand in the way: behind a cut only what is placed follows.
        if isUnheard || entries[index].serial == 0 || entries.count >= StretchList.capacity {
            entries[index] = resumed
        } else {
            entries.insert(resumed, at: index + 1)
        }
        return true
    }

    private mutating func supersede(before epoch: Epoch) {
        guard let first = entries.firstIndex(where: { $0.epoch == epoch }) else { return }
        for index in 0..<first where entries[index].isCut {
            entries[index].isOver = true
            heard = nil
        }
        // What is over may still sound up to its cut.
        let earlier = entries[..<first].filter {
            $0.timeline != nil && (!$0.isOver || $0.serial != 0 && $0.cut > $0.first)
        }
        entries.replaceSubrange(..<first, with: earlier)
    }

    /// Takes all timelines away.
    mutating func hold() {
        var kept: [Entry] = []
        for entry in entries where !entry.isOver {
            if kept.last?.rendition === entry.rendition { kept.removeLast() }
            kept.append(entry)
        }
        entries = kept
        for index in entries.indices {
            entries[index].timeline = nil
            entries[index].serial = 0
        }
    }

    /// Has every stretch begin anew.
    mutating func renew() {
        for index in entries.indices { entries[index].serial = 0 }
    }

    mutating func setFreeTimeline(_ timeline: HostTimeline?) {
        for index in entries.indices {
            entries[index].timeline = entries[index].epoch == timeline?.epoch ? timeline : nil
        }
    }

    /// Numbers the stretches without a serial, and all behind them.
    /// - Parameter number: returns an entry's serial.
    mutating func number(_ number: (Entry) -> UInt64) {
        guard let first = entries.firstIndex(where: { $0.serial == 0 }) else { return }
        for index in entries.indices[first...] { entries[index].serial = number(entries[index]) }
    }
}
