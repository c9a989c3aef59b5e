import Glibc
import StreamTestKit
import Testing

@testable import MusicLibrary

/// What the index knows of pictures.
@Suite(.timeLimit(.minutes(5)))
struct ArtworkTests {
    private let music = MusicFolder()

    private func artwork(_ index: MusicIndex, _ title: String) throws -> FoundSong.Artwork? {
        let found = try #require(index.search(SearchQuery(line: title)).first)
        #expect(try index.songs(at: [found.path]).map { $0?.artwork } == [found.artwork])
        return found.artwork
    }

    private func beside(_ name: String) -> FoundSong.Artwork { .folder(path: music.path(name)) }

    @Test func aSongsOwnPictureComesFirst() throws {
        try music.song("a/1.mp3", ["TIT2": "one"], picture: MusicFolder.jpeg)
        try music.song("a/2.mp3", ["TIT2": "two"])
        try music.song("a/3.mp3", ["TIT2": "three"], picture: Array("BM of an unknown format".utf8))
        try music.song("a/CD 1/4.mp3", ["TIT2": "four"])
        try music.put("a/Folder.JPG", MusicFolder.jpeg)
        let index = try music.index()
        #expect(try artwork(index, "one") == .embedded)
        #expect(try artwork(index, "two") == beside("a/Folder.JPG"))
        #expect(try artwork(index, "three") == beside("a/Folder.JPG"))
        #expect(try artwork(index, "four") == nil, "as where a song is shown, the directory above does not count")
    }

    /// Of several the best that is a picture counts.
    @Test func whatIsNoPictureIsPassedOver() throws {
        try music.song("1.mp3", ["TIT2": "one"])
        try music.put("cover.jpg", Array("no picture".utf8))
        try music.put("folder.png", [])
        try music.put("notes.jpg", MusicFolder.jpeg)
        let index = try music.index()
        #expect(try artwork(index, "one") == nil)
        try music.put("albumart.gif", Array("GIF89a".utf8))
        #expect(try index.update(music)?.pictureCount == 1)
        #expect(try artwork(index, "one") == beside("albumart.gif"))
        mkfifo(music.path("cover.png"), 0o600)
        #expect(try index.update(music)?.pictureCount == 0)
        #expect(try artwork(index, "one") == beside("albumart.gif"))
    }

    @Test func picturesComeChangeAndGo() throws {
        try music.song("a/1.mp3", ["TIT2": "one"])
        let index = try music.index()
        func update() throws -> Int? {
            let outcome = try index.update(music)
            #expect(outcome?.addedCount == 0 && outcome?.changedCount == 0 && outcome?.removedCount == 0)
            return outcome?.pictureCount
        }
        #expect(try update() == 0)
        try music.put("a/cover.png", MusicFolder.jpeg)
        #expect(try update() == 1 && update() == 0)
        #expect(try artwork(index, "one") == beside("a/cover.png"))
        // A better one; then it is no picture any more; then it is one again.
        try music.put("a/cover.jpg", MusicFolder.jpeg)
        #expect(try update() == 1 && artwork(index, "one") == beside("a/cover.jpg"))
        try music.put("a/cover.jpg", Array("no picture".utf8))
        #expect(try update() == 1 && artwork(index, "one") == beside("a/cover.png"))
        try music.put("a/cover.jpg", MusicFolder.jpeg + [1])
        #expect(try update() == 1 && artwork(index, "one") == beside("a/cover.jpg"))
        // Another picture in the same place.
        try music.put("a/cover.jpg", MusicFolder.jpeg + [1, 2])
        #expect(try update() == 1 && update() == 0 && artwork(index, "one") == beside("a/cover.jpg"))
        for name in ["a/cover.jpg", "a/cover.png"] { music.remove(name) }
        #expect(try update() == 1 && update() == 0 && artwork(index, "one") == nil)
    }

    @Test func aPictureInASongComesAndGoes() throws {
        try music.song("1.mp3", ["TIT2": "one"])
        let index = try music.index()
        try music.song("1.mp3", ["TIT2": "one"], picture: MusicFolder.jpeg)
        #expect(try index.update(music)?.changedCount == 1)
        #expect(try artwork(index, "one") == .embedded)
        try music.song("1.mp3", ["TIT2": "one"])
        try index.update(music)
        #expect(try artwork(index, "one") == nil)
    }

    /// As long as the file is the same as far as the directory tells, it is not opened.
    @Test func aPictureThatIsAsItWasIsNotReadAgain() throws {
        try music.song("1.mp3", ["TIT2": "one"])
        try music.put("cover.jpg", MusicFolder.jpeg)
        let index = try music.index()
        var status = stat()
        #expect(stat(music.path("cover.jpg"), &status) == 0)
        try music.put("cover.jpg", [0, 0, 0, 0])
        let times = [status.st_atim, status.st_mtim]
        #expect(utimensat(AT_FDCWD, music.path("cover.jpg"), times, 0) == 0)
        #expect(try index.update(music)?.pictureCount == 0)
        #expect(try artwork(index, "one") == beside("cover.jpg"))
    }

    @Test func aDirectoryThatIsAwayKeepsItsPicture() throws {
        try music.song("1.mp3", ["TIT2": "one"])
        try music.put("cover.jpg", MusicFolder.jpeg)
        let index = try music.index()
        rename(music.folder, music.folder + "-away")
        #expect(try index.update(music)?.pictureCount == 0)
        #expect(try artwork(index, "one") == beside("cover.jpg"))
    }

    /// Nothing is known of what lies where there are no songs.
    @Test func picturesWithoutSongsAreNotLookedAt() throws {
        try music.song("a/1.mp3", ["TIT2": "one"])
        try music.put("a/cover.jpg", MusicFolder.jpeg)
        try music.put("scans/cover.jpg", MusicFolder.jpeg)
        let index = try music.open()
        #expect(try index.update(music)?.pictureCount == 1)
        music.remove("a/1.mp3")
        #expect(try index.update(music)?.pictureCount == 1)
        #expect(try index.database.integer("SELECT count(picture) FROM directories") == 0)
    }
}
