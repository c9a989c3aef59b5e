import AudioCore
import Songs

/// Lyrics as files and tags have them: any bytes.
struct LyricsRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        guard let lyrics = Lyrics(parsing: input) else { return nil }
        if let violation = Self.violation(in: lyrics) { return violation }
        // The same lyrics, however they travel.
        for same in [Lyrics(parsing: lyrics.lrc), Lyrics(parsing: Array(lyrics.lrc.utf8)), Lyrics(lines: lyrics.lines)]
        where same != lyrics {
            return "'\(lyrics.lrc)' becomes '\(same?.lrc ?? "nothing")'"
        }
        return nil
    }

    private static func violation(in lyrics: Lyrics) -> String? {
        let lines = lyrics.lines
        if lines.count > Lyrics.lineCountLimit { return "\(lines.count) lines" }
        if lyrics.lrc.utf8.count > Lyrics.byteCountLimit { return "\(lyrics.lrc.utf8.count) bytes" }
        if lines.allSatisfy(\.text.isEmpty) { return "no text" }
        if lyrics.isTimed != lines.contains(where: { $0.time != nil }) { return "wrongly timed" }
        for line in lines {
            let scalars = line.text.unicodeScalars
            if scalars.count > Lyrics.lineLengthLimit { return "a line of \(scalars.count) characters" }
            if scalars.contains(where: { $0.properties.generalCategory == .control }) { return "a control character" }
        }
        let times = lines.compactMap(\.time)
        if zip(times, times.dropFirst()).contains(where: { $0 > $1 }) { return "lines out of order" }
        if let first = times.first, first < .zero { return "a line before the song" }
        for time in times {
            guard let index = lyrics.line(at: time), lines[index].time == time else { return "no line at \(time)" }
        }
        return lyrics.line(at: TimeSpan(nanoseconds: -1)) == nil ? nil : "a line before the song"
    }
}

extension LyricsRun {
    static var seeds: [[UInt8]] {
        let texts = [
            "\u{FEFF}[ti:Title]\r\n[offset:+250]\r\n[00:01.00][01:02:03]One\r\n[00:02]\r\n[1:00:00.5]Two\n",
            "[00:01.000]<00:01.00> One <00:01.50> word\n[00:01.00]Ein\ntext\n[offset:-99999999999]\n",
            "One\n\n\nTwo\u{2028}Three\u{1B}[2J\t[Verse 2: all]\n[99999:59.99] [<00:01.00>00:01.00]\n",
        ]
        let wide: [[UInt8]] = "\u{FEFF}[00:01.00]Ü\n".utf16.map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return texts.map { Array($0.utf8) } + [
            Array(wide.joined()), Array("[00:01.00]".utf8) + [0xDC, 0x20, 0x92, 0x0A],
        ]
    }
}
