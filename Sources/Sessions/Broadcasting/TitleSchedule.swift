import AudioCore

/// Titles that a station announced, kept until their part is heard. The first is shown at once.
///
/// Holds ``BroadcastLimits/comingTitleCount``; beyond that the oldest are forgotten.
struct TitleSchedule {
    private var coming: [(frame: FramePosition, title: String)] = []
    private var isFirst = true

    /// Notes a title of what will be read next: from `end` on, which is nil before anything was read.
    mutating func note(_ title: String, from end: FramePosition?) {
        // No real station has so many titles in the time that is read ahead.
        if coming.count >= BroadcastLimits.comingTitleCount { coming.removeFirst() }
        coming.append((isFirst ? .zero : end ?? .zero, title))
        isFirst = false
    }

    /// Takes the titles of what is heard by now, oldest first.
    mutating func take(upTo position: FramePosition) -> [String] {
        guard let first = coming.first, first.frame <= position else { return [] }
        let count = coming.firstIndex { $0.frame > position } ?? coming.count
        defer { coming.removeFirst(count) }
        return coming.prefix(count).map(\.title)
    }
}
