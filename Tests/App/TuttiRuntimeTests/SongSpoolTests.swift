import Broadcasting
import HostSystem
import NIOCore
import NIOPosix
import Programmes
import StreamTestKit
import Synchronization
import Testing
import WireProtocol

@testable import TuttiRuntime

/// What is kept of the songs that other machines send, and what goes when there is no room.
@Suite(.timeLimit(.minutes(5))) struct SongSpoolTests {
    /// A spool on an event loop, asked from the test's thread.
    private final class Scene: Sendable {
        private struct Record {
            /// Whether there is room.
            var answer: SpoolEvent?
            var byteCount = 0
        }

        private let loop: any EventLoop
        private let spool: SongSpool
        private let records = Mutex<[CommandID: Record]>([:])
        private let wrote: WakeSignal
        private let queued = Mutex<Set<SentSongID>>([])

        init(_ loop: any EventLoop, byteCountLimit: UInt64, songCountLimit: Int) throws {
            self.loop = loop
            spool = SongSpool(loop: loop, byteCountLimit: byteCountLimit, songCountLimit: songCountLimit)
            wrote = try WakeSignal()
            spool.handler = { [unowned self] offer, event in self.note(event, of: offer) }
            spool.isQueued = { [unowned self] song in self.queued.withLock { $0.contains(song) } }
        }

        private func note(_ event: SpoolEvent, of offer: CommandID) {
            records.withLock { records in
                switch event {
                case .wrote(let count): records[offer, default: Record()].byteCount += count
                case .opened, .failed: records[offer, default: Record()].answer = event
                }
            }
            wrote.signal()
        }

        private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (SongSpool) -> Value) throws -> Value {
            let spool = spool
            return try loop.submit { body(spool) }.wait()
        }

        /// Offers a song, of which nothing comes yet.
        func offer(byteCount: Int) throws -> CommandID {
            let offer = SongOffer(byteCount: UInt64(byteCount), name: "guest.mp3")
            try onLoop { $0.open(offer) }
            // The answer comes a turn later.
            try onLoop { _ in }
            return offer.id
        }

        func answer(to offer: CommandID) -> SpoolEvent? { records.withLock { $0[offer]?.answer } }

        /// Sends a piece of a song, and waits until it is kept.
        func write(_ byteCount: Int, of byte: UInt8 = 0, for offer: CommandID) throws {
            let wanted = keptByteCount(of: offer) + byteCount
            let piece = SongBytes(id: offer, bytes: ByteBuffer(repeating: byte, count: byteCount))
            try onLoop { $0.write(piece) }
            while keptByteCount(of: offer) < wanted { wrote.wait(atMost: .seconds(60)) }
        }

        private func keptByteCount(of offer: CommandID) -> Int { records.withLock { $0[offer]?.byteCount ?? 0 } }

        /// Sends a whole song, which comes into the queue.
        /// - Returns: its name; nil if there was no room for it.
        func send(_ byteCount: Int, of byte: UInt8 = 0) throws -> SentSongID? {
            let offer = try offer(byteCount: byteCount)
            guard case .opened(let song)? = answer(to: offer) else { return nil }
            try write(byteCount, of: byte, for: offer)
            queued.withLock { _ = $0.insert(song) }
            return song
        }

        func removeFromQueue(_ song: SentSongID) { queued.withLock { _ = $0.remove(song) } }

        func open(_ song: SentSongID, epoch: UInt32) throws { try onLoop { $0.noteOpened(song, epoch: epoch) } }

        func open(next epoch: UInt32, after former: UInt32) throws {
            try onLoop { $0.noteOpened(next: epoch, after: former) }
        }

        func describe(_ song: SentSongID?) throws { try onLoop { $0.noteDescribed(song) } }

        func hear(epoch: UInt32) throws { try onLoop { $0.noteHeard(epoch: epoch) } }

        func close(epoch: UInt32) throws { try onLoop { $0.noteClosed(epoch: epoch) } }

        /// Plays a song to its end.
        func play(_ song: SentSongID, epoch: UInt32) throws {
            try open(song, epoch: epoch)
            try hear(epoch: epoch)
            try close(epoch: epoch)
        }

        /// Its sender is gone.
        func abandon(_ offer: CommandID) throws { try onLoop { $0.close(offer) } }

        /// Returns what is kept under this name; nil if nothing is any more.
        func bytes(of song: SentSongID) throws -> [UInt8]? {
            guard let path = try onLoop({ $0.path(of: song) }) else { return nil }
            return try Tool.readFile(path)
        }

        func close() throws {
            let spool = spool
            try loop.flatSubmit { spool.closeAll() }.wait()
        }
    }

    private func withSpool(
        byteCountLimit: UInt64 = 100, songCountLimit: Int = 10, _ body: (Scene) throws -> Void
    ) throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let scene = try Scene(group.next(), byteCountLimit: byteCountLimit, songCountLimit: songCountLimit)
        defer { try? scene.close() }
        try body(scene)
    }

    @Test func aFullSpoolRefuses() throws {
        try withSpool { spool in
            let first = try #require(try spool.send(60, of: 7))
            let tooMuch = try spool.offer(byteCount: 41)
            #expect(spool.answer(to: tooMuch) == .failed(.noRoom))
            let second = try #require(try spool.send(40, of: 8))
            #expect(try spool.send(1) == nil)
            #expect(try spool.bytes(of: first) == Array(repeating: 7, count: 60))
            #expect(try spool.bytes(of: second) == Array(repeating: 8, count: 40))
        }
    }

    @Test func asManySongsAreKeptAsTheLimitSays() throws {
        try withSpool(songCountLimit: 2) { spool in
            let first = try #require(try spool.send(1))
            #expect(try spool.send(1) != nil)
            #expect(try spool.send(1) == nil)
            spool.removeFromQueue(first)
            #expect(try spool.send(1) != nil)
            #expect(try spool.bytes(of: first) == nil)
        }
    }

    @Test func roomIsMadeByWhatLeftTheQueue() throws {
        try withSpool { spool in
            let first = try #require(try spool.send(50))
            let second = try #require(try spool.send(50))
            #expect(try spool.send(50) == nil)
            spool.removeFromQueue(second)
            #expect(try spool.send(50) != nil)
            #expect(try spool.bytes(of: second) == nil)
            #expect(try spool.bytes(of: first) != nil)
        }
    }

    @Test func roomIsMadeByTheOldestThatWasPlayed() throws {
        try withSpool(byteCountLimit: 90) { spool in
            let first = try #require(try spool.send(30))
            let second = try #require(try spool.send(30))
            let third = try #require(try spool.send(30))
            try spool.play(third, epoch: 1)
            try spool.play(second, epoch: 2)
            let fourth = try #require(try spool.send(30))
            #expect(try spool.bytes(of: second) == nil)
            #expect(try spool.bytes(of: third) != nil)
            #expect(try spool.send(30) != nil)
            #expect(try spool.bytes(of: third) == nil)
            // The others were not played.
            #expect(try spool.send(30) == nil)
            #expect(try spool.bytes(of: first) != nil)
            #expect(try spool.bytes(of: fourth) != nil)
        }
    }

    /// As by a pause: it is opened again later.
    @Test func aSongThatWasOpenedAheadAndNotHeardStays() throws {
        try withSpool { spool in
            let song = try #require(try spool.send(100))
            try spool.open(song, epoch: 2)
            try spool.close(epoch: 2)
            #expect(try spool.send(1) == nil)
            try spool.open(song, epoch: 3)
            try spool.hear(epoch: 3)
            #expect(try spool.send(1) == nil)
            try spool.close(epoch: 3)
            #expect(try spool.send(1) != nil)
            #expect(try spool.bytes(of: song) == nil)
        }
    }

    @Test func aSongThatIsLookedAtStays() throws {
        try withSpool { spool in
            let song = try #require(try spool.send(100))
            spool.removeFromQueue(song)
            try spool.describe(song)
            #expect(try spool.send(1) == nil)
            try spool.describe(nil)
            #expect(try spool.send(1) != nil)
        }
    }

    @Test func aFileOfSeveralSongsStaysUntilTheLastOneIsOver() throws {
        try withSpool { spool in
            let file = try #require(try spool.send(100))
            try spool.open(file, epoch: 1)
            try spool.hear(epoch: 1)
            try spool.open(next: 2, after: 1)
            try spool.close(epoch: 1)
            #expect(try spool.send(1) == nil)
            try spool.close(epoch: 2)
            #expect(try spool.send(1) != nil)
        }
    }

    /// The next song gets the file descriptor of the one that made room for it.
    @Test func theNameOfASongThatIsGoneOpensNoOther() throws {
        try withSpool { spool in
            let former = try #require(try spool.send(100, of: 1))
            for byte in UInt8(2)...9 {
                spool.removeFromQueue(SentSongID(former.number + UInt64(byte) - 2))
                let next = try #require(try spool.send(100, of: byte))
                #expect(next != former && next.number == former.number + UInt64(byte) - 1)
                #expect(try spool.bytes(of: next) == Array(repeating: byte, count: 100))
                #expect(try spool.bytes(of: former) == nil)
            }
        }
    }

    @Test func halfASongGoesWithItsSender() throws {
        try withSpool { spool in
            let offer = try spool.offer(byteCount: 100)
            guard case .opened(let half)? = spool.answer(to: offer) else { Issue.record("no room"); return }
            try spool.write(40, for: offer)
            // It is not whole, so nobody else makes it go.
            #expect(try spool.send(1) == nil)
            try spool.abandon(offer)
            #expect(try spool.bytes(of: half) == nil)
            #expect(try spool.send(100) != nil)
        }
    }
}
