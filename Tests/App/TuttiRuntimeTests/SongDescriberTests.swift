import NIOCore
import NIOPosix
import Programmes
import StreamTestKit
import Testing

@testable import TuttiRuntime

/// Songs that are read before they play.
@Suite(.timeLimit(.minutes(5))) struct SongDescriberTests {
    /// Asks for the songs of these names, all at once; the answers in the order in which they came.
    private func described(_ paths: [String]) throws -> [ItemDescription?] {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let describer = SongDescriber(loop: loop)
        let answers = try loop.flatSubmit {
            EventLoopFuture.whenAllSucceed(
                paths.map { path in
                    let promise = loop.makePromise(of: ItemDescription?.self)
                    describer.describe(path) { promise.succeed($0) }
                    return promise.futureResult
                }, on: loop)
        }.wait()
        try loop.flatSubmit { describer.shutDown() }.wait()
        return answers
    }

    @Test func aSongSaysWhatItIsCalled() throws {
        let directory = TemporaryDirectory()
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("TIT2", [3] + Array("Pavane".utf8))
        tag.add("TPE1", [3] + Array("Fauré".utf8))
        let song = directory.path + "/song.mp3"
        let frames = MPEGWriter().frames(100).flatMap { $0 }
        try Tool.writeFile(song, tag.bytes + frames)
        let description = try #require(try described([song])[0])
        #expect(description.title == "Pavane" && description.artist == "Fauré" && description.album == nil)
        #expect(description.duration != nil)
    }

    @Test func aSongSaysWhetherItHasAPicture() throws {
        let directory = TemporaryDirectory()
        let album = TemporaryDirectory()
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("APIC", [0] + Array("image/jpeg".utf8) + [0, 3, 0] + jpeg)
        let frames = MPEGWriter().frames(100).flatMap { $0 }
        let songs = [directory.path + "/own.mp3", directory.path + "/none.mp3", album.path + "/beside.mp3"]
        try Tool.writeFile(songs[0], tag.bytes + frames)
        try Tool.writeFile(songs[1], frames)
        try Tool.writeFile(songs[2], frames)
        // Only a name that albums' pictures have, and only a picture, counts.
        try Tool.writeFile(directory.path + "/holiday.jpg", jpeg)
        try Tool.writeFile(directory.path + "/cover.jpg", Array("no picture".utf8))
        try Tool.writeFile(album.path + "/cover.jpg", jpeg)
        #expect(try described(songs).map { $0?.hasPicture } == [true, false, true])
    }

    @Test func whatIsNoSongSaysNothing() throws {
        let directory = TemporaryDirectory()
        let (broken, empty) = (directory.path + "/broken.mp3", directory.path + "/empty.mp3")
        try Tool.writeFile(broken, Array("no song".utf8))
        try Tool.writeFile(empty, [])
        // Whoever opens a FIFO and closes it ends its writer.
        try Tool.run("mkfifo pipe", in: directory)
        let nothing = try described([
            broken, empty, directory.path + "/pipe", directory.path + "/none", directory.path, "/dev/zero",
        ])
        #expect(nothing.count == 6)
        #expect(nothing.allSatisfy { $0?.title == nil && $0?.artist == nil && $0?.duration == nil })
    }
}
