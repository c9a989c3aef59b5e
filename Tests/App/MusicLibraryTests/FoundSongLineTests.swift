import MusicLibrary
import Testing

/// Songs as lines for other programs, and from other machines.
@Suite(.timeLimit(.minutes(5))) struct FoundSongLineTests {
    private let song = FoundSong(
        path: "/music/Nina Simone/Little Girl Blue/01.flac", title: "Mood Indigo", artist: "Nina Simone",
        album: "Little Girl Blue", composer: "Duke Ellington", genre: "Jazz", track: 1, disc: 2, year: 1959,
        duration: .milliseconds(241_500))

    @Test func aLineIsTheSong() {
        #expect(
            song.line
                == "/music/Nina Simone/Little Girl Blue/01.flac\tMood Indigo\tNina Simone\tLittle Girl Blue\t\t"
                + "Duke Ellington\tJazz\t2\t1\t1959\t241500")
        #expect(FoundSong(line: song.line) == song)
        let bare = FoundSong(path: "/a.mp3", title: "a.mp3")
        #expect(FoundSong(line: bare.line) == bare)
    }

    @Test func noFieldBreaksTheLine() {
        let odd = FoundSong(path: "/a\tb\nc", title: "\u{1B}[2J", artist: "\u{85}")
        #expect(
            !odd.line.contains("\n") && odd.line.split(separator: "\t", omittingEmptySubsequences: false).count == 11)
        #expect(FoundSong(line: odd.line)?.title == " [2J")
    }

    /// What a peer may send instead.
    @Test func otherLinesAreNone() {
        #expect(FoundSong(line: "") == nil && FoundSong(line: "\t\t\t\t\t\t\t\t\t\t") == nil)
        #expect(FoundSong(line: "/a\tb") == nil)
        let strange = FoundSong(line: "/a\tt\u{9B}31m\t\t\t\t\t\t-5\t99999999999999999999\tx\t9223372036854775807")
        #expect(strange?.title == "t 31m" && strange?.disc == nil && strange?.track == nil && strange?.year == nil)
        #expect(strange?.duration == .seconds(366 * 86_400))
    }
}
