/// The words of a song as one of its tags has them.
///
/// They are no ``AudioStreamProperty``: no player needs them, no wire carries them, and no summary keeps them. A parser
/// gives them to ``AudioStreamSink/streamDidParse(lyrics:)``, which by default ignores them. A tag's bytes are bounded
/// by ``Limits/lyricsByteCount``.
public enum AudioStreamLyrics: Hashable, Sendable {
    /// Text with line breaks, uncleaned. It may be LRC, and so have times.
    case text(String)
    /// Lines with their times into the song, in the tag's order.
    case timed([Line])

    public struct Line: Hashable, Sendable {
        /// From the song's first audible frame on.
        public var time: TimeSpan
        /// Uncleaned; has no line breaks.
        public var text: String

        public init(time: TimeSpan, text: String) {
            self.time = time
            self.text = text
        }
    }
}
