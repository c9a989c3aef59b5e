import AudioCore
import Glibc
import Songs
import Testing
import TuttiRuntime

@testable import tutti

/// What `tutti queue add` finds out before it asks a broadcaster.
@Suite(.timeLimit(.minutes(5))) struct QueuedSongsTests {
    /// A directory of its own, which is gone afterwards.
    private func inDirectory(_ body: (String) throws -> Void) throws {
        var name = Array("/tmp/tutti-queue-XXXXXX".utf8CString)
        let path = try #require(mkdtemp(&name).map { String(cString: $0) })
        defer {
            for entry in ["song.mp3", "list.m3u", "empty.m3u", "none.m3u", "empty.mp3", "pipe"] {
                unlink(path + "/" + entry)
            }
            rmdir(path)
        }
        try body(path)
    }

    private func write(_ path: String, _ text: String) {
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        _ = text.withCString { Glibc.write(file, $0, strlen($0)) }
        close(file)
    }

    private func failure(_ name: String) -> SongFailure? {
        do throws(SongFailure) {
            _ = try QueuedSongs([name])
            return nil
        } catch {
            return error
        }
    }

    @Test func whatIsNotThereIsRefused() throws {
        try inDirectory { path in
            #expect(failure(path + "/song.mp3")?.kind == .missing)
            #expect(failure(path + "/song.mp3")?.message == "'\(path)/song.mp3' does not exist; check the path")
            #expect(failure(path + "/none")?.kind == .missing)
            write(path + "/empty.mp3", "")
            #expect(failure(path + "/empty.mp3")?.kind == .unusable)
            write(path + "/empty.m3u", "")
            #expect(failure(path + "/empty.m3u")?.message.contains("names no songs") == true)
            #expect(failure(path)?.kind == .unusable, "a directory with an empty song in it")
            write(path + "/song.mp3", "x")
            #expect(failure(path) == nil)
        }
    }

    @Test(arguments: ["/dev/zero", "/dev/null"]) func aDeviceIsNoSong(path: String) {
        #expect(failure(path)?.message == "'\(path)' is not a file; name a song")
    }

    @Test func aFIFOIsTakenUnopened() throws {
        try inDirectory { path in
            mkfifo(path + "/pipe", 0o600)
            let songs = try QueuedSongs([path + "/pipe"])
            #expect(songs.sources == [.file(path + "/pipe")])
        }
    }

    @Test func whatAListNamesInVainIsLeftOut() throws {
        try inDirectory { path in
            write(path + "/song.mp3", "x")
            write(path + "/list.m3u", "gone.mp3\nsong.mp3\n")
            let songs = try QueuedSongs([path + "/list.m3u"])
            #expect(songs.sources == [.file(path + "/song.mp3")])
            #expect(songs.problems == ["'\(path)/gone.mp3' does not exist; check the path"])
            write(path + "/none.m3u", "gone.mp3\n")
            #expect(failure(path + "/none.m3u")?.kind == .missing)
        }
    }

    @Test func addressesAreNotAsked() throws {
        let address = "http://me:secret@radio.example/a"
        let songs = try QueuedSongs([address])
        #expect(songs.sources == WebAddress(address).map { [.web($0)] })
        #expect(failure("http://radio.example/a b")?.kind == .missing)
        #expect(failure("http://radio.example/" + String(repeating: "a", count: 3_000))?.kind == .missing)
        #expect(failure(String(repeating: "/a", count: 2_000))?.kind == .missing)
    }
}
