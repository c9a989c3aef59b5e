import Glibc
import LANKit
import StreamTestKit
import Testing

@testable import MusicLibrary

/// `tutti search` and `tutti library` as processes.
@Suite(.timeLimit(.minutes(5)))
struct LibraryProcessTests {
    private let music = MusicFolder()

    @Test func searchesPrintLinesPathsAndObjects() throws {
        try music.song("a/1.mp3", ["TIT2": "Little Girl", "TPE1": "Nina", "TALB": "Jazz", "TRCK": "2", "TDRC": "1959"])
        try music.song("a/2.mp3", ["TIT2": "Girl\u{1B}[31m Talk", "TPE1": "Oscar", "TALB": "Jazz", "TRCK": "1"])
        try music.put("a/cover.jpg", [0xFF, 0xD8, 0xFF, 0xE0])
        let out = try music.run(
            """
            tutti search girl artist:nina; tutti search girl --paths; tutti search title:little --json
            tutti search nobody; tutti search ...; tutti search gril artist:ninna
            """)
        #expect(
            out == """
                title        artist  album  year  length
                Little Girl  Nina    Jazz   1959    0:00
                [0]
                \(music.path("a/2.mp3"))
                \(music.path("a/1.mp3"))
                [0]
                {"path":"\(music.path("a/1.mp3"))","title":"Little Girl","artist":"Nina","album":"Jazz",\
                "albumArtist":null,"composer":null,"genre":null,"disc":null,"track":2,"year":1959,"seconds":0.104,\
                "artwork":{"kind":"folder","path":"\(music.path("a/cover.jpg"))"},"plays":0,"lastPlayed":null}
                [0]
                tutti: none of 2 songs; 'tutti library' shows the folders
                [1]
                tutti search: there is no word to look for (see 'tutti search --help')
                [64]
                tutti: none of 2 songs; did you mean 'girl', 'nina'?
                [1]

                """)
    }

    @Test func whatWasPlayedMostComesFirst() throws {
        for name in ["a", "b", "c"] { try music.song("\(name).mp3", ["TIT2": "Song \(name)", "TPE1": "X"]) }
        try music.song("other.mp3", ["TIT2": "Other"])
        let out = try music.run(
            """
            cut='s/.*"title":"\\([^"]*\\)".*"plays"/\\1/'
            tutti search song --json --limit 1 --most-played 2>&1 | sed "$cut"; tutti library | tail -n 2
            printf '9\\t%s\\n5\\t3\\t%s\\nnoise\\n99\\t9\\t%s\\n10\\t%s\\n11\\t%s' \\
                '\(music.path("a.mp3"))' '\(music.path("b.mp3"))' '\(music.path("other.mp3"))' \\
                '\(music.path("c.mp3"))' '\(music.path("c.mp3"))' > state/tutti/plays
            tutti search song --most-played --json | sed "$cut"
            tutti search song --most-played --limit 1; tutti search song --most-played --paths
            tutti library | tail -n 2; tutti search song --most-played --at den
            echo nothing > state/tutti/plays
            tutti search song --most-played --paths 2>&1 | sed "s#$HOME#HOME#g" | head -n 1
            cat state/tutti/plays.damaged
            """)
        #expect(
            out.replacing(music.folder, with: "~") == """
                Song a:0,"lastPlayed":null}
                tutti: warning: there are more: --limit N shows them
                [0]
                    4  ~
                [0]
                Song b:3,"lastPlayed":5}
                Song c:1,"lastPlayed":10}
                Song a:1,"lastPlayed":9}
                [0]
                plays  title   artist  length
                    3  Song b  X         0:00
                tutti: warning: there are more: --limit N shows them
                [0]
                ~/b.mp3
                ~/c.mp3
                ~/a.mp3
                [0]
                14 plays of 4 songs; 'tutti search --most-played' goes by them
                [0]
                tutti search: --most-played is for this machine's library; leave --at away (see 'tutti search --help')
                [64]
                tutti: warning: HOME/state/tutti/plays was damaged and is now HOME/state/tutti/plays.damaged: plays are \
                counted anew
                nothing

                """)
    }

    @Test func whatIsPlayedThroughIsCounted() throws {
        for name in ["a", "b"] { try music.put("\(name).mp3", MPEGWriter().frames(120).flatMap { $0 }) }
        let out = try music.run(
            """
            cd '\(music.folder)'
            tutti play ./a.mp3 --output null --quiet; cut -f 2 "$HOME/state/tutti/plays"
            tutti broadcast b.mp3 --now --no-mdns --quiet; cut -f 2 "$HOME/state/tutti/plays"
            """)
        #expect(
            out == """
                [0]
                \(music.path("a.mp3"))
                [0]
                \(music.path("a.mp3"))
                \(music.path("b.mp3"))

                """)
    }

    @Test func foldersAreNamedAndListed() throws {
        try music.song("a/1.mp3", ["TIT2": "One"])
        let out = try music.run(
            """
            tutti library; mkdir other; ln -s other link; tutti library add link; tutti library --json
            tutti library remove nowhere; tutti library remove '\(music.folder)'; tutti search one
            tutti library add script none; tutti library remove link; tutti library | sed "s#$PWD#~#"
            """)
        let lines = out.split(separator: "\n")
        #expect(lines.starts(with: ["songs  folder", "    1  \(music.folder)", "[0]"]))
        #expect(out.contains("{\"folder\":\"\(music.folder)\",\"songCount\":1}\n{\"folder\":\""))
        #expect(out.contains("'nowhere' was not added, so it cannot be removed; "))
        #expect(out.contains("none of 0 songs; 'tutti library' shows the folders\n[1]"))
        #expect(out.contains("'script' is no folder; name the one that holds the music\n[66]"))
        #expect(out.hasSuffix("songs  folder\n    0  ~/Music\n[0]\n"), "the desktop's again: \(out)")
    }

    @Test func albumsArePlayed() throws {
        for (name, track) in [("a", "2"), ("b", "1"), ("c", "3")] {
            try music.song("\(name).mp3", ["TIT2": "Song \(name)", "TALB": "The Album", "TPE1": "X", "TRCK": track])
        }
        try music.song("d.mp3", ["TIT2": "Other", "TALB": "Another", "TPE1": "X", "TRCK": "1"])
        let out = try music.run(
            """
            tutti play --album "the album" --output null | grep -o 'Song .'; tutti play --album nothing
            tutti play --artist ..; tutti queue list --album x; tutti play --album albumm
            tutti play --random-album --artist x --search 'song c' --output null 2> said | grep -o 'Song .'
            cat said
            tutti play --random-album --artist nobody; tutti queue list --random-album
            """)
        #expect(
            out == """
                Song b
                Song a
                Song c
                tutti: --album 'nothing' finds no song; 'tutti library' shows which folders are searched
                [66]
                tutti play: --artist: there is no word to look for (see 'tutti play --help')
                [64]
                tutti queue: 'list' is no change of the queue (see 'tutti queue --help')
                [64]
                tutti: --album 'albumm' finds no song; did you mean 'album'?
                [66]
                Song b
                Song a
                Song c
                tutti: the album is 'The Album' by X
                tutti: --artist 'nobody' --random-album finds no album; 'tutti library' shows which folders are searched
                [66]
                tutti queue: 'list' is no change of the queue (see 'tutti queue --help')
                [64]

                """)
    }

    /// Whenever a process is killed, the next one goes on where it was.
    @Test func anIndexOutlivesWhoWritesIt() throws {
        for number in 0..<600 { try music.song("\(number / 10)/\(number).mp3", ["TIT2": "Song \(number)"]) }
        let out = try music.run(
            """
            rm -r cache
            # In a shell that does not tell who was killed.
            (for i in $(seq 10 99); do
                timeout -s KILL 0.0$i '\(buildDirectory)/tutti' library update > /dev/null
                [ $((i % 9)) = 0 ] && rm -f cache/tutti/library.sqlite*
                [ $((i % 10)) = 0 ] && touch '\(music.folder)'/*/*.mp3
            done) 2> /dev/null
            tutti library update | tail -n 1; tutti search song --paths --limit 1000 | wc -l
            cp -r cache/tutti '\(music.folder)-cache'
            """)
        #expect(out == "[0]\n601\n", "600 paths and the exit code")
        let index = try MusicIndex(path: music.folder + "-cache/library.sqlite")
        var verdict = ""
        try index.database.query("PRAGMA integrity_check") { row in
            verdict = row.text(0)
            return false
        }
        #expect(verdict == "ok" && index.repair == .none)
        try index.database.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    }

    @Test(.enabled(if: geteuid() == 0, "file systems of one's own need root"))
    func aFullDiskIsToldOfAndLosesNothing() throws {
        for number in 0..<900 {
            try music.song("\(number).mp3", ["TIT2": "Song \(number)", "TPE1": "Artist \(number)"])
        }
        let out = try music.run(
            """
            cat > full <<'END'
            mkdir small; mount -t tmpfs -o size=128k none small; export XDG_CACHE_HOME=$PWD/small
            '\(buildDirectory)/tutti' search song --paths --limit 1000 > found; echo "[$?]"
            mount -o remount,size=32m small
            '\(buildDirectory)/tutti' search song --paths --limit 1000 | wc -l
            umount small
            END
            unshare -m bash full
            """)
        #expect(
            out == """
                tutti: warning: the index of music has no room on its disk: what is new is not in it
                tutti: none of 0 songs; 'tutti library' shows the folders
                [1]
                900

                """)
    }
}
