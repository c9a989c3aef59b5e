import StreamTestKit
import Testing

@testable import MusicLibrary

/// Under random changes every search finds what looking at each song finds.
@Suite(.timeLimit(.minutes(5)))
struct IndexReferenceTests {
    private static let words = ["blue", "bluebird", "girl", "little", "lit", "nina", "north", "no", "good", "goodbye"]

    private struct Song {
        var title: [String]
        var artist: [String]
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>) func asByHand(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let music = MusicFolder()
        var songs: [String: Song] = [:]
        var index = try music.open()
        func phrase(_ count: ClosedRange<Int>) -> [String] {
            (0..<Int.random(in: count, using: &random)).map { _ in Self.words.randomElement(using: &random) ?? "" }
        }
        for round in 0..<8 {
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let name = "\(Int.random(in: 0..<4, using: &random))/\(Int.random(in: 0..<20, using: &random)).mp3"
                if Int.random(in: 0..<4, using: &random) == 0 {
                    songs[name] = nil
                    music.remove(name)
                } else {
                    // Of another length, as the clock of files may stand still.
                    let song = Song(
                        title: phrase(1...4) + ["number\(String(repeating: "x", count: round))"], artist: phrase(1...2))
                    songs[name] = song
                    try music.song(
                        name, ["TIT2": song.title.joined(separator: " "), "TPE1": song.artist.joined(separator: " ")])
                }
            }
            if Bool.random(using: &random) { index = try music.open() }
            try index.update(music)
            #expect(try index.songCount() == songs.count)
            for _ in 0..<40 {
                let (wanted, excluded, artist) = (phrase(1...2), phrase(0...1), phrase(0...1))
                let line =
                    wanted.map { String($0.prefix(Int.random(in: 1...6, using: &random))) }.joined(separator: " ")
                let prefixes = line.split(separator: " ")
                let query = line + excluded.map { " -\($0)" }.joined() + artist.map { " artist:\($0)" }.joined()
                let found = Set(try index.search(SearchQuery(line: query)).map(\.path))
                let expected = songs.filter { _, song in
                    let all = song.title + song.artist
                    return prefixes.allSatisfy { prefix in all.contains { $0.hasPrefix(prefix) } }
                        && excluded.allSatisfy { word in !all.contains { $0.hasPrefix(word) } }
                        && artist.allSatisfy { word in song.artist.contains { $0.hasPrefix(word) } }
                }
                #expect(found == Set(expected.keys.map(music.path)), "seed \(seed): \(query)")
            }
        }
        try index.database.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    }

    // MARK: Ideographs

    private static let characters: [Character] = ["東", "京", "タ", "ー", "あ", "서", "울", "々", "a", "b"]

    /// What is a word: an ideograph, a kana, a syllable, a run of letters.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var isOpen = false
        for character in text {
            if character.isASCII, character.isLetter, isOpen {
                words[words.count - 1].append(character)
            } else if character != " " {
                words.append(String(character))
            }
            isOpen = character.isASCII && character.isLetter
        }
        return words
    }

    private static func has(_ text: String, _ query: String, isWhole: Bool) -> Bool {
        let (words, wanted) = (words(text), words(query))
        return words.indices.contains { start in
            let place = words[start...].prefix(wanted.count)
            guard place.count == wanted.count, place.dropLast().elementsEqual(wanted.dropLast()),
                let last = place.last, let wantedLast = wanted.last
            else { return false }
            return isWhole ? last == wantedLast : last.hasPrefix(wantedLast)
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func ideographsAsByHand(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func text(_ count: ClosedRange<Int>, _ characters: [Character]) -> String {
            String(
                (0..<Int.random(in: count, using: &random)).map { _ in
                    characters.randomElement(using: &random) ?? "a"
                })
        }
        let music = MusicFolder()
        var titles: [String: String] = [:]
        let index = try music.open()
        for round in 0..<4 {
            for _ in 0..<20 {
                let name = "\(Int.random(in: 0..<30, using: &random)).mp3"
                if Int.random(in: 0..<4, using: &random) == 0 {
                    titles[name] = nil
                    music.remove(name)
                } else {
                    let title = text(1...8, Self.characters + [" "])
                    guard title.contains(where: { $0 != " " }) else { continue }
                    titles[name] = title
                    try music.song(name, ["TIT2": title, "TXXX": String(repeating: "x", count: 100 * round + 100)])
                }
            }
            try index.update(music)
            for _ in 0..<60 {
                let (query, isWhole) = (text(1...3, Self.characters), Bool.random(using: &random))
                let found = Set(
                    try index.search(SearchQuery(line: isWhole ? "\"\(query)\"" : query)).map(\.path))
                let expected = titles.filter { Self.has($0.value, query, isWhole: isWhole) }
                #expect(found == Set(expected.keys.map(music.path)), "seed \(seed): \(query) in \(titles)")
            }
        }
        try index.database.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    }
}
