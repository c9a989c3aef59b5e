import AudioCore
import Songs
import StreamTestKit
import Testing

/// Lyrics as text: LRC in its dialects, and plain lines.
@Suite(.timeLimit(.minutes(5)))
struct LyricsTests {
    /// Lines as "milliseconds text", or the text alone without a time.
    private func lines(_ lyrics: Lyrics?) -> [String]? {
        lyrics?.lines.map { line in (line.time.map { "\($0.nanoseconds / 1_000_000) " } ?? "") + line.text }
    }

    private func lines(_ text: String) -> [String]? { lines(Lyrics(parsing: text)) }

    @Test(
        arguments: [
            ("[00:01.50]a", 1_500), ("[00:01:50]a", 1_500), ("[00:01]a", 1_000), ("[0:1]a", 1_000),
            ("[00:01.5]a", 1_500),
            ("[00:01.500]a", 1_500), ("[00:01,50]a", 1_500), ("[00:01.123456]a", 1_123), ("[100:00.00]a", 6_000_000),
            ("[01:02:03.04]a", 3_723_040), (" [ 00:01.00 ] \t a ", 1_000), ("[00:59.99]a", 59_990),
        ] as [(String, Int)])
    func formsOfTimes(text: String, milliseconds: Int) {
        #expect(lines(text) == ["\(milliseconds) a"])
    }

    @Test(arguments: [
        "[00:60.00]a", "[1:2:3:4]a", "[01:60:00.00]a", "[:01]a", "[00:]a", "[00:01.]a", "[00.01]a", "[-1:00]a",
        "[00:01a", "00:01]a", "[00:01.50.1]a", "[99999999999999999999:00]a", "[6000:00.01]a", "[]a", "[٠٠:٠١]a",
        "[Chorus]", "[Verse 2: all]", "a [00:01.00]", "[[00:01.00]]",
    ])
    func whatIsNoTimeIsText(text: String) {
        let lyrics = Lyrics(parsing: text)
        #expect(lyrics?.isTimed == false)
        #expect(lines(lyrics) == [text])
    }

    @Test func aLineMayBeSungSeveralTimes() {
        #expect(lines("[00:02.00]b\n[00:03.00] [00:01.00]a\n[00:03.00]c") == ["1000 a", "2000 b", "3000 a", "3000 c"])
    }

    /// A positive offset shows lines earlier, wherever it stands.
    @Test(arguments: [
        ("[offset:500]", 1_500), ("[offset:+500]", 1_500), ("[Offset: -500 ]", 2_500), ("[offset:5000]", 0),
        ("[offset:x]", 2_000), ("[offset:]", 2_000), ("[offset:99999999999999999999]", 2_000),
        ("[offset:1]\n[offset:-1000]", 3_000),
    ])
    func offset(tag: String, milliseconds: Int) {
        #expect(lines(tag + "\n[00:02.00]a") == ["\(milliseconds) a"])
        #expect(lines("[00:02.00]a\n" + tag) == ["\(milliseconds) a"])
    }

    @Test func otherTagsSayNothing() {
        #expect(lines("[ti:Title]\n[AR:Artist]\n[al:]\n[by: me]\n[re:x]\n[ve:1]\n[length: 3:00]\n[#:x]\na") == ["a"])
        #expect(Lyrics(parsing: "[ti:Title]\n[00:01.00][ar:Artist]") == nil)
    }

    @Test(arguments: [
        ("[00:01.00]<00:01.00>One <00:01.50>word", "One word"),
        ("<00:01.00> One <00:01.50> word <00:02.00>", "One word"),
        ("a<00:01>b", "ab"), ("1 < 2 <3>", "1 < 2 <3>"),
    ])
    func timesOfWordsAreLeftOut(text: String, shown: String) {
        #expect(Lyrics(parsing: text)?.lines.map(\.text) == [shown])
    }

    @Test func plainText() {
        let lyrics = Lyrics(parsing: "\n One \r\nTwo\r\r\rThree\u{2028}Four\n\n\n")
        #expect(lines(lyrics) == ["One", "Two", "", "Three", "Four"])
        #expect(lyrics?.isTimed == false)
        #expect(lyrics?.lrc == "One\nTwo\n\nThree\nFour\n")
        #expect(lyrics?.line(at: .seconds(1)) == nil)
    }

    @Test func linesWithoutATimeStayWhereTheyWere() {
        let text = "By nobody\n[00:02.00]b\nmore\n\n[00:01.00]a\n"
        #expect(lines(text) == ["By nobody", "1000 a", "2000 b", "more"])
    }

