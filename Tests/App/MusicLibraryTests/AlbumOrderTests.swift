import StreamTestKit
import Testing

@testable import MusicLibrary

/// The order in which albums are played.
@Suite(.timeLimit(.minutes(5)))
struct AlbumOrderTests {
    private let music = MusicFolder()

    @Test func articlesDoNotCountInTheOrderAndDoInTheSearch() throws {
        try music.song("1.mp3", ["TIT2": "b", "TPE1": "The Beatles", "TALB": "A Hard Day's Night"])
        try music.song("2.mp3", ["TIT2": "a", "TPE1": "Abba", "TALB": "Waterloo"])
        try music.song("3.mp3", ["TIT2": "d", "TPE1": "Cream", "TALB": "Goodbye"])
        try music.song("4.mp3", ["TIT2": "c", "TPE1": "The Beatles", "TALB": "Help!"])
        let index = try music.index()
        #expect(try index.titles("a") == ["a", "b"], "by the first word, not by the article")
        #expect(try index.titles("the beatles") == ["b", "c"])
        #expect(try index.titles("beatles") == ["b", "c"])
        #expect(try index.search(SearchQuery(.artist, "The Beatles"), by: .albums).map(\.title) == ["b", "c"])
        #expect(try index.search(SearchQuery(.artist, "beatles"), by: .albums).map(\.title) == ["b", "c"])
    }

    @Test func sortNamesOfTagsComeFirst() throws {
        let all: [(String, String, String?)] = [
            ("1", "Nina Simone", "Simone, Nina"), ("2", "Ray Charles", nil), ("3", "Zaz", "Aaa"),
        ]
        for (name, artist, sort) in all {
            var tag = ID3v2Writer(majorVersion: 4)
            for (id, text) in [("TIT2", "x \(name)"), ("TPE1", artist), ("TALB", "x"), ("TSOP", sort)] {
                if let text { tag.add(id, [3] + Array(text.utf8)) }
            }
            try music.put("\(name)/\(name).mp3", tag.bytes + MPEGWriter().frames(4).flatMap { $0 })
        }
        #expect(try music.index().titles("x") == ["x 3", "x 2", "x 1"])
    }

    /// So do albums, and what all of an album is of.
    @Test func albumsGoByTheirSortNames() throws {
        try music.song("1.mp3", ["TIT2": "x1", "TPE2": "M", "TALB": "Alpha", "TSOA": "3"])
        try music.song("2.mp3", ["TIT2": "x2", "TPE2": "M", "TALB": "Beta", "TSOA": "1"])
        try music.song("3.mp3", ["TIT2": "x3", "TPE2": "M", "TALB": "The 2nd"])
        try music.song("4.mp3", ["TIT2": "x4", "TPE1": "B", "TPE2": "Z", "TSO2": "A", "TALB": "Gamma"])
        #expect(try music.index().titles("x1 x2 x3 x4").isEmpty)
        #expect(try music.index().titles("x") == ["x4", "x2", "x3", "x1"])
    }

    /// An update that was stopped has read the songs; the next one finds nothing new, and orders them all the same.
    @Test func aStoppedUpdateIsMadeUpFor() throws {
        let index = try music.open()
        for number in 1...3 { try music.song("\(number)/1.mp3", ["TIT2": "x\(number)", "TPE1": "Q\(number)"]) }
        try music.song("1/2.mp3", ["TIT2": "x4", "TPE1": "Q9", "TSOP": "A"])
        var isStopped = false
        for limit in 1...10 where !isStopped {
            var calls = 0
            let outcome = try index.update([music.folder]) { _ in
                calls += 1
                return calls <= limit
            }
            let count = try index.songCount()
            isStopped = outcome?.isStopped == true && count == 4
        }
        try index.update(music)
        #expect(try index.titles("x") == ["x4", "x1", "x2", "x3"])
        #expect(try index.secondsSinceUpdate() != nil)
    }

    /// Most songs decide, whatever came first; a name that nobody says any more is forgotten.
    @Test func theSortNameThatMostSongsSayCounts() throws {
        let index = try music.open()
        try music.song("1.mp3", ["TIT2": "x1", "TPE1": "Q", "TSOP": "Z"])
        try music.song("2.mp3", ["TIT2": "x2", "TPE1": "M"])
        try index.update(music)
        #expect(try index.titles("x") == ["x2", "x1"])
        for number in 3...4 { try music.song("\(number).mp3", ["TIT2": "x\(number)", "TPE1": "Q", "TSOP": "A"]) }
        try index.update(music)
        #expect(try index.titles("x") == ["x1", "x3", "x4", "x2"])
        for number in 3...4 { music.remove("\(number).mp3") }
        try music.song("1.mp3", ["TIT2": "x1", "TPE1": "Q", "TXXX": "none"])
        try index.update(music)
        #expect(try index.titles("x") == ["x2", "x1"])
        #expect(try index.database.integer("SELECT count(*) FROM sort_names") == 0)
    }

