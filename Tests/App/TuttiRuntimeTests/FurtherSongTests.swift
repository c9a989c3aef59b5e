import AudioCore
import Broadcasting
import Glibc
import HostSystem
import StreamTestKit
import Synchronization
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
            path, settings: PlayerSettings(PlayOptions()), inbox: inbox, output: PlayerOutput(.null, inbox: inbox)
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
    @Test func aReaderIsHandedOnFromSongToSong() throws {
        let directory = TemporaryDirectory()
        let handover = SongHandover()
        var isFirst = true
        var titles: [String] = []
        repeat {
            let told = Told()
            let reader: SongReader
            if let next = handover.take() {
                reader = next
                reader.beginNext { told.take($0) }
            } else {
                #expect(isFirst)
                reader = try SongReader(try chain(in: directory)) { told.take($0) }
            }
            isFirst = false
            while !told.isOver {
                reader.read()
                try #require(told.waitForOneMore())
            }
            #expect(told.failure == nil && told.packetCount == 1_000 + titles.count)
            titles.append(told.title ?? "")
            if reader.hasNext {
                reader.rest()
                handover.put(reader)
            } else {
                #expect(reader.stop())
            }
        } while !handover.isEmpty
        #expect(titles == ["0", "1", "2"])
    }

    /// What a reader's handler was told.
    private final class Told: Sendable {
        private struct State {
            var count = 0
            var awaited = 0
            var packetCount = 0
            var title: String?
            var failure: String?
            var isOver = false
        }
        private let state = Mutex(State())

        func take(_ event: SourceEvent) {
            state.withLock { state in
                state.count += 1
                switch event {
                case .read(let properties, let packets, _):
                    state.packetCount += packets.count
                    for case .info(.title, let title) in properties { state.title = title }
                case .ended: state.isOver = true
                case .failed(let text):
                    state.failure = text
                    state.isOver = true
                default: break
                }
            }
        }

        var isOver: Bool { state.withLock(\.isOver) }
        var packetCount: Int { state.withLock(\.packetCount) }
        var title: String? { state.withLock(\.title) }
        var failure: String? { state.withLock(\.failure) }

        /// False after ten seconds.
        func waitForOneMore() -> Bool {
            let awaited = state.withLock { state in
                state.awaited += 1
                return state.awaited
            }
            for _ in 0..<10_000 {
                if state.withLock({ $0.count >= awaited }) { return true }
                sleepThread(for: .milliseconds(1))
            }
            return false
        }
    }
}
