import AudioCore

// USLT (2.3 section 4.9, 2.4 section 4.8): encoding, language, description, text. SYLT (2.3 section 4.10, 2.4 section
// 4.9): encoding, language, unit of the times, kind of text, description, then pieces of text, each terminated and with
// four bytes of time. A piece is a syllable, a word or a line; where pieces are parts of lines, a line break begins the
// piece that begins a line. Times in MPEG frames (unit 1) need the frames' length, which changes where layers or rates
// do: such lyrics are taken without their times.

extension ID3v2Frame {
    /// Returns the lyrics in a frame's body; nil if it has none.
    func lyrics(_ body: ArraySlice<UInt8>) -> AudioStreamLyrics? {
        guard let encoding = body.first else { return nil }
        switch self {
        case .lyrics:
            let text = Self.text(Self.split(body.dropFirst(4), encoding).1, encoding)
            return text.isEmpty ? nil : .text(text)
        case .timedLyrics: return Self.timedLyrics(body, encoding)
        case .text, .userText, .comment, .picture: return nil
        }
    }

    private static func timedLyrics(_ body: ArraySlice<UInt8>, _ encoding: UInt8) -> AudioStreamLyrics? {
        let head = Array(body.prefix(6))
        // Kinds: 1 is lyrics, 2 a transcription; others are chords, events, addresses.
        guard head.count == 6, head[5] == 1 || head[5] == 2 else { return nil }
        let lines = lines(of: pieces(body.dropFirst(6), encoding))
        guard lines.contains(where: { !$0.text.isEmpty }) else { return nil }
        // Unit 2 is milliseconds.
        return head[4] == 2 ? .timed(lines) : .text(lines.map(\.text).joined(separator: "\n"))
    }

    /// Reads the pieces behind the description. Some writers put a byte order mark only there.
    private static func pieces(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> [AudioStreamLyrics.Line] {
        var encoding = encoding
        var pieces: [AudioStreamLyrics.Line] = []
        var (text, rest) = split(bytes, encoding)
        while true {
            if encoding == 1, text.starts(with: [0xFE, 0xFF]) { encoding = 2 }
            if encoding == 2, text.starts(with: [0xFF, 0xFE]) { encoding = 1 }
            guard !rest.isEmpty else { return pieces }
            (text, rest) = split(rest, encoding)
            guard rest.count >= 4 else { return pieces }
            let milliseconds = rest.prefix(4).reduce(0 as Int64) { $0 << 8 | Int64($1) }
            rest = rest.dropFirst(4)
            pieces.append(.init(time: .milliseconds(milliseconds), text: Self.text(text, encoding)))
        }
    }

    /// Joins pieces to lines, each with the time of its first piece.
    private static func lines(of pieces: [AudioStreamLyrics.Line]) -> [AudioStreamLyrics.Line] {
        let areParts = pieces.contains { $0.text.first?.isNewline == true || $0.text.last?.isNewline == true }
        var lines: [AudioStreamLyrics.Line] = []
        var isInLine = false
        for piece in pieces {
            let parts = piece.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (index, part) in parts.enumerated() {
                if index > 0 { isInLine = false }
                guard areParts else {
                    lines.append(.init(time: piece.time, text: String(part)))
                    continue
                }
                guard !part.isEmpty else { continue }
                if isInLine {
                    lines[lines.count - 1].text += part
                } else {
                    lines.append(.init(time: piece.time, text: String(part)))
                    isInLine = true
                }
            }
        }
        return lines
    }
}
