import StreamTestKit
import Testing

@testable import MusicLibrary

/// What the index knows of paths.
@Suite(.timeLimit(.minutes(5)))
struct SongsByPathTests {
    private let music = MusicFolder()

    @Test func pathsAreAnsweredInTheirOrder() throws {
        try music.song("a/1.mp3", ["TIT2": "One", "TPE1": "X", "TALB": "First"])
        try music.song("a/2.mp3", ["TIT2": "Two"])
        try music.song("b/3.mp3", ["TPE1": "Y"])
        let index = try music.index()
        let paths = [music.path("b/3.mp3"), music.path("none/1.mp3"), music.path("a/1.mp3"), music.path("b/3.mp3")]
        let found = try index.songs(at: paths + ["http://a/1.mp3", "", "/"])
        #expect(found.map { $0?.title } == ["3.mp3", nil, "One", "3.mp3", nil, nil, nil])
        #expect(found.map { $0?.artist } == ["Y", nil, "X", "Y", nil, nil, nil])
        #expect(found[2]?.album == "First" && found[2]?.path == paths[2] && found[2]?.duration != nil)
        #expect(try index.songs(at: []).isEmpty)
    }

    /// Two names that look the same may be two files.
    @Test func namesAreComparedByteByByte() throws {
        try music.song("\u{E4}.mp3", ["TIT2": "Composed"])
        try music.song("a\u{308}.mp3", ["TIT2": "Decomposed"])
        let index = try music.index()
        let found = try index.songs(at: [music.path("a\u{308}.mp3"), music.path("\u{E4}.mp3")])
        #expect(found.map { $0?.title } == ["Decomposed", "Composed"])
    }
}
