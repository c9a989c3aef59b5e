import AudioCore
import Broadcasting
import Glibc
import StreamTestKit
import Testing

@testable import TuttiRuntime

/// Several songs in one source: links of an Ogg chain that need decoders of their own.
@Suite(.timeLimit(.minutes(5)))
struct FurtherSongTests {
    private static let links: [[UInt8]] = (0..<3).map { index in
        var opus = OpusWriter()
        opus.channels = index == 1 ? 1 : 2
        opus.comments = ["TITLE=\(index)"]
        return opus.file(packets: 1_000 + index, serial: UInt32(index)).bytes
    }

    private func chain(in directory: borrowing TemporaryDirectory) throws -> String {
        let path = directory.path + "/chain.ogg"
        try Tool.writeFile(path, Self.links.flatMap(\.self))
        return path
    }

    private func player(_ path: String) throws -> SongPlayer {
        let inbox = try PlayerInbox()
        return try SongPlayer(
            path, isLast: true, settings: PlayerSettings(PlayOptions()), inbox: inbox,
            output: PlayerOutput(.null, inbox: inbox)
        ) { _ in }
    }

    @Test func aPlayerGoesToTheSongsOfAFile() throws {
        let directory = TemporaryDirectory()
        let path = try chain(in: directory)
        var player = try player(path)
        for index in 0..<3 {
            #expect(player.songsBefore == index)
            try player.skip(songCount: index)
            _ = try player.readPackets()
            #expect(player.stream.summary.info[.title] == "\(index)")
            let hasNext = player.beginNext()
            #expect(hasNext == (index < 2))
        }
        // Who wants the song before begins at the front.
        for count in 0...4 {
            var other = try self.player(path)
            try other.skip(songCount: count)
            #expect(other.songsBefore == min(count, 2))
        }
    }

    /// What comes through a pipe is not read in vain.
    @Test func aPlayerDoesNotLookForSongsInAPipe() throws {
        let directory = TemporaryDirectory()
        let fifo = directory.path + "/fifo"
        mkfifo(fifo, 0o600)
        let writer = open(fifo, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        _ = Self.links[0].withUnsafeBytes { write(writer, $0.baseAddress, 40_000) }
        var player = try player(fifo)
        _ = try player.readPackets()
        let hasNext = player.beginNext()
        #expect(!hasNext && player.stream.packetCount > 0 && player.songsBefore == 0)
    }

    /// A song that cannot be played is read away as it comes.
    @Test func aPlayerPassesOverASongInAPipe() throws {
        let directory = TemporaryDirectory()
        let path = try chain(in: directory)
        let fifo = directory.path + "/fifo"
        mkfifo(fifo, 0o600)
        #expect(system("cat '\(path)' > '\(fifo)' &") == 0)
        var player = try player(fifo)
        for index in 0..<3 {
            while try !player.readPackets() {
                player.stream.wait(atMost: .seconds(1), wake: player.inbox.wake)
            }
            #expect(player.songsBefore == index && player.stream.summary.info[.title] == "\(index)")
            let hasNext = player.passOver()
            #expect(hasNext == (index < 2))
        }
    }

    /// Whoever stops the player, or wants the next song, does not wait for a pipe.
    @Test(arguments: [true, false]) func passingOverEnds(byStopping: Bool) throws {
        let directory = TemporaryDirectory()
        let fifo = directory.path + "/fifo"
        mkfifo(fifo, 0o600)
        let writer = open(fifo, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        _ = Self.links[0].withUnsafeBytes { write(writer, $0.baseAddress, 40_000) }
        var player = try player(fifo)
        _ = try player.readPackets()
        if byStopping { player.inbox.stop() } else { player.inbox.post(.nextSong) }
        let hasNext = player.passOver()
        #expect(!hasNext && player.songsBefore == 0)
    }

    /// Each song has a handler of its own, and nobody is told of the one that follows before he asks.
    @Test func aReaderGoesFromSongToSong() throws {
        let directory = TemporaryDirectory()
        var told = try Told()
        let reader = try SongReader(try chain(in: directory)) { [told] event in told.take(event) }
        var titles: [String] = []
        while true {
            while !told.isOver {
                reader.read()
                try #require(told.waitForOneMore())
            }
            #expect(told.failure == nil && told.packetCount == 1_000 + titles.count)
            titles.append(told.title ?? "")
            guard told.hasNext else { break }
            told = try Told()
            reader.beginNext { [told] event in told.take(event) }
        }
        #expect(reader.stop())
        #expect(titles == ["0", "1", "2"])
    }

    /// A reader begins with a later song of the source, and within a song.
    @Test func aReaderBeginsInTheMiddle() throws {
        let directory = TemporaryDirectory()
        let chain = try chain(in: directory)
        let later = try Told()
        let reader = try SongReader(chain, songsBefore: 1) { later.take($0) }
        while !later.isOver {
            reader.read()
            try #require(later.waitForOneMore())
        }
        #expect(reader.stop() && later.title == "1" && later.packetCount == 1_001 && later.hasNext)

        let song = directory.path + "/song.ogg"
        try Tool.writeFile(song, Self.links[0])
        let middle = try Told()
        let other = try SongReader(song, from: FramePosition(480_000)) { middle.take($0) }
        while !middle.isOver {
            other.read()
            try #require(middle.waitForOneMore())
        }
        #expect(other.stop() && middle.title == "0" && middle.failure == nil)
        // 20 ms a packet, and at least 80 ms of pre-roll.
        let position = try #require(middle.position)
        #expect(position <= FramePosition(480_000 - 3_840) && middle.packetCount < 600)
    }

    /// What a reader's handler was told.
    private final class Told: Sendable {
        private struct State {
            var count = 0
            var awaited = 0
            var packetCount = 0
            var title: String?
            var failure: String?
            var position: FramePosition?
            var end: SourceEnd?

            mutating func finish(_ end: SourceEnd, failure: String?) {
                count += 1
                self.end = end
                self.failure = failure
            }
        }
        private let state: Monitor<State>

        init() throws { state = try Monitor(State()) }

        func take(_ event: SourceEvent) {
            state.change { state in
                switch event {
                case .sought(let position): state.position = position
                case .read(let properties, let packets, _):
                    state.count += 1
                    state.packetCount += packets.count
                    for case .info(.title, let title) in properties { state.title = title }
                case .ended(let end): state.finish(end, failure: nil)
                case .failed(let text, let end): state.finish(end, failure: text)
                default: break
                }
            }
        }

        var isOver: Bool { state.value.end != nil }
        var hasNext: Bool { state.value.end == .anotherSong }
        var position: FramePosition? { state.value.position }
        var packetCount: Int { state.value.packetCount }
        var title: String? { state.value.title }
        var failure: String? { state.value.failure }

        /// False after ten seconds.
        func waitForOneMore() -> Bool {
            state.change { $0.awaited += 1 }
            return state.wait(atMost: .seconds(10)) { $0.count >= $0.awaited }
        }
    }
}
