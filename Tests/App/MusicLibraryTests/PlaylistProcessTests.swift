import Glibc
import LANKit
import StreamTestKit
import Testing

/// `tutti playlist` and `--playlist` as processes.
@Suite(.timeLimit(.minutes(5)))
struct PlaylistProcessTests {
    private let music = MusicFolder()

    @Test func listsAreSavedShownAndPlayed() throws {
        try music.song("a/1.mp3", ["TIT2": "Song a", "TPE1": "X", "TALB": "One", "TRCK": "2"])
        try music.song("a/2.mp3", ["TIT2": "Song b", "TPE1": "Y", "TALB": "One", "TRCK": "1"])
        let out = try music.run(
            """
            tutti playlist
            tutti playlist save party '\(music.folder)/a/1.mp3'; tutti playlist save party --append --album one
            tutti playlist save party '\(music.folder)/a'; tutti playlist; tutti playlist show party
            tutti playlist export party list.m3u8; tutti playlist import list.m3u8 other; tutti playlist show other --paths
            tutti playlist show prty; tutti playlist remove other; tutti playlist --json
            """)
        #expect(
            out == """
                there are no playlists; 'tutti playlist save NAME FILE' makes one
                [0]
                party: 1 song
                [0]
                party: 3 songs
                [0]
                tutti: there is a playlist 'party'; --force replaces it, --append adds to it
                [73]
                playlist  songs  length
                party         3    0:00
                [0]
                no  title   artist  length
                 1  Song a  X         0:00
                 2  Song b  Y         0:00
                 3  Song a  X         0:00
                [0]
                [0]
                other: 3 songs
                [0]
                \(music.path("a/1.mp3"))
                \(music.path("a/2.mp3"))
                \(music.path("a/1.mp3"))
                [0]
                tutti: there is no playlist 'prty'; did you mean 'party'?
                [66]
                [0]
                {"name":"party","songCount":3,"timedSongCount":3,"seconds":0.312}
                [0]

                """)
    }

    @Test func whatIsGoneIsToldOfAndLeftOut() throws {
        for name in ["a", "b"] { try music.song("\(name).mp3", ["TIT2": "Song \(name)"]) }
        let out = try music.run(
            """
            tutti playlist save party '\(music.folder)' > saved; rm '\(music.path("a.mp3"))'
            tutti play --playlist party --output null 2>&1 | grep -oE 'tutti: .*|Song .|\\[[0-9]+\\]'
            rm '\(music.path("b.mp3"))'; tutti play --playlist party --output null
            tutti play --playlist a/b; tutti queue add --playlist nowhere
            """)
        #expect(
            out == """
                tutti: warning: 1 of 2 songs of playlist 'party' are not there, the first is '\(music.path("a.mp3"))'
                Song b
                [0]
                tutti: none of the songs of playlist 'party' is there; the first is '\(music.path("a.mp3"))'
                [66]
                tutti play: --playlist: a playlist's NAME holds no slash and no control characters, and begins with \
                no dot (see 'tutti play --help')
                [64]
                tutti: there is no playlist 'nowhere'; 'tutti playlist' lists those that there are
                [66]

                """)
    }

    /// Other players' lists name stations, of which no index knows.
    @Test func titlesOfOtherListsAreKept() throws {
        let out = try music.run(
            """
            printf '#EXTM3U\\n#EXTINF:-1,Station One\\nhttp://radio.example/1\\n' > radio.m3u
            printf '[playlist]\\nFile1=http://radio.example/2\\nTitle1=Station Two\\n' > two.pls
            tutti playlist import radio.m3u; tutti playlist import two.pls radio --append; tutti playlist show radio
            tutti playlist export radio
            """)
        #expect(
            out == """
                radio: 1 song
                [0]
                radio: 2 songs
                [0]
                no  title
                 1  Station One
                 2  Station Two
                [0]
                #EXTM3U
                #EXTINF:-1,Station One
                http://radio.example/1
                #EXTINF:-1,Station Two
                http://radio.example/2
                [0]

                """)
    }

    /// Whoever saves a list does not wait until all music is read anew.
    @Test func aDamagedIndexStaysAsItIs() throws {
        try music.song("a.mp3", ["TIT2": "Song a"])
        let out = try music.run(
            """
            yes nonsense | head -c 20000 > nonsense; cp nonsense cache/tutti/library.sqlite; rm -f cache/tutti/*-wal
            tutti playlist save party '\(music.path("a.mp3"))'; cmp nonsense cache/tutti/library.sqlite
            """)
        #expect(
            out == """
                party: 1 song
                [0]

                """)
    }

    /// A list is the old or the new one, also where no room is left.
    @Test(.enabled(if: geteuid() == 0, "file systems of one's own need root"))
    func aFullDiskLeavesTheOldList() throws {
        for number in 0..<200 { try music.song("\(number).mp3", ["TIT2": "Song \(number)"]) }
        let out = try music.run(
            """
            cat > full <<'END'
            mkdir small; mount -t tmpfs -o size=16k none small; export XDG_DATA_HOME=$PWD/small
            '\(buildDirectory)/tutti' playlist save party '\(music.path("1.mp3"))'
            head -c 16k /dev/zero > small/rest 2> /dev/null
            '\(buildDirectory)/tutti' playlist save party '\(music.folder)' --append 2>&1 | sed 's/.*: No space/No space/'
            '\(buildDirectory)/tutti' playlist show party --paths; ls -A small/tutti/playlists
            umount small
            END
            unshare -m bash full
            """)
        #expect(
            out == """
                party: 1 song
                No space left on device
                \(music.path("1.mp3"))
                party.m3u8

                """)
    }
}
