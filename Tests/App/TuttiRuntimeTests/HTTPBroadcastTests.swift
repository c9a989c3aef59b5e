import AudioCore
import Glibc
import HostSystem
import LANKit
import Songs
import StreamTestKit
import Testing
import TuttiRuntime
import WebServerKit

/// Songs and stations from a real web server.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HTTPBroadcastTests {
    /// However it comes, it is heard as the file is.
    @Test func aSongByHTTPIsTheFile() throws {
        let sourceFiles = SourceFiles()
        let song = try sourceFiles.makeMP3(seconds: 2)
        let server = try WebServer(directory: sourceFiles.directory.path)
        let expected = try SourceBroadcast(song).decoded()
        #expect(expected.count == 2 * 44_100 * 2)
        let kinds = ["ranges", "plain", "endless", "redirect/3/ranges"].map { $0 + "/song.mp3" }
        for path in kinds + ["cut/song.mp3?at=20000&ranges=1", "cut/song.mp3?at=20000&times=1"] {
            let broadcast = try SourceBroadcast(server.url(path))
            #expect(try broadcast.decoded() == expected, "\(path)")
            #expect(
                broadcast.notices.contains { $0.textOfSource.contains("broke off") } == path.hasPrefix("cut"), "\(path)"
            )
            #expect(broadcast.titles == ["song.mp3"])
        }
    }

    /// The index stands at the end: with ranges the broadcaster goes there first.
    @Test func whatIsNoStreamIsPlayedWithRanges() throws {
        let sourceFiles = SourceFiles()
        _ = try sourceFiles.makeMP3(seconds: 2)
        try Tool.run("ffmpeg -v error -i song.mp3 -c:a pcm_s16le -f mov song.m4a", in: sourceFiles.directory)
        let server = try WebServer(directory: sourceFiles.directory.path)
        let expected = try SourceBroadcast(sourceFiles.path("song.m4a")).decoded()
        #expect(try SourceBroadcast(server.url("ranges/song.m4a")).decoded() == expected)
        let url = server.url("plain/song.m4a")
        let text = "'\(url)' has its packet table after the audio: it cannot be played as a stream"
        let failure = RuntimeFailure(SongFailure(.unusable, text))
        #expect(try SourceBroadcast(url, hasListener: false).result == .failure(failure))
    }

    /// What came of it is played, and its end is told.
    @Test func aTransferThatIsAlwaysCutIsPlayedAsFarAsItGoes() throws {
        let sourceFiles = SourceFiles()
        _ = try sourceFiles.makeMP3(seconds: 4)
        let server = try WebServer(directory: sourceFiles.directory.path)
        let url = server.url("cut/song.mp3?at=32000")
        let broadcast = try SourceBroadcast(url, hasListener: false)
        guard case .failure(let failure) = broadcast.result, case .song(let song) = failure.reason else {
            Issue.record("it is whole: \(broadcast.result)")
            return
        }
        #expect(failure.kind == .lost && song.message.hasPrefix("'\(url)' broke off: "), "\(song.message)")
        #expect(
            broadcast.notices.count { $0.textOfSource.hasPrefix("'\(url)' broke off") } >= 1, "\(broadcast.notices)")
    }

    @Test func aListFromAServerIsFollowed() throws {
        let sourceFiles = SourceFiles()
        let song = try sourceFiles.makeMP3(seconds: 1)
        let server = try WebServer(directory: sourceFiles.directory.path)
        let body = "File1=/none%0AFile2=/plain/song.mp3%0A"
        let broadcast = try SourceBroadcast(server.url("text/list?type=audio/x-scpls&body=[playlist]%0A" + body))
        #expect(broadcast.result == .failure(RuntimeFailure(.missingInput, .songsFailed(count: 1, of: 2))))
        let missing = RuntimeFailure(
            SongFailure(.missing, "'\(server.url("none"))': the server says 404 Not Found"))
        #expect(broadcast.notices.contains(.song(.passedOver(missing))))
        #expect(broadcast.titles == ["song.mp3"])
        // A list of a list of a list without end.
        let endless = server.url("text/list?type=audio/x-mpegurl&body=")
        let loop = try SourceBroadcast(endless + "list%3Ftype=audio/x-mpegurl%26body=x", hasListener: false)
        #expect((try? loop.result.get()) == nil)
        // In a list on the disk, beside a file.
        try Tool.writeFile(sourceFiles.path("l.m3u"), Array("song.mp3\n\(server.url("plain/song.mp3"))\n".utf8))
        let both = try SourceBroadcast(sourceFiles.path("l.m3u"), hasListener: false)
        #expect(both.result == .success(.completed) && both.titles == ["song.mp3"])
        _ = song
    }

    /// What a station plays is shown by the broadcaster, and told to listeners.
    @Test func titlesOfAStationReachEverybody() throws {
        let sourceFiles = SourceFiles()
        _ = try sourceFiles.makeMP3(seconds: 60)
        let server = try WebServer(directory: sourceFiles.directory.path)
        let url = server.url("icy/song.mp3?interval=2000")
        let broadcast = try SourceBroadcast(url, stop: { _, titles in titles.contains("Song 2") })
        #expect(broadcast.result == .success(.interrupted))
        // Each as it is heard, a second after the other.
        #expect(broadcast.titles.filter { $0 != "song.mp3" }.prefix(2) == ["Song 0", "Song 1"], "\(broadcast.titles)")
        let told = (broadcast.heard?.properties ?? []).compactMap { property -> String? in
            guard case .info(.title, let title) = property else { return nil }
            return title
        }
        #expect(told.filter { $0 != "song.mp3" }.prefix(2) == ["Song 0", "Song 1"], "\(told)")
    }

    @Test func withoutLibcurlFilesArePlayedAllTheSame() throws {
        let sourceFiles = SourceFiles()
        let song = try sourceFiles.makeMP3(seconds: 1)
        for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] { try Tool.writeFile(sourceFiles.path(name), [1, 2, 3]) }
        func run(_ song: String) throws -> String {
            let command =
                "LD_LIBRARY_PATH=. XDG_STATE_HOME=. \(buildDirectory)/tutti broadcast '\(song)' --now --no-mdns"
            try Tool.run(
                "sh -c \"\(command) --port \(freePort())\" >out 2>&1; echo $? >>out", in: sourceFiles.directory)
            return String(decoding: try Tool.readFile(sourceFiles.path("out")), as: UTF8.self)
        }
        let url = "http://127.0.0.1:9/song.mp3"
        #expect(try run(url) == "tutti: '\(url)' cannot be fetched: install libcurl4 to play URLs\n69\n")
        #expect(try run(song).hasSuffix("\n0\n"))
    }
}
