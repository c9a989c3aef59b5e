import AudioCore
import Glibc
import NIOCore
import NIOPosix
import Programmes
import Songs
import StreamTestKit
import Testing
import WireProtocol

@testable import Broadcasting
@testable import TuttiRuntime

/// Sources that go on for another epoch than the one they were opened for.
@Suite(.timeLimit(.minutes(5)))
struct BroadcastSourcesTests {
    /// The sources of a broadcast on their event loop, and what they brought.
    private final class Rig: Sendable {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let sources: BroadcastSources
        let events: Monitor<[(epoch: Epoch, event: SourceEvent)]>

        init() throws {
            events = try Monitor([])
            sources = BroadcastSources(BroadcastOptions(), items: [], loop: group.next()) { _ in }
        }

        func perform(_ body: @escaping @Sendable (BroadcastSources) -> Void) throws {
            try group.next().submit { [self] in
                sources.handler = { [weak self] epoch, event in self?.events.change { $0.append((epoch, event)) } }
                body(sources)
            }.wait()
        }

        /// How many answers to reading came.
        var answerCount: Int { Self.answerCount(events.value) }

        /// Waits for one more answer than there were.
        func waitForAnswer(after count: Int) -> Bool {
            events.wait(atMost: .seconds(20)) { Self.answerCount($0) > count }
        }

        private static func answerCount(_ events: [(epoch: Epoch, event: SourceEvent)]) -> Int {
            events.count { BroadcastSourcesTests.isRead($0.event) || BroadcastSourcesTests.isEnd($0.event) }
        }

        /// Returns the first event of an epoch that fits.
        func event(of epoch: Epoch, _ isWanted: (SourceEvent) -> Bool) -> SourceEvent? {
            var found: SourceEvent?
            _ = events.wait(atMost: .seconds(20)) { events in
                found = events.first { $0.epoch == epoch && isWanted($0.event) }?.event
                return found != nil
            }
            return found
        }

        func shutDown() throws {
            try perform { $0.closeAll() }
            try group.syncShutdownGracefully()
        }
    }

    private static func isRead(_ event: SourceEvent) -> Bool { if case .read = event { true } else { false } }
    private static func isEnd(_ event: SourceEvent) -> Bool { if case .ended = event { true } else { false } }

    @Test func aSongIsReadOnForAnotherEpoch() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/a.ogg"
        let opus = OpusWriter()
        try Tool.writeFile(path, opus.file(packets: 3_000, serial: 1).bytes)
        let rig = try Rig()
        try rig.perform { sources in
            sources.open(SourceRequest(epoch: Epoch(1), origin: .location(.local(path))))
            sources.read(Epoch(1))
        }
        #expect(rig.event(of: Epoch(1), Self.isRead) != nil)
        try rig.perform { sources in
            // What was asked for just now is for the new one.
            sources.read(Epoch(1))
            sources.open(SourceRequest(epoch: Epoch(2), origin: .sameSong(as: Epoch(1))))
            sources.open(SourceRequest(epoch: Epoch(3), origin: .sameSong(as: Epoch(2))))
        }
        #expect(rig.event(of: Epoch(3), Self.isRead) != nil)
        while !rig.events.value.contains(where: { Self.isEnd($0.event) }) {
            let count = rig.answerCount
            try rig.perform { $0.read(Epoch(3)) }
            try #require(rig.waitForAnswer(after: count), "no answer within twenty seconds")
        }
        #expect(rig.event(of: Epoch(3), Self.isEnd) != nil)
        #expect(!rig.events.value.contains { $0.epoch == Epoch(2) })
        try rig.shutDown()
    }

    @Test func aSourceThatIsClosedHasNoNextSong() throws {
        let rig = try Rig()
        try rig.perform { $0.open(SourceRequest(epoch: Epoch(2), origin: .sameSource(as: Epoch(1)))) }
        #expect(rig.event(of: Epoch(2)) { if case .failed(_, .nothing) = $0 { true } else { false } } != nil)
        try rig.shutDown()
    }

    @Test func onlyFilesAreLookedAtBeforeTheyPlay() throws {
        var raw = BroadcastOptions()
        raw.raw = try RawPCMFormat(parsing: "44100:1:s16be")
        var captured = BroadcastOptions()
        captured.capture = CaptureOptions(deviceName: "hw:0")
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        for (options, first) in [(BroadcastOptions(), Optional("/first")), (raw, nil), (captured, nil)] {
            let items = [NewItem(.local("/first"), title: "first")]
            let sources = BroadcastSources(options, items: items, loop: group.next()) { _ in }
            #expect(sources.pathToDescribe(.local("/first")) == first)
            // What is added says itself what it is.
            #expect(sources.pathToDescribe(.local("/added")) == "/added")
            #expect(sources.pathToDescribe(.local("file:///a%20b")) == "/a b")
            for name in ["-", "http://host/a.mp3", "ftp://host/a.mp3"] {
                #expect(sources.pathToDescribe(.local(name)) == nil, "\(name)")
            }
            let address = try #require(WebAddress("http://host/a.mp3"))
            #expect(sources.pathToDescribe(.web(address)) == nil)
            #expect(sources.pathToDescribe(.sent(SentSongID(7))) == nil, "it is not kept any more")
        }
        try group.syncShutdownGracefully()
    }
}
