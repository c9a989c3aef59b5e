import StreamTestKit
import Testing

@testable import Songs

@Suite(.timeLimit(.minutes(5)))
struct ICYStripperTests {
    /// A station's bytes: audio that counts up, a text after each interval.
    private func station(_ texts: [[UInt8]], interval: Int) -> (sent: [UInt8], audio: [UInt8]) {
        var (sent, audio): ([UInt8], [UInt8]) = ([], [])
        for text in texts {
            let piece = (0..<interval).map { UInt8(truncatingIfNeeded: audio.count + $0) }
            audio += piece
            sent += piece
            let units = (text.count + 15) / 16
            sent += [UInt8(units)] + text + [UInt8](repeating: 0, count: units * 16 - text.count)
        }
        return (sent, audio)
    }

    private func strip(_ bytes: [UInt8], interval: Int, pieces: () -> Int) -> (audio: [UInt8], titles: [String]) {
        var stripper = ICYStripper(interval: interval)!
        var (audio, titles): ([UInt8], [String]) = ([], [])
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = Array(rest.prefix(pieces()))
            rest = rest.dropFirst(piece.count)
            let count = piece.withUnsafeMutableBytes { stripper.strip($0) }
            audio += piece[..<count]
            titles += stripper.takeTitles()
        }
        return (audio, titles)
    }

    private func title(_ text: String) -> [UInt8] { Array("StreamTitle='\(text)';StreamUrl='';".utf8) }

    @Test func textsAreTakenOutHoweverTheBytesAreCut() {
        let texts = [title("One"), [], title("Zwei - Für"), [], [], title(String(repeating: "x", count: 4_000))]
        let expected = ["One", "Zwei - Für", String(repeating: "x", count: 4_000)]
        for interval in [1, 16, 1_000] {
            let (sent, audio) = station(texts, interval: interval)
            for size in [1, 2, 3, 15, 16, 17, 1_000, 100_000] {
                let found = strip(sent, interval: interval) { size }
                #expect(found.audio == audio && found.titles == expected, "pieces of \(size), interval \(interval)")
            }
            for seed in 1...20 {
                var generator = SeededGenerator(seed: UInt64(seed))
                let found = strip(sent, interval: interval) { Int.random(in: 1...70, using: &generator) }
                #expect(found.audio == audio && found.titles == expected, "seed \(seed), interval \(interval)")
            }
        }
    }

    @Test(arguments: [
        ("StreamTitle='It's me';", "It's me"), ("StreamTitle='A';StreamUrl='B';", "A"), ("StreamTitle='A", "A"),
        ("StreamUrl='x';StreamTitle='B';", "B"), ("StreamTitle='';", nil), ("StreamTitle='  ';", nil),
        ("StreamUrl='';", nil), ("", nil),
    ]) func theTitleStandsBetweenApostrophes(text: String, title: String?) {
        #expect(ICYStripper.title(in: Array(text.utf8) + [0, 0, 7]) == title)
    }

    @Test func otherEncodingsAreTakenAsLatin1() {
        #expect(ICYStripper.title(in: Array("StreamTitle='F".utf8) + [0xFC] + Array("r';".utf8)) == "Für")
    }

    @Test(arguments: [0, -1, Int.max]) func anIntervalThatCannotBeIsNone(interval: Int) {
        #expect(ICYStripper(interval: interval) == nil)
    }
}
