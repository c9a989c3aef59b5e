import Testing

@testable import MusicLibrary

/// What the kernel tells of changes in music folders.
@Suite(.timeLimit(.minutes(5)))
struct FolderWatchTests {
    private let music = MusicFolder()

    @discardableResult
    private func update(_ index: MusicIndex, _ watch: FolderWatch) throws -> UpdateOutcome? {
        try index.update([music.folder], watch: watch) { _ in true }
    }

    @Test func changesAreTold() throws {
        let watch = try #require(FolderWatch())
        let index = try music.open()
        try music.song("a/1.mp3", ["TIT2": "One"])
        try update(index, watch)
        #expect(!watch.takeChanges() && watch.isComplete, "to read songs is no change")
        try music.song("a/2.mp3", ["TIT2": "Two"])
        #expect(watch.takeChanges() && !watch.takeChanges())
        try update(index, watch)
        music.remove("a/1.mp3")
        #expect(watch.takeChanges())
        #expect(try update(index, watch)?.removedCount == 1)
        // A directory that came later is watched from the update on.
        try music.song("b/c/3.mp3", ["TIT2": "Three"])
        #expect(watch.takeChanges())
        try update(index, watch)
        #expect(!watch.takeChanges())
        try music.song("b/c/4.mp3", ["TIT2": "Four"])
        #expect(watch.takeChanges())
    }

    @Test func picturesAreTold() throws {
        let watch = try #require(FolderWatch())
        let index = try music.open()
        try music.song("a/1.mp3", ["TIT2": "One"])
        try update(index, watch)
        try music.put("a/cover.jpg", MusicFolder.jpeg)
        #expect(watch.takeChanges())
        #expect(try update(index, watch)?.pictureCount == 1)
        #expect(!watch.takeChanges(), "to look at a picture is no change")
        music.remove("a/cover.jpg")
        #expect(watch.takeChanges())
        #expect(try update(index, watch)?.pictureCount == 1)
    }

    /// A directory of the same name is another one.
    @Test func aDirectoryThatWasMadeAnewIsWatched() throws {
        let watch = try #require(FolderWatch())
        let index = try music.open()
        try music.song("a/1.mp3", ["TIT2": "One"])
        try update(index, watch)
        music.remove("a")
        try music.song("a/1.mp3", ["TIT2": "One"])
        #expect(watch.takeChanges())
        try update(index, watch)
        #expect(!watch.takeChanges())
        try music.song("a/2.mp3", ["TIT2": "Two"])
        #expect(watch.takeChanges())
    }
}