    @Test func controlCharactersAreRemoved() {
        #expect(
            lines("[00:01.00]\u{1B}[2Ja\u{0}b\u{7F}\u{85}\u{202E}c\td\u{200D}\u{FEFF}") == [
                "1000 [2Jab", "c d\u{200D}",
            ])
        #expect(lines("[00:\u{0}01.00]a") == ["1000 a"])
    }

    @Test(arguments: ["", "\n \n", "\u{FEFF}", "[00:01.00]\n[00:02.00] ", "[ti:x]", "\u{0}"])
    func withoutTextThereAreNone(text: String) {
        #expect(Lyrics(parsing: text) == nil)
        #expect(Lyrics(parsing: Array(text.utf8)) == nil)
    }

    @Test func encodings() {
        let text = "[00:01.00]Für dich\n[00:02.00]♪\n"
        let units = Array(text.utf16)
        let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
        let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] as [UInt8] }
        let expected = Lyrics(parsing: text)
        #expect(lines(expected) == ["1000 Für dich", "2000 ♪"])
        for bytes in [Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), little, big, big + [0]] {
            #expect(Lyrics(parsing: bytes) == expected)
        }
        // Windows-1252: "Für’s".
        #expect(lines(Lyrics(parsing: [0x46, 0xFC, 0x72, 0x92, 0x73])) == ["Für’s"])
        // An unpaired surrogate.
        #expect(lines(Lyrics(parsing: [0xFF, 0xFE, 0x41, 0, 0, 0xD8])) == ["A\u{FFFD}"])
    }

    // MARK: Limits

    @Test func tooMuchIsLeftOut() throws {
        let many = try #require(Lyrics(parsing: String(repeating: "[00:01.00]a\n", count: 5_000)))
        #expect(many.lines.count == Lyrics.lineCountLimit)
        let long = try #require(Lyrics(parsing: String(repeating: "ü", count: 9_000)))
        #expect(long.lines.map(\.text) == [String(repeating: "ü", count: Lyrics.lineLengthLimit)])
        let large = try #require(
            Lyrics(parsing: String(repeating: String(repeating: "ü", count: 400) + "\n", count: 500)))
        #expect(large.lrc.utf8.count <= Lyrics.byteCountLimit)
        #expect(large.lines.count == Lyrics.byteCountLimit / 801)
    }

    /// The cut of a file that is too long falls into a character.
    @Test func aCutDoesNotDecideTheEncoding() throws {
        for front in ["", "a", "ab", "abc"] {
            let lyrics = try #require(
                Lyrics(parsing: Array((front + "♪\n" + String(repeating: "♪", count: 200_000)).utf8)))
            #expect(lyrics.lines.first?.text == front + "♪")
        }
    }

    @Test func textThatSeemsToNestTimesCostsLinearTime() {
        let texts = ["<00:0", "[", "[00:01.00]", "<00:01.00", "[00:0<00:01.00>1.00]", "\n"]
        for text in texts {
            #expect(processorSeconds { _ = Lyrics(parsing: String(repeating: text, count: 100_000)) } < 5)
        }
    }

    // MARK: The current line

    @Test func currentLine() throws {
        let lyrics = try #require(Lyrics(parsing: "By nobody\n[00:01.00]a\n[00:02.00]b\nmore\n[00:02.00]B\n[00:03.00]"))
        #expect(lines(lyrics) == ["By nobody", "1000 a", "2000 b", "more", "2000 B", "3000 "])
        let expected: [(Int64, Int?)] = [
            (-5_000, nil), (0, nil), (999, nil), (1_000, 1), (1_999, 1), (2_000, 2), (2_999, 2), (3_000, 5), (.max, 5),
        ]
        for (milliseconds, index) in expected {
            let elapsed = milliseconds == .max ? TimeSpan(nanoseconds: .max) : .milliseconds(milliseconds)
            #expect(lyrics.line(at: elapsed) == index)
        }
    }

    // MARK: Writing

    @Test func timesAreWrittenInHundredthsIfTheyCanBe() {
        let times: [(Int64, String)] = [
            (0, "[00:00.00]"), (1_050, "[00:01.05]"), (1_005, "[00:01.005]"), (6_000_000, "[100:00.00]"),
        ]
        for (milliseconds, stamp) in times {
            #expect(Lyrics(lines: [.init(time: .milliseconds(milliseconds), text: "a")])?.lrc == stamp + "a\n")
        }
    }

    @Test func linesAreCleaned() {
        let lyrics = Lyrics(lines: [
            .init(time: TimeSpan(nanoseconds: .max), text: "[00:01.00] late"),
            .init(time: TimeSpan(nanoseconds: .min), text: "two\nlines"),
            .init(time: .microseconds(1_600), text: "[ti:x]"),
        ])
        #expect(lines(lyrics) == ["0 two lines", "2 ", "360000000 late"])
        #expect(Lyrics(lines: []) == nil)
    }

    /// Parsing what was written gives the same lyrics, for lines of any text at any time, and for any bytes.
    @Test func writtenLyricsAreReadAgain() throws {
        let pieces = [
            "[00:01.00]", "<00:02.00>", "[ti:", "[offset:100]", "]", "[00:0", "1.00]", "<0:0", "1>", "x", " ", "\n",
            "\r",
            "[", "<", ":", "00:03", "ü", "\u{301}", "\u{0}", "\u{2028}", "\t", "♪", String(repeating: "y", count: 300),
        ]
        for seed in 1...3_000 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            func text() -> String {
                (0..<Int.random(in: 0..<12, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }
                    .joined()
            }
            let given = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
                let isTimed = Bool.random(using: &generator)
                let time = TimeSpan(nanoseconds: .random(in: -1_000_000_000...1_000_000_000_000, using: &generator))
                return Lyrics.Line(time: isTimed ? time : nil, text: text())
            }
            for lyrics in [Lyrics(lines: given), Lyrics(parsing: text()), Lyrics(parsing: payload(200, seed: seed))] {
                guard let lyrics else { continue }
                #expect(Lyrics(parsing: lyrics.lrc) == lyrics, "seed \(seed)")
                #expect(Lyrics(parsing: Array(lyrics.lrc.utf8)) == lyrics, "seed \(seed)")
                #expect(Lyrics(lines: lyrics.lines) == lyrics, "seed \(seed)")
            }
        }
    }
}
