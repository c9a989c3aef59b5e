import AudioCore
import Broadcasting
import Glibc
import HostSystem
import LANKit
import Songs
import StreamTestKit
import Testing

@testable import TuttiRuntime

/// Songs that come through FIFOs and standard input.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PipeBroadcastTests {
    /// What is heard is what is heard of the file.
    @Test func aSongThroughAFIFOIsTheFile() throws {
        let sourceFiles = SourceFiles()
        let song = try sourceFiles.makeMP3(seconds: 2)
        let fifo = sourceFiles.fifo("pipe")
        let writer = try sourceFiles.feed(try Tool.readFile(song), into: fifo)
        let piped = try SourceBroadcast(fifo)
        writer.join()
        #expect(piped.result == .success(.completed) && piped.notices == [.broadcast(.joined("kitchen"))])
        #expect(piped.titles == ["pipe"])
        let expected = try SourceBroadcast(song).decoded()
        #expect(try piped.decoded() == expected && expected.count == 2 * 44_100 * 2)
    }

    @Test func samplesWithoutAHeaderAreHeardAsTheyAre() throws {
        let sourceFiles = SourceFiles()
        let fifo = sourceFiles.fifo("pipe")
        var generator = SeededGenerator(seed: 3)
        let samples = (0..<48_000).map { _ in Int16.random(in: .min ... .max, using: &generator) }
        let bytes = samples.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        let writer = try sourceFiles.feed(bytes, into: fifo, pieceByteCount: 4_097)
        let broadcast = try SourceBroadcast(fifo, raw: "24000:2:s16be")
        writer.join()
        #expect(try broadcast.decoded() == samples.map { Float($0) / 32_768 })
        // A file of them, too.
        try Tool.writeFile(sourceFiles.path("samples"), bytes)
        #expect(try SourceBroadcast(sourceFiles.path("samples"), raw: "24000:2:s16be").decoded().count == samples.count)
    }

    @Test func whatIsNoSongIsRefusedWithOneLine() throws {
        let sourceFiles = SourceFiles()
        let fifo = sourceFiles.fifo("pipe")
        let writer = try sourceFiles.feed([UInt8](repeating: 0x20, count: 300_000), into: fifo)
        let broadcast = try SourceBroadcast(fifo, hasListener: false)
        writer.join()
        let text =
            "'\(fifo)' is not a song that Tutti knows (MP3, AAC, MPEG-4, FLAC, WAVE, AIFF, CAF, AU, Ogg, AC-3 or AMR)"
        #expect(broadcast.result == .failure(RuntimeFailure(SongFailure(.unusable, text))) && broadcast.notices.isEmpty)
    }

    /// Nothing that a stream needs comes too late in MPEG-4 whose index stands at its end: a pipe cannot go back.
    @Test func anIndexAtTheEndCannotBePiped() throws {
        let sourceFiles = SourceFiles()
        let song = try sourceFiles.makeMP3(seconds: 1)
        try Tool.run("ffmpeg -v error -i \(song) -c:a aac song.m4a", in: sourceFiles.directory)
        let fifo = sourceFiles.fifo("pipe")
        let writer = try sourceFiles.feed(try Tool.readFile(sourceFiles.path("song.m4a")), into: fifo)
        let broadcast = try SourceBroadcast(fifo, hasListener: false)
        writer.join()
        let text = "'\(fifo)' has its packet table after the audio: it cannot be played as a stream"
        #expect(broadcast.result == .failure(RuntimeFailure(SongFailure(.unusable, text))))
    }

    @Test func aFIFOWithoutAWriterIsWaitedForUntilSomebodyStops() throws {
        let sourceFiles = SourceFiles()
        let fifo = sourceFiles.fifo("pipe")
        let broadcast = try SourceBroadcast(fifo, hasListener: false, stop: { notices, _ in !notices.isEmpty })
        #expect(broadcast.result == .success(.interrupted))
        #expect(broadcast.notices.map(\.textOfSource) == ["waiting for a writer of '\(fifo)'"])
    }

    /// Its thread ends, whether it waits for the first byte or for the next.
    @Test(arguments: [false, true]) func aReaderThatWaitsStopsAtOnce(hasBegun: Bool) throws {
        let sourceFiles = SourceFiles()
        let fifo = sourceFiles.fifo("pipe")
        let reader = try SongReader(fifo) { _ in }
        reader.read()
        let writer = hasBegun ? open(fifo, O_WRONLY | O_CLOEXEC) : -1
        defer { if hasBegun { close(writer) } }
        if hasBegun { write(writer, [0x52, 0x49, 0x46, 0x46] as [UInt8], 4) }
        sleepThread(for: .milliseconds(100))
        #expect(reader.stop())
    }

    /// The program itself, with a song as its standard input: from a pipe, and from a file, whose index may stand at
    /// its end.
    @Test(arguments: [("cat song.mp3 | ", "", "song.mp3"), ("", "< song.m4a", "song.m4a")])
    func standardInput(before: String, behind: String, song: String) throws {
        let sourceFiles = SourceFiles()
        _ = try sourceFiles.makeMP3(seconds: 2)
        try Tool.run("ffmpeg -v error -i song.mp3 -c:a pcm_s16le -f mov song.m4a", in: sourceFiles.directory)
        let port = freePort()
        let peer = try RecordingPeer(port: port, name: "kitchen", codecs: [.linearPCM, .mpegLayer3])
        let command = "\(before) \(buildDirectory)/tutti broadcast - --no-mdns --port \(port) \(behind)"
        try Tool.run("env XDG_STATE_HOME=. sh -c '\(command)'", in: sourceFiles.directory)
        let expected = try SourceBroadcast(sourceFiles.path(song)).decoded()
        #expect(try peer.end().decoded().samples == expected && expected.count >= 2 * 44_100 * 2)
    }
}
