/// What a listener got, or several did.
public struct ReceptionFigures: Hashable, Sendable {
    /// Packets of the song, pre-roll included.
    public var packets = 0
    /// Packets before the frame at which the sound begins: the decoder's pre-roll.
    public var preroll = 0
    /// More of them than the decoder needs and one message's more, or fewer though the song has them.
    public var wrongPreroll = 0
    /// Packets that came after their frames were due.
    public var late = 0
    /// Messages that were due when the listener had just come, or earlier: they do not count as late.
    public var catchUp = 0
    /// Packets whose bytes, size or length are not the song's.
    public var mismatched = 0
    /// Packets at a position where the song has none.
    public var misplaced = 0
    /// Packets that did not come, of those between the first and the last that had to.
    public var missing = 0
    /// Packets of which the broadcaster said that it dropped them.
    public var told = 0
    public var repeated = 0
    /// Messages out of turn: packets before an entry mark, of another epoch, a format that is not the song's.
    public var unexpected = 0
    /// Refused, garbled or closed before the broadcast's end.
    public var lostConnections = 0
    public var entries = 0
    public var anchors = 0
    public var ends = 0

    public init() {}

    /// Whether all came, unharmed and in time.
    public var isFlawless: Bool {
        late == 0 && mismatched == 0 && misplaced == 0 && missing == 0 && told == 0 && repeated == 0
            && unexpected == 0 && wrongPreroll == 0 && lostConnections == 0
    }

    public static func += (sum: inout ReceptionFigures, other: ReceptionFigures) {
        for path in paths { sum[keyPath: path.value] += other[keyPath: path.value] }
    }

    /// In the order in which they are told.
    static var paths: [(name: String, value: WritableKeyPath<ReceptionFigures, Int>)] {
        [
            ("packets", \.packets), ("preroll", \.preroll), ("late", \.late), ("mismatched", \.mismatched),
            ("misplaced", \.misplaced), ("missing", \.missing), ("toldLost", \.told), ("repeated", \.repeated),
            ("unexpected", \.unexpected), ("wrongPreroll", \.wrongPreroll), ("catchUpMessages", \.catchUp),
            ("connectionsLost", \.lostConnections), ("entries", \.entries), ("anchors", \.anchors), ("ends", \.ends),
        ]
    }
}
