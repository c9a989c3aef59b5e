import Glibc
import StreamTestKit
import Testing

@testable import MusicLibrary
@testable import tutti

/// What is found, and in which order.
@Suite(.timeLimit(.minutes(5)))
struct MusicIndexTests {
    private let music = MusicFolder()

    @Test func songsAreFoundByTheBeginningsOfTheirWords() throws {
        try music.song("1.mp3", ["TIT2": "Little Girl Blue", "TPE1": "Nina Simone", "TALB": "Jazz", "TCON": "Vocal"])
        try music.song("2.mp3", ["TIT2": "Feeling Good", "TPE1": "Nina Simone", "TCOM": "Anthony Newley"])
        try music.song("3.mp3", ["TIT2": "Girl from the North", "TPE1": "Bob"])
        let index = try music.index()
        #expect(try index.titles("gir") == ["Girl from the North", "Little Girl Blue"])
        #expect(try index.titles("artist:nina gir") == ["Little Girl Blue"])
        #expect(try index.titles("artist:girl") == [])
        #expect(try index.titles("newley good") == ["Feeling Good"])
        #expect(try index.titles("\"girl blue\"") == ["Little Girl Blue"])
        #expect(try index.titles("\"girl blu\"") == [], "in quotation marks words are whole")
        #expect(try index.titles("nina -girl") == ["Feeling Good"])
        #expect(try index.titles("genre:vocal") == ["Little Girl Blue"])
    }

