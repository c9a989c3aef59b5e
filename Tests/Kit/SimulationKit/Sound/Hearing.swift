import AudioCore

/// What one listener heard of one performance, as a whole.
public struct Hearing {
    /// One for each 20 ms of song; nil where the loudspeaker emitted nothing at all, not even silence.
    public let windows: [HeardWindow?]
    /// The first and the last window in which anything sounded.
    public let first: Int?
    public let last: Int?

    public init(_ windows: [HeardWindow?]) {
        self.windows = windows
        first = windows.firstIndex { Self.isAudible($0) }
        last = windows.lastIndex { Self.isAudible($0) }
    }

    /// Windows between the first and the last that are not the song at full gain.
    public var flaws: [Int] {
        guard let first, let last else { return [] }
        return (first...last).filter { windows[$0]?.content != .song }
    }

    /// Whether the song was heard from its first frame to its last, without a gap, a repetition or a click.
    public var isWhole: Bool { first == 0 && last == windows.count - 1 && flaws.isEmpty }

    /// As ``isWhole``, for a listener so far from its place (half a millisecond) that the comparison itself gets
    /// coarse.
    public var isUnbroken: Bool {
        windows.allSatisfy { window in
            guard let window, window.content != .silence else { return false }
            return window.residual < 0.03 && abs(window.gain - 1) < 0.05
        }
    }

    /// Whether the song was entered in the middle, with a fade of at most two windows, and heard from there to the end.
    public var isWholeFromEntry: Bool {
        guard let first else { return false }
        return last == windows.count - 1 && flaws.allSatisfy { $0 <= first + 1 }
    }

    /// The window from which on everything was the song, to the last one; nil if the end was not heard.
    public var cleanFrom: Int? {
        guard windows.last??.content == .song else { return nil }
        return windows.lastIndex { $0?.content != .song }.map { $0 + 1 } ?? 0
    }

    public var isSilent: Bool { first == nil }

    /// Whether these windows are all the song.
    public func isClean(_ range: Range<Int>) -> Bool { range.allSatisfy { windows[$0]?.content == .song } }

    private static func isAudible(_ window: HeardWindow?) -> Bool { window.map { $0.content != .silence } ?? false }
}

extension Hearing: CustomStringConvertible {
    public var description: String {
        guard let first, let last else { return "nothing of \(windows.count) windows" }
        let flaws = flaws
        let shown = flaws.prefix(4).map { index in
            windows[index].map { "\(index): \($0.content) gain \($0.gain) residual \($0.residual)" } ?? "\(index): none"
        }
        return "windows \(first) to \(last) of \(windows.count), \(flaws.count) flawed \(shown), "
            + "clean from \(cleanFrom ?? -1)"
    }
}

extension ListenNode {
    /// What its loudspeaker emitted of a broadcast.
    public func hearing(of broadcaster: BroadcastNode) -> Hearing {
        Hearing(ear.windows(of: broadcaster.performance))
    }
}
