import AudioCore

// LRC has no standard. Lines are "[mm:ss.xx]text"; a text that is sung several times has several times in front. Tags
// such as "[ti:Title]" stand on lines of their own; "[offset:+500]" shows all lines that many milliseconds earlier. The
// enhanced form has "<mm:ss.xx>" in front of words. Minutes may exceed 59, and writers differ in the fraction: ".5",
// ".50", ".500", ":50" or none.

extension Lyrics {
    /// Bytes and characters of a text that are looked at: lyrics within the limits, in any encoding.
    static let inputLimit = 4 * byteCountLimit

    /// Lyrics as LRC; as plain lines if they are not timed. Each line ends with a newline. At most ``byteCountLimit``
    /// bytes of UTF-8.
    public var lrc: String { lines.map { $0.lrc + "\n" }.joined() }

    /// Parses LRC, or plain text without times.
    ///
    /// Takes UTF-16 and UTF-8 with a byte order mark, and without one UTF-8, or else Windows-1252, which is ISO 8859-1
    /// with characters for half of its controls. Never fails because of damage: what is no LRC is text.
    /// - Returns: nil if there is no text.
    public init?(parsing bytes: [UInt8]) { self.init(parsing: LyricsEncoding.text(bytes)) }

    /// Parses LRC, or plain text without times.
    /// - Returns: nil if there is no text.
    public init?(parsing text: String) {
        var lines: [(milliseconds: Int64?, text: String)] = []
        var offset: Int64 = 0
        for scalars in LRCSyntax.lines(of: text) {
            var line = LRCSyntax.trimmed(scalars)
            if let tag = LRCSyntax.tag(line) {
                offset = tag.offset ?? offset
                continue
            }
            var times: [Int64] = []
            while let time = LRCSyntax.takeTime(from: &line) { times.append(time) }
            let text = LRCSyntax.clean(line)
            if times.isEmpty { lines.append((nil, text)) }
            for time in times { lines.append((time, text)) }
        }
        self.init(
            cleaned: lines.map { milliseconds, text in
                Line(time: milliseconds.map { Self.wholeMilliseconds(.milliseconds($0 - offset)) }, text: text)
            })
    }
}

extension Lyrics.Line {
    /// The line as LRC, without a newline.
    var lrc: String { (time.map(Self.stamp) ?? "") + text }

    /// Hundredths, as all readers take them; thousandths where they are needed.
    private static func stamp(_ time: TimeSpan) -> String {
        let milliseconds = time.nanoseconds / 1_000_000
        let (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let digits = fraction % 10 == 0 ? padded(fraction / 10, to: 2) : padded(fraction, to: 3)
        return "[\(padded(seconds / 60, to: 2)):\(padded(seconds % 60, to: 2)).\(digits)]"
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
