import AudioCore
import MusicLibrary
import Testing

@testable import tutti

/// What `tutti playlist` shows.
@Suite(.timeLimit(.minutes(5)))
struct PlaylistTableTests {
    @Test func aListTellsItsLengthAsFarAsItIsKnown() {
        func song(_ seconds: Int64?) -> FoundSong {
            FoundSong(path: "/a", title: "a", duration: seconds.map { .seconds($0) })
        }
        let summaries = [
            PlaylistCommand.Summary("all", [song(60), song(65)]), .init("some", [song(60), song(nil), nil]),
            .init("none\u{1B}[1m", [nil]), .init("empty", []),
        ]
        let lines = PlaylistCommand.table(summaries).lines(width: 80).map { $0.rendered(coloured: false) }
        #expect(
            lines == [
                "playlist  songs  length", "all           2    2:05", "some          3   1:00+", "none          1",
                "empty         0",
            ])
        #expect(
            summaries[1].json.text == #"{"name":"some","songCount":3,"timedSongCount":1,"seconds":60.000}"#)
    }

    @Test func songsThatAreGoneAreMarked() {
        let songs = [
            PlaylistCommand.Song(
                address: "/a/b.mp3", known: FoundSong(path: "/a/b.mp3", title: "B", artist: "X"), isGone: false),
            .init(address: "/a/c.mp3", known: nil, isGone: true),
            .init(address: "http://me:secret@radio.example/d", known: nil, isGone: false),
        ]
        let lines = PlaylistCommand.table(songs).lines(width: 80).map { $0.rendered(coloured: false) }
        #expect(
            lines == ["no  title              artist", " 1  B                  X", " 2  c.mp3 (not there)", " 3  d"])
        #expect(
            PlaylistCommand.json(songs[1], position: 2).text
                == #"{"position":2,"path":"/a/c.mp3","title":"c.mp3","artist":null,"album":null,"seconds":null,"#
                + #""gone":true}"#)
    }
}
