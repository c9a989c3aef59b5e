import Glibc
import StreamTestKit
import Testing

@testable import MusicLibrary

/// The index follows its folders.
@Suite(.timeLimit(.minutes(5)))
struct IndexUpdateTests {
    private let music = MusicFolder()

    private func counts(_ outcome: UpdateOutcome?) -> [Int?] {
        [outcome?.addedCount, outcome?.changedCount, outcome?.removedCount]
    }

    @Test func onlyWhatIsNewOrChangedIsRead() throws {
        try music.song("a/1.mp3", ["TIT2": "One", "TPE1": "X"])
        try music.song("a/2.mp3", ["TIT2": "Two", "TPE1": "X"])
        let index = try music.open()
        #expect(counts(try index.update(music)) == [2, 0, 0])
        #expect(counts(try index.update(music)) == [0, 0, 0])
        try music.song("a/1.mp3", ["TIT2": "Other", "TPE1": "Y"])
        try music.song("b/3.mp3", ["TIT2": "Three"])
        music.remove("a/2.mp3")
        #expect(counts(try index.update(music)) == [1, 1, 1])
        #expect(try index.titles("one") == [] && index.titles("two") == [] && index.titles("artist:x") == [])
        #expect(try index.titles("other") == ["Other"] && index.titles("three") == ["Three"])
        #expect(try index.database.integer("SELECT count(*) FROM artists") == 1, "X is named by nobody")
    }

    @Test func aDirectoryThatIsGoneTakesItsSongsAlong() throws {
        try music.song("a/b/1.mp3", ["TIT2": "One"])
        try music.song("ab/2.mp3", ["TIT2": "Two"])
        let index = try music.index()
        music.remove("a")
        #expect(counts(try index.update(music)) == [0, 0, 1])
        #expect(try index.titles("two") == ["Two"])
    }

    @Test func aFolderThatIsAwayEmptiesNothing() throws {
        try music.song("1.mp3", ["TIT2": "One"])
        let index = try music.index()
        rename(music.folder, music.folder + "-away")
        let outcome = try index.update(music)
        #expect(counts(outcome) == [0, 0, 0] && outcome?.away == [music.folder])
        #expect(try index.titles("one") == ["One"])
        rename(music.folder + "-away", music.folder)
        #expect(try index.update(music)?.away == [])
    }

    /// An empty directory is what is left where nothing is mounted any more.
    @Test func aShareThatIsAwayEmptiesNothing() throws {
        let index = try music.open()
        func update(_ directories: FolderWalk.Directory...) throws -> UpdateOutcome {
            var update = try IndexUpdate(index.database)
            for directory in directories { try update.take(directory) }
            try update.finish()
            return update.outcome
        }
        let share = music.path("share")
        try music.put("share/album/1.mp3", [1])
        let song = FolderWalk.File(name: "1.mp3", byteCount: 1, modified: 1)
        let top = FolderWalk.Directory(path: share, isMount: true, isEmpty: false, songs: [])
        let album = FolderWalk.Directory(path: share + "/album", isMount: false, isEmpty: false, songs: [song])
        #expect(try update(top, album).addedCount == 1)
        music.remove("share/album")
        let away = FolderWalk.Directory(path: share, isMount: false, isEmpty: true, songs: [])
        let outcome = try update(away)
        #expect(outcome.removedCount == 0 && outcome.away == [share])
        let empty = FolderWalk.Directory(path: share, isMount: true, isEmpty: true, songs: [])
        #expect(try update(empty).removedCount == 1, "it is there, and empty")
    }

    @Test func aLinkThatLeadsNowhereNowEmptiesNothing() throws {
        mkdir(music.folder + "-share", 0o755)
        symlink(music.folder + "-share", music.path("share"))
        try music.song("share/album/1.mp3", ["TIT2": "One"])
        try music.song("share/2.mp3", ["TIT2": "Two"])
        symlink(music.path("share/2.mp3"), music.path("3.mp3"))
        let index = try music.index()
        #expect(try index.songCount() == 3)
        rename(music.folder + "-share", music.folder + "-away")
        let outcome = try index.update(music)
        #expect(counts(outcome) == [0, 0, 0] && outcome?.away == [music.path("share")])
        unlink(music.path("share"))
        unlink(music.path("3.mp3"))
        #expect(counts(try index.update(music)) == [0, 0, 3], "whoever removes the link means it")
    }