    @Test func caseAndDiacriticsDoNotCount() throws {
        try music.song("1.mp3", ["TIT2": "Für Elise", "TPE1": "Dvořák"])
        try music.song("2.mp3", ["TIT2": "Жизнь", "TPE1": "Zażółć"])
        let index = try music.index()
        for line in ["fur elise", "FÜR", "dvorak", "DVOŘÁK"] { #expect(try index.titles(line) == ["Für Elise"]) }
        for line in ["жизнь", "ЖИЗ", "zazołc"] { #expect(try index.titles(line) == ["Жизнь"], "\(line)") }
    }

    @Test func ideographsAreFoundInsideOfRuns() throws {
        try music.song("1.mp3", ["TIT2": "東京タワー", "TPE1": "椎名林檎"])
        try music.song("2.mp3", ["TIT2": "京東", "TPE1": "소녀시대"])
        try music.song("3.mp3", ["TIT2": "Live in 東京2"])
        let index = try music.index()
        #expect(try index.titles("東京").sorted() == ["Live in 東京2", "東京タワー"])
        #expect(try index.titles("京タワ") == ["東京タワー"] && index.titles("artist:林檎") == ["東京タワー"])
        #expect(try index.titles("タワー -京東") == ["東京タワー"] && index.titles("시대") == ["京東"])
        #expect(try index.titles("live 東京2") == ["Live in 東京2"] && index.titles("東タ") == [])
    }

    @Test func albumsArePlayedInTheirOrder() throws {
        try music.song("z/3.mp3", ["TIT2": "c", "TPE1": "A", "TALB": "One", "TRCK": "10/12"])
        try music.song("z/2.mp3", ["TIT2": "b", "TPE1": "A", "TALB": "One", "TRCK": "2/12"])
        try music.song("y/1.mp3", ["TIT2": "d", "TPE1": "B", "TALB": "Two", "TRCK": "1", "TPOS": "2/2"])
        try music.song("y/9.mp3", ["TIT2": "a", "TPE1": "B", "TALB": "Two", "TRCK": "9", "TPOS": "1/2"])
        let index = try music.index()
        #expect(try index.titles("album:one") == ["b", "c"])
        #expect(try index.search(SearchQuery(.artist, "b"), by: .albums).map(\.title) == ["a", "d"])
        #expect(try index.search(SearchQuery(.album, "Two")).map(\.path).allSatisfy { $0.contains("/music/y/") })
    }

    /// Also of several discs, each in a directory of its own.
    @Test func aCompilationIsOneAlbum() throws {
        try music.song("Hits/CD 1/1.mp3", ["TIT2": "a", "TPE1": "X", "TALB": "Hits", "TPOS": "1", "TRCK": "1"])
        try music.song("Hits/CD 2/1.mp3", ["TIT2": "b", "TPE1": "Y", "TALB": "Hits", "TPOS": "2", "TRCK": "1"])
        try music.song("Other/1.mp3", ["TIT2": "c", "TPE1": "A", "TALB": "Hits", "TRCK": "1"])
        try music.song("Z/1.mp3", ["TIT2": "d", "TPE1": "D", "TPE2": "Various Artists", "TALB": "Sum", "TRCK": "2"])
        try music.song("Z/2.mp3", ["TIT2": "e", "TPE1": "C", "TPE2": "Various Artists", "TALB": "Sum", "TRCK": "1"])
        let index = try music.index()
        #expect(try index.database.integer("SELECT count(*) FROM albums WHERE title = 'Hits'") == 2)
        #expect(try index.titles("artist:various") == ["e", "d"])
        #expect(
            try index.search(SearchQuery(.album, "Sum")).map(\.albumArtist) == ["Various Artists", "Various Artists"])
    }

    @Test func aSongWithoutTagsIsFoundByItsName() throws {
        try music.put("Old Tape.mp3", MPEGWriter().frames(4).flatMap { $0 })
        try music.put("cover.jpg", [1])
        let found = try music.index().search(SearchQuery(line: "tape"))
        #expect(found.map(\.title) == ["Old Tape.mp3"] && found.map(\.path) == [music.path("Old Tape.mp3")])
    }

    @Test func yearsAreARange() throws {
        for year in [1959, 1960, 1965, 1966] {
            try music.song("\(year).mp3", ["TIT2": "\(year)x", "TDRC": "\(year)-02-03"])
        }
        let index = try music.index()
        #expect(try index.titles("year:1960-1965") == ["1960x", "1965x"])
        #expect(try index.titles("year:1960 1965x") == [])
        #expect(try index.titles("year:1960-1966 -1965x") == ["1960x", "1966x"])
        #expect(try index.titles("year:1959-1965 year:1960-1970") == ["1960x", "1965x"])
        #expect(try index.titles("year:1959 year:1960") == [])
    }

    @Test func whatFitsBestComesFirst() throws {
        try music.song("1.mp3", ["TIT2": "One", "TPE1": "Somebody", "TALB": "Blue"])
        try music.song("2.mp3", ["TIT2": "Blue", "TPE1": "Nobody", "TALB": "One"])
        let found = try music.index().search(SearchQuery(line: "blue"), limit: 1)
        #expect(found.map(\.title) == ["Blue"])
    }

    @Test func everyAlbumIsFoundOnce() throws {
        for number in 1...9 {
            try music.song("a/\(number).mp3", ["TIT2": "x\(number)", "TPE1": "A", "TALB": "Many", "TRCK": "\(number)"])
        }
        try music.song("b/1.mp3", ["TIT2": "y", "TPE1": "B", "TPE2": "All", "TALB": "One"])
        try music.song("b/2.mp3", ["TIT2": "z", "TPE1": "C", "TPE2": "All", "TALB": "One"])
        try music.song("c.mp3", ["TIT2": "w", "TPE1": "A"])
        let index = try music.index()
        let albums = try index.albums()
        #expect(albums.map(\.album.title) == ["Many", "One"] && albums.map(\.album.songCount) == [9, 2])
        #expect(try index.albums(SearchQuery(.artist, "B")).map(\.songArtists) == [["B"]])
        let one = try #require(index.albums(SearchQuery(line: "y")).first).album
        #expect(one.artist == "All" && one.title == "One")
        #expect(try index.songs(ofAlbum: one.id, limit: 10_000).map(\.title) == ["y", "z"], "the whole album")
        #expect(try index.albums(SearchQuery(line: "w")) == [] && index.albums(SearchQuery(line: "-y")) == [])
        music.remove("b")
        try index.update(music)
        #expect(try index.songs(ofAlbum: one.id, limit: 10_000) == [])
    }

    // MARK: The file

    @Test func anIndexIsThereAgain() throws {
        try music.song("1.mp3", ["TIT2": "One"])
        do { _ = try music.index() }
        let again = try music.open()
        #expect(again.repair == .none)
        #expect(try again.titles("one") == ["One"])
        #expect(try again.secondsSinceUpdate().map { $0 < 3_600 } == true)
    }

    @Test(arguments: ["nonsense", "", "half"]) func aDamagedIndexIsMadeAnew(damage: String) throws {
        try music.song("1.mp3", ["TIT2": "One"])
        do { _ = try music.index() }
        var bytes = try Tool.readFile(music.indexPath)
        switch damage {
        case "half": bytes.replaceSubrange(4_096..<bytes.count, with: repeatElement(0xA5, count: bytes.count - 4_096))
        default: bytes = Array(repeating: damage, count: 500).joined().utf8.map { $0 }
        }
        try Tool.writeFile(music.indexPath, bytes)
        var index = try music.open()
        do throws(LibraryError) {
            try index.update(music)
        } catch {
            // What lies behind the first page is not looked at before.
            #expect(error == .damaged && damage == "half")
            index = try MusicIndex(remaking: music.indexPath)
            try index.update(music)
        }
        #expect(try index.titles("one") == ["One"])
    }

    /// For a look at it, nothing is mended.
    @Test(arguments: ["nonsense", "half", "release"]) func anIndexIsOpenedAsItIs(damage: String) throws {
        #expect(throws: LibraryError.other("there is none")) { try MusicIndex(asItIs: music.indexPath) }
        try music.song("1.mp3", ["TIT2": "One"])
        let path = music.path("1.mp3")
        do {
            let index = try music.index()
            #expect(try MusicIndex(asItIs: music.indexPath).songs(at: [path]).first??.title == "One")
            if damage == "release" { try index.database.execute("PRAGMA user_version = 77") }
        }
        var bytes = try Tool.readFile(music.indexPath)
        switch damage {
        case "half": bytes.replaceSubrange(4_096..<bytes.count, with: repeatElement(0xA5, count: bytes.count - 4_096))
        case "nonsense": bytes = Array(repeating: damage, count: 500).joined().utf8.map { $0 }
        default: break
        }
        try Tool.writeFile(music.indexPath, bytes)
        #expect(throws: LibraryError.self) { try MusicIndex(asItIs: music.indexPath).songs(at: [path]) }
        #expect(KnownSongs(index: try? MusicIndex(asItIs: music.indexPath)).facts(of: [path]) == [nil])
        #expect(try Tool.readFile(music.indexPath) == bytes)
    }

    @Test(arguments: [2, 77]) func anIndexOfAnotherReleaseIsMadeAnew(version: Int) throws {
        do { try music.index().database.execute("PRAGMA user_version = \(version)") }
        let index = try music.open()
        #expect(index.repair == .none)
        #expect(try index.songCount() == 0)
        try music.song("1.mp3", ["TIT2": "One"])
        try index.update(music)
        #expect(try index.titles("one") == ["One"])
    }

    @Test func anIndexThatCannotBeKeptServesOnce() throws {
        try music.song("1.mp3", ["TIT2": "One"])
        let index = try MusicIndex(path: "/proc/nowhere/library.sqlite")
        #expect(index.repair == .unkept(.readOnly))
        try index.update(music)
        #expect(try index.titles("one") == ["One"])
    }
}
