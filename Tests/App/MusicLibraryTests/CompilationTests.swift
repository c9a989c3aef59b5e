import StreamTestKit
import Testing

@testable import MusicLibrary

/// Albums that tags call compilations.
@Suite(.timeLimit(.minutes(5)))
struct CompilationTests {
    private let music = MusicFolder()

    private func song(_ path: String, _ title: String, _ artist: String, _ album: String, flag: String? = "1") throws {
        if let flag {
            try music.song(path, ["TIT2": title, "TPE1": artist, "TALB": album, "TCMP": flag])
        } else {
            try music.song(path, ["TIT2": title, "TPE1": artist, "TALB": album])
        }
    }

    @Test func aCompilationIsByVariousArtists() throws {
        try song("a/1.mp3", "x1", "Nina", "Sum")
        try song("a/2.mp3", "x2", "Bob", "Sum")
        let index = try music.index()
        let list = try index.albumList(limit: 10).albums
        #expect(list.map(\.title) == ["Sum"] && list.map(\.artist) == ["Various Artists"])
        #expect(list.map(\.songCount) == [2])
        #expect(try index.titles("artist:nina") == ["x1"] && index.titles("artist:bob") == ["x2"])
        #expect(try index.titles("artist:\"various artists\"") == ["x1", "x2"])
        for artist in ["Nina", "Bob"] {
            let albums = try index.albums(SearchQuery(.artist, artist))
            #expect(albums.map(\.album) == list && albums.map(\.songArtists) == [[artist]])
        }
        #expect(try index.albums(SearchQuery(.artist, "Various Artists")).map(\.songArtists) == [["Nina", "Bob"]])
        let found = try index.search(SearchQuery(line: "x1"))
        #expect(found.map(\.artist) == ["Nina"] && found.map(\.albumArtist) == ["Various Artists"])
        #expect(try index.songs(at: [music.path("a/2.mp3")]).map { $0?.albumArtist } == ["Various Artists"])
    }

    /// Discs belong together; other directories have compilations of their own.
    @Test func compilationsOfOneNameAreApart() throws {
        try song("Sum/CD 1/1.mp3", "x1", "Nina", "Sum")
        try song("Sum/CD 2/1.mp3", "x2", "Bob", "Sum")
        try song("Other/1.mp3", "x3", "Bob", "Sum")
        let albums = try music.index().albumList(limit: 10).albums
        #expect(albums.map(\.songCount).sorted() == [1, 2])
        #expect(albums.map(\.artist) == ["Various Artists", "Various Artists"])
    }

    /// Whoever names an album artist means it, whatever the flag says.
    @Test func theAlbumArtistOfTagsWins() throws {
        let tags: [(String, String, String)] = [
            ("a/1", "x1", "Nina"), ("b/1", "x2", "Nina"), ("c/1", "x3", "Various Artists"),
            ("d/1", "x4", "Various Artists"),
        ]
        for (name, title, albumArtist) in tags {
            try music.song("\(name).mp3", ["TIT2": title, "TPE2": albumArtist, "TALB": "Hits", "TCMP": "1"])
        }
        let albums = try music.index().albumList(limit: 10).albums
        #expect(albums.map(\.artist) == ["Nina", "Various Artists"] && albums.map(\.songCount) == [2, 2])
    }

    @Test(arguments: ["0", "", "no"]) func otherFlagsSayNothing(flag: String) throws {
        try song("1.mp3", "x1", "Nina", "Sum", flag: flag)
        try song("2.mp3", "x2", "Bob", "Sum", flag: nil)
        let index = try music.index()
        #expect(try index.albumList(limit: 10).albums.map(\.artist) == [nil])
        #expect(try index.titles("artist:various") == [])
    }

    @Test func aFlagWithoutAnAlbumSaysNothing() throws {
        try music.song("1.mp3", ["TIT2": "x1", "TPE1": "Nina", "TCMP": "1"])
        let index = try music.index()
        #expect(try index.albumList(limit: 10) == AlbumList([], looseSongCount: 1))
        #expect(try index.titles("artist:various") == [] && index.search(SearchQuery(line: "x1"))[0].albumArtist == nil)
    }

    /// One song with the flag is enough, whichever comes first; without one there is no compilation any more.
    @Test func theAlbumStaysOneWhenItsFlagsChange() throws {
        let index = try music.open()
        try song("a/1.mp3", "x1", "Nina", "Sum", flag: nil)
        try song("a/2.mp3", "x2", "Bob", "Sum", flag: nil)
        try index.update(music)
        let before = try index.albumList(limit: 10).albums
        #expect(before.map(\.artist) == [nil] && before.map(\.songCount) == [2])
        try song("a/2.mp3", "x2", "Bob", "Sum")
        try song("a/3.mp3", "x3", "Zoe", "Sum", flag: nil)
        try index.update(music)
        let after = try index.albumList(limit: 10).albums
        #expect(after.map(\.id) == before.map(\.id) && after.map(\.songCount) == [3])
        #expect(after.map(\.artist) == ["Various Artists"])
        #expect(try index.titles("artist:various") == ["x1", "x2", "x3"], "all of it is found by its artist")
        music.remove("a/2.mp3")
        try index.update(music)
        #expect(try index.albumList(limit: 10).albums.map(\.artist) == [nil])
        #expect(try index.titles("artist:various") == [] && index.titles("artist:nina") == ["x1"])
        #expect(try index.database.integer("SELECT count(*) FROM artists WHERE name LIKE 'various%'") == 0)
        try index.database.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    }
}