    /// A stick takes its directory along.
    @Test func aMountThatVanishesEmptiesNothing() throws {
        let index = try music.open()
        try music.song("1.mp3", ["TIT2": "One"])
        let stick = music.path("stick")
        var update = try IndexUpdate(index.database)
        let song = FolderWalk.File(name: "2.mp3", byteCount: 1, modified: 1)
        let album = FolderWalk.Directory(path: stick + "/album", isMount: false, isEmpty: false, songs: [song])
        mkdir(stick, 0o755)
        mkdir(stick + "/album", 0o755)
        try music.put("stick/album/2.mp3", [1])
        for directory in [
            .init(path: music.folder, isMount: false, isEmpty: false, songs: []),
            FolderWalk.Directory(path: stick, isMount: true, isEmpty: false, songs: []), album,
        ] { try update.take(directory) }
        try update.finish()
        music.remove("stick")
        #expect(try index.update(music)?.away == [stick])
        #expect(try index.songCount() == 2)
    }

    @Test func aSongThatCannotBeReadStaysAsItWas() throws {
        try music.song("1.mp3", ["TIT2": "One"])
        let index = try music.index()
        var update = try IndexUpdate(index.database)
        // It is gone when it is to be read.
        let files = ["1.mp3", "2.mp3"].map { FolderWalk.File(name: $0, byteCount: 5, modified: 5) }
        music.remove("1.mp3")
        try update.take(.init(path: music.folder, isMount: false, isEmpty: false, songs: files))
        try update.finish()
        #expect(update.outcome.unreadCount == 2 && counts(update.outcome) == [0, 0, 0])
        #expect(try index.titles("one") == ["One"] && index.songCount() == 1)
    }

    /// To the system they are two names; to people, and to Swift's Strings, one.
    @Test func namesThatLookTheSameAreTwo() throws {
        try music.song("e\u{301}/a\u{308}.mp3", ["TIT2": "Apart"])
        try music.song("\u{E9}/\u{E4}.mp3", ["TIT2": "Together"])
        try music.song("\u{E9}/a\u{308}.mp3", ["TIT2": "Mixed"])
        let index = try music.open()
        #expect(counts(try index.update(music)) == [3, 0, 0])
        #expect(counts(try index.update(music)) == [0, 0, 0])
        for title in ["Apart", "Together", "Mixed"] {
            let found = try index.search(SearchQuery(line: title))
            #expect(found.count == 1 && access(found[0].path, F_OK) == 0)
        }
    }

    @Test func linksThatLeadBackAreEnteredOnce() throws {
        try music.song("a/1.mp3", ["TIT2": "One"])
        symlink("..", music.path("a/up"))
        symlink(music.path("a"), music.path("b"))
        #expect(counts(try music.open().update(music)) == [1, 0, 0])
    }

    @Test func whatIsNoSongIsKnownByItsName() throws {
        try music.put("empty.mp3", [])
        try music.put("text.flac", Array("no song".utf8))
        let index = try music.open()
        #expect(counts(try index.update(music)) == [2, 0, 0])
        #expect(try index.titles("empty") == ["empty.mp3"])
    }

    @Test func namesThatAreNoUTF8ArePassedOver() throws {
        try music.song("1.mp3", ["TIT2": "One"])
        let name = music.folder.utf8CString.dropLast() + [47, -1, 46, 109, 112, 51, 0]
        Array(name).withUnsafeBufferPointer { _ = close(Glibc.open($0.baseAddress!, O_CREAT | O_WRONLY, 0o644)) }
        let outcome = try music.open().update(music)
        #expect(counts(outcome) == [1, 0, 0] && outcome?.passedCount == 1)
    }

    @Test func oneProcessReadsTheFolders() throws {
        let index = try music.open()
        var other: UpdateOutcome? = UpdateOutcome()
        _ = try index.update([music.folder]) { _ in
            other = try? music.open().update(music)
            return true
        }
        #expect(other == nil)
        #expect(try music.open().update(music) != nil)
    }

    @Test func whoStopsKeepsWhatWasRead() throws {
        for number in 0..<400 {
            try music.song("\(number < 100 ? "\(number)/" : "")song\(number).mp3", ["TIT2": "Song \(number)"])
        }
        let index = try music.open()
        // In the folder itself, with its 300 songs, and after that.
        for expected in [256, 0, 50] {
            let outcome = try index.update([music.folder]) {
                expected == 256 ? $0.readCount < 256 : $0.songCount < 300 + expected
            }
            #expect(outcome?.isStopped == true)
        }
        #expect(try index.titles("song").count == 350)
        #expect(try index.secondsSinceUpdate() == nil)
        #expect(counts(try index.update(music)) == [50, 0, 0])
    }
}
