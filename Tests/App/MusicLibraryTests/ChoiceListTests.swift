import AudioCore
import StreamTestKit
import Testing

@testable import MusicLibrary
@testable import tutti

/// Lists to choose from.
@Suite(.timeLimit(.minutes(5)))
struct ChoiceListTests {
    private let music = MusicFolder()

    private func song(
        _ title: String, _ artist: String? = nil, album: String? = nil, of: Album? = nil, seconds: Int64? = nil
    ) -> ChoiceList.Song {
        ChoiceList.Song(
            address: "/\(title)",
            known: FoundSong(
                path: "/\(title)", title: title, artist: artist, album: album,
                duration: seconds.map { .seconds($0) }), album: of)
    }

    @Test func wholeAlbumsHaveHeadings() {
        let one = Album(id: 1, title: "One", artist: "X", year: 1959, songCount: 2)
        let two = Album(id: 2, title: "Two", songCount: 3)
        let list = ChoiceList(songs: [
            song("single"),
            song("a", "X", album: "One", of: one, seconds: 65), song("b", "X", album: "One", of: one),
            song("c", "Y", album: "Two", of: two), song("d", "Z", album: "Two", of: two),
            ChoiceList.Song(address: "http://me:pw@radio.example/e\u{1B}[1m"),
        ])
        #expect(
            list.lines(width: 80) == [
                "1  single", "", "One - X (1959)", "2  X - a  1:05", "3  X - b", "", "4  Y - c (Two)", "5  Z - d (Two)",
                "6  e",
            ])
        #expect(list.lines(width: 8).allSatisfy { $0.cellWidth <= 8 })
        #expect(ChoiceList(songs: []).lines(width: 80).isEmpty)
    }

    @Test func aCompilationNamesNoArtist() {
        let album = Album(id: 1, title: "Hits", songCount: 2)
        let (a, b) = (song("a", "X", album: "Hits", of: album), song("b", "Y", album: "Hits", of: album))
        #expect(ChoiceList(songs: [a, b]).lines(width: 80) == ["Hits", "1  X - a", "2  Y - b"])
        #expect(ChoiceList(songs: [a, a]).lines(width: 80).first == "1  X - a (Hits)", "one song twice is no album")
    }

    @Test func theIndexKnowsWhichAlbumsAreWhole() throws {
        for (name, album) in [("a", "One"), ("b", "One"), ("c", "Two"), ("d", "")] {
            try music.song("\(name).mp3", ["TIT2": name, "TALB": album])
        }
        let index = try music.index()
        let albums = try index.albums(of: ["d", "b", "none", "c", "a"].map { music.path("\($0).mp3") })
        #expect(albums.map { $0?.songCount } == [nil, 2, nil, 1, 2])
        #expect(albums[1] == albums[4] && albums[1] != albums[3])
        #expect(albums.map { $0?.title } == [nil, "One", nil, "Two", "One"])
    }
}
