import AudioCore
import Glibc
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime

@testable import tutti

/// Plays on the disk.
@Suite(.timeLimit(.minutes(5))) struct PlayLogTests {
    private let temporary = TemporaryDirectory()
    private var directory: StateDirectory { StateDirectory(path: temporary.path + "/a/tutti") }
    private var log: PlayLog { PlayLog(directory: directory) }

    private func text() throws -> String {
        String(decoding: try directory.read(PlayLog.fileName) ?? [], as: UTF8.self)
    }

    private func write(_ text: String) throws { try directory.write(Array(text.utf8), to: PlayLog.fileName) }

    @Test func aPlayIsALine() throws {
        #expect(try log.counts().isEmpty)
        for (path, time) in [("/a b.mp3", 5), ("/ü\t.mp3", 7), ("/a b.mp3", 6)] as [(String, Int64)] {
            #expect(try log.append(Play(path: path, unixSeconds: time)) == nil)
        }
        #expect(try text() == "5\t/a b.mp3\n7\t/ü\t.mp3\n6\t/a b.mp3\n")
        let counts = try log.counts()
        #expect(counts["/a b.mp3"] == PlayCounts.Song(count: 2, last: 6))
        #expect(counts["/ü\t.mp3"] == PlayCounts.Song(count: 1, last: 7))
        #expect(counts.playCount == 3 && counts.songCount == 2 && counts["/other"] == nil)
        #expect(counts.summary == "3 plays of 2 songs; 'tutti search --most-played' goes by them")
        #expect(PlayCounts().summary == nil)
    }

    @Test(arguments: ["/a\nb", "a", "", "/" + String(repeating: "x", count: Int(PATH_MAX))])
    func whatIsNoLineIsNotCounted(path: String) throws {
        #expect(try log.append(Play(path: path, unixSeconds: 1)) == nil)
        #expect(try log.counts().isEmpty)
    }

    /// File systems tell them apart.
    @Test func pathsAreComparedByTheirBytes() throws {
        _ = try log.append(Play(path: "/\u{E9}", unixSeconds: 1))
        _ = try log.append(Play(path: "/e\u{301}", unixSeconds: 1))
        #expect(try log.counts().songCount == 2)
    }

    @Test(arguments: [
        "", "x", "5", "5\t", "\t/a", "-5\t/a", "5\ta", "5\t0\t/a", "5\t-1\t/a", "5\tx\t/a", "5\t1000000001\t/a",
        "99999999999999999999\t/a", "999999999999\t/a", "5 /a", "5\t\0/a", "5\t/\0a", "\0\0\0", "5\t12\t13\t/a",
    ])
    func brokenLinesArePassedOver(line: String) throws {
        try write("\(line)\n7\t3\t/good\n\(line)\n8\t/good\n")
        let counts = try log.counts()
        #expect(counts["/good"] == PlayCounts.Song(count: 4, last: 8) && counts.songCount == 1 && !counts.isDamaged)
        #expect(try log.append(Play(path: "/good", unixSeconds: 9)) == nil)
        #expect(try log.counts()["/good"] == PlayCounts.Song(count: 5, last: 9))
    }

    @Test func pathsAreUTF8() {
        #expect(PlayCounts(Array("5\t/a".utf8) + [0xFF, 0x0A]).isDamaged)
        #expect(PlayCounts(Array("5\t/a\n5\t/a".utf8) + [0xFF, 0x0A]).songCount == 1)
    }

    @Test func noiseIsKeptAside() throws {
        var random = SystemRandomNumberGenerator()
        let noise = (0..<90_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        try directory.write(noise, to: PlayLog.fileName)
        #expect(try log.counts().isDamaged)
        let warning = try log.append(Play(path: "/a", unixSeconds: 1))
        #expect(
            warning == "\(directory.path(of: "plays")) was damaged and is now \(directory.path(of: "plays.damaged")): "
                + "plays are counted anew")
        #expect(try directory.read("plays.damaged") == noise)
        #expect(try text() == "1\t/a\n" && log.setAsideDamaged() == nil)
    }

    /// More noise than is looked at before each play, and a play behind it.
    @Test func noiseBeforePlaysIsNoReasonToLoseThem() throws {
        try write(String(repeating: "noise\n", count: 20_000) + "5\t/a\n")
        #expect(try log.append(Play(path: "/a", unixSeconds: 6)) == nil)
        #expect(try log.counts()["/a"] == PlayCounts.Song(count: 2, last: 6))
    }

    /// Whatever is written, compacted or cut short by a kill, the sums are right.
    @Test(arguments: 0..<20 as Range<UInt64>) func sumsSurvive(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = PlayLog(directory: directory, byteLimit: 4_000)
        var expected: [String: PlayCounts.Song] = [:]
        for time in 1...400 as ClosedRange<Int64> {
            let path = "/music/\(Int.random(in: 0..<30, using: &random))\t.mp3"
            #expect(try log.append(Play(path: path, unixSeconds: time)) == nil)
            expected[path] = PlayCounts.Song(count: (expected[path]?.count ?? 0) + 1, last: time)
            if Int.random(in: 0..<10, using: &random) == 0 { try killedWriter(&random) }
        }
        let counts = try log.counts()
        #expect(counts.songCount == expected.count && counts.playCount == 400)
        for (path, song) in expected { #expect(counts[path] == song, "\(path)") }
        #expect(try text().utf8.count < 4_100, "it was compacted")
    }

    /// Leaves a part of a line behind.
    private func killedWriter(_ random: inout SeededGenerator) throws {
        let line = Array("9999\t/music/killed.mp3".utf8)
        let part = line.prefix(Int.random(in: 1...line.count, using: &random))
        try directory.write((directory.read(PlayLog.fileName) ?? []) + part, to: PlayLog.fileName)
    }

    @Test func aCompactedFileHasALineForEachSong() throws {
        let log = PlayLog(directory: directory, byteLimit: 40)
        for time in 1...6 as ClosedRange<Int64> {
            _ = try log.append(Play(path: time % 2 == 0 ? "/even" : "/odd", unixSeconds: time))
        }
        #expect(try text() == "6\t3\t/even\n5\t3\t/odd\n")
        #expect(try log.counts().playCount == 6)
        #expect(TemporaryDirectory.names(in: directory.path) == [PlayLog.fileName])
    }

    @Test func theLongestAgoGoFirst() throws {
        var text = ""
        for index in 0..<50 { text += "\(1_000 + index * 7 % 50)\t/\(index)\n" }
        let counts = PlayCounts(Array(text.utf8))
        let few = PlayCounts(counts.compacted(songLimit: 10, byteLimit: 1_000_000))
        #expect(few.songCount == 10 && few.songs.values.allSatisfy { $0.last >= 1_040 })
        let bytes = counts.compacted(byteLimit: 100)
        #expect(bytes.count <= 100 && PlayCounts(bytes).songs.values.allSatisfy { $0.last >= 1_040 })
        #expect(!bytes.isEmpty && bytes.last == UInt8(ascii: "\n"))
    }

    @Test func countsDoNotOverflow() {
        let counts = PlayCounts(Array(String(repeating: "5\t1000000000\t/a\n", count: 3).utf8))
        #expect(counts["/a"]?.count == 1_000_000_000)
        #expect(PlayCounts(counts.compacted(byteLimit: 1_000))["/a"] == counts["/a"])
    }

    /// Appends 300 plays.
    /// - Returns: how many could not be appended.
    private static func append(asWriter writer: Int, to log: PlayLog) -> Int {
        (0..<300).count(where: { index in
            let play = Play(path: "/\(writer)/\(index % 20)", unixSeconds: Int64(index))
            return Result { try log.append(play) }.isFailure
        })
    }

    /// Each with files and locks of its own.
    @Test func writersAtTheSameMomentLoseNothing() async throws {
        let log = PlayLog(directory: directory, byteLimit: 3_000)
        let failureCount = await withTaskGroup(of: Int.self) { group in
            for writer in 0..<2 { group.addTask { Self.append(asWriter: writer, to: log) } }
            return await group.reduce(0, +)
        }
        #expect(failureCount == 0)
        let counts = try log.counts()
        #expect(counts.songCount == 40 && counts.songs.values.allSatisfy { $0.count == 15 && $0.last >= 280 })
    }

    // MARK: The recorder

    private func play(_ path: String, on recorder: PlayRecorder) {
        var now = HostTime(nanoseconds: 1_000_000_000)
        for second in 0...10 as ClosedRange<Int64> {
            let song = SongStatus(
                title: "t", artist: nil, format: "", elapsed: .seconds(second), total: .seconds(10), path: path)
            recorder.take(.playing(PlayStatus(state: .playing, song: song)), now: now)
            now += .seconds(1)
        }
    }

    @Test func whatCountedIsWrittenAtTheEnd() throws {
        let recorder = PlayRecorder(log) { Issue.record("\($0)") }
        play("/a/../b.mp3", on: recorder)
        play("/c//d.mp3", on: recorder)
        recorder.end()
        let counts = try log.counts()
        #expect(counts.playCount == 2 && counts["/c/d.mp3"]?.count == 1)
        #expect(abs((counts["/c/d.mp3"]?.last ?? 0) - Int64(time(nil))) < 300)
    }

    @Test func aPlaceThatCannotBeWrittenIsToldOfOnce() throws {
        let file = StateDirectory(path: temporary.path)
        try file.write([1], to: "file")
        let said = Mutex<[String]>([])
        let log = PlayLog(directory: StateDirectory(path: file.path(of: "file") + "/tutti"))
        let recorder = PlayRecorder(log) { text in said.withLock { $0.append(text) } }
        for path in ["/a", "/b", "/c"] { play(path, on: recorder) }
        recorder.end()
        let lines = said.withLock { $0 }
        #expect(lines.count == 1 && lines.first?.hasSuffix(": plays are not counted") == true, "\(lines)")
    }

    @Test func withoutAPlaceNothingIsSaid() {
        let recorder = PlayRecorder(nil) { Issue.record("\($0)") }
        play("/a", on: recorder)
        recorder.end()
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
