import AudioCore

/// The words of a song, line by line, each with its time into the song where that is known.
///
/// Lines are clean: they have no control characters, no white space at their ends, and nothing in front that LRC would
/// take for a time or a tag. Timed lines are in the order of their times. So lyrics travel as text: parsing ``lrc``
/// gives equal lyrics. Thread-safe, as a value.
public struct Lyrics: Hashable, Sendable {
    /// The most lines; those beyond are left out.
    public static let lineCountLimit = 2_000
    /// The most characters (Unicode scalars) in a line; those beyond are left out.
    public static let lineLengthLimit = 500
    /// The most bytes of ``lrc``; the lines that do not fit are left out.
    public static let byteCountLimit = 64 * 1024
    /// The latest time of a line; later ones count as this.
    public static let timeLimit = TimeSpan.seconds(100 * 3_600)

    public struct Line: Hashable, Sendable {
        /// When the line begins, counted from the song's first audible frame, in whole milliseconds; nil if unknown.
        public let time: TimeSpan?
        /// May be empty: a pause, or the space between two verses.
        public let text: String

        public init(time: TimeSpan? = nil, text: String) {
            self.time = time
            self.text = text
        }
    }

    /// At least one, and at least one with text. In timed lyrics a line without a time belongs to the one before it.
    public let lines: [Line]
    /// Whether at least one line has a time.
    public let isTimed: Bool

    /// Creates lyrics from lines in any order: cleans, sorts and bounds them.
    /// - Returns: nil if no line has text.
    public init?(lines: [Line]) {
        self.init(
            cleaned: lines.map { line in
                Line(time: line.time.map(Self.wholeMilliseconds), text: LRCSyntax.clean(line.text))
            })
    }

    /// - Parameter lines: in the order of the text, with cleaned texts and times.
    init?(cleaned lines: [Line]) {
        let kept = Self.bounded(Self.sorted(lines))
        guard kept.contains(where: { !$0.text.isEmpty }) else { return nil }
        self.lines = kept
        isTimed = kept.contains { $0.time != nil }
    }

    /// Returns the index of the line that is current at a time into the song.
    /// - Parameter elapsed: counted from the song's first audible frame.
    /// - Returns: the last line that has begun, and of those that begin together the first (a translation follows its
    ///   original); nil before the first line, and if the lyrics are not timed.
    public func line(at elapsed: TimeSpan) -> Int? {
        guard let last = lines.last(where: { $0.time.map { $0 <= elapsed } ?? false }) else { return nil }
        return lines.firstIndex { $0.time == last.time }
    }

    static func wholeMilliseconds(_ time: TimeSpan) -> TimeSpan {
        let time = min(max(time, .zero), timeLimit)
        return .milliseconds((time.nanoseconds + 500_000) / 1_000_000)
    }

    /// Sorts timed lines by their times. A line without a time stays behind the timed one that it followed, or in front
    /// of all; an empty one only separates, which times do better.
    private static func sorted(_ lines: [Line]) -> [Line] {
        guard lines.contains(where: { $0.time != nil }) else { return lines }
        var place = TimeSpan(nanoseconds: .min)
        var placed: [(place: TimeSpan, line: Line)] = []
        for line in lines {
            place = line.time ?? place
            if line.time != nil || !line.text.isEmpty { placed.append((place, line)) }
        }
        // The sort is stable.
        return placed.sorted { $0.place < $1.place }.map(\.line)
    }

    /// Leaves out what exceeds the limits, and separators at both ends and behind others.
    private static func bounded(_ lines: [Line]) -> [Line] {
        var kept: [Line] = []
        var byteCount = 0
        for line in lines {
            let isSeparator = line.time == nil && line.text.isEmpty
            if isSeparator, kept.last.map({ $0.time == nil && $0.text.isEmpty }) ?? true { continue }
            byteCount += line.lrc.utf8.count + 1
            guard kept.count < lineCountLimit, byteCount <= byteCountLimit else { break }
            kept.append(line)
        }
        if let last = kept.last, last.time == nil, last.text.isEmpty { kept.removeLast() }
        return kept
    }
}