    /// Tags that are empty, enormous or no text do no harm.
    @Test func oddSortNamesAreHarmless() throws {
        var bodies: [[UInt8]] = [[], [3], [3, 0], [3, 0x20, 0x20], [9, 1, 2], [3, 0xFF, 0xFE, 0xC0], [1, 0xFF]]
        bodies.append([3] + Array(repeating: 0x41, count: 300_000))
        bodies.append([3] + Array(repeating: 0x41, count: 4_000))
        for (number, body) in bodies.enumerated() {
            var tag = ID3v2Writer(majorVersion: 4)
            tag.add("TIT2", [3] + Array("x\(number)".utf8))
            tag.add("TPE1", [3] + Array("Artist \(number)".utf8))
            for id in ["TSOP", "TSO2", "TSOA", "TSOT"] { tag.add(id, body) }
            tag.add("TALB", [3] + Array("Album".utf8))
            try music.put("\(number).mp3", tag.bytes + MPEGWriter().frames(4).flatMap { $0 })
        }
        let index = try music.index()
        #expect(Set(try index.titles("x album:album artist:artist")) == Set(bodies.indices.map { "x\($0)" }))
        #expect(try index.database.integer("SELECT ifnull(max(length(sort)), 0) <= 512 FROM artists") == 1)
    }

    @Test func whatFitsBestKnowsItsPlaceInAlbums() throws {
        try music.song("1.mp3", ["TIT2": "x", "TPE1": "B", "TALB": "One", "TRCK": "2"])
        try music.song("2.mp3", ["TIT2": "other", "TPE1": "B", "TALB": "One x", "TRCK": "1"])
        try music.song("3.mp3", ["TIT2": "also", "TPE1": "Aa x", "TALB": "Two"])
        let index = try music.index()
        let (found, albums) = (try index.search(SearchQuery(line: "x")), try index.titles("x"))
        #expect(albums == ["also", "x", "other"] && found.first?.title == "x")
        #expect(found.sorted { $0.albumPlace < $1.albumPlace }.map(\.title) == albums)
        #expect(try index.search(SearchQuery(line: "x"), by: .albums).map(\.albumPlace) == [0, 1, 2])
    }

    @Test func allAlbumsAreListedAsTheyArePlayed() throws {
        try music.song("1/1.mp3", ["TIT2": "a", "TPE1": "The Who", "TALB": "Tommy", "TDRC": "1969"])
        try music.song("1/2.mp3", ["TIT2": "b", "TPE1": "The Who", "TALB": "Tommy", "TDRC": "1970"])
        try music.song("2/1.mp3", ["TIT2": "c", "TPE1": "Zaz", "TALB": "Hits"])
        try music.song("2/2.mp3", ["TIT2": "d", "TPE1": "Bach", "TALB": "Hits"])
        try music.song("3/1.mp3", ["TIT2": "e", "TPE1": "Somebody", "TPE2": "Abba", "TALB": "Arrival"])
        try music.song("4.mp3", ["TIT2": "f", "TPE1": "Aa"])
        let index = try music.index()
        let list = try index.albumList(limit: 5)
        #expect(list.albums.map(\.title) == ["Arrival", "Hits", "Tommy"] && list.looseSongCount == 1)
        #expect(list.albums.map(\.artist) == ["Abba", nil, "The Who"], "of the album, or of all its songs")
        #expect(list.albums.map(\.year) == [nil, nil, 1970] && list.albums.map(\.songCount) == [1, 2, 2])
        #expect(try index.albumList(limit: 2).albums == Array(list.albums.prefix(2)))
        let last = try #require(list.albums.last?.id)
        #expect(try index.songs(ofAlbum: last, limit: 1).map(\.title) == ["a"])
    }

    @Test(arguments: ["CD1", "cd 1", "Disc 2 - Live", "DISK_3", "CD-2 (Bonus)"])
    func discsOfACompilationAreOneAlbum(directory: String) throws {
        try music.song("Hits/\(directory)/1.mp3", ["TIT2": "x", "TPE1": "X", "TALB": "Hits"])
        try music.song("Hits/CD 9/1.mp3", ["TIT2": "y", "TPE1": "Y", "TALB": "Hits"])
        #expect(try music.index().albums().count == 1)
    }

    @Test(arguments: ["CDs", "Discovery", "CD1a", "Disc One", "1"])
    func otherDirectoriesAreAlbumsOfTheirOwn(directory: String) throws {
        try music.song("Hits/\(directory)/1.mp3", ["TIT2": "x", "TPE1": "X", "TALB": "Hits"])
        try music.song("Hits/CD 9/1.mp3", ["TIT2": "y", "TPE1": "Y", "TALB": "Hits"])
        #expect(try music.index().albums().count == 2)
    }
}
