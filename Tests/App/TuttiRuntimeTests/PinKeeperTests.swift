import NIOCore
import NIOPosix
import Peering
import SecureChannel
import Synchronization
import Testing

@testable import TuttiRuntime

/// What a session knows of names, and when that is stored.
@Suite(.timeLimit(.minutes(5))) struct PinKeeperTests {
    /// A store without a disk.
    private final class VolatileStore: PinStore {
        let pins = Mutex(PinnedNames())
        let writes = Mutex<[[String]]>([])
        let isBroken: Bool

        init(isBroken: Bool = false) { self.isBroken = isBroken }

        func load() throws(MemoryFailure) -> PinnedNames {
            if isBroken { throw MemoryFailure("cannot read") }
            return pins.withLock { $0 }
        }

        func note(_ peers: [MetPeer], at time: Int64) throws(MemoryFailure) -> PinnedNames {
            if isBroken { throw MemoryFailure("cannot write") }
            writes.withLock { $0.append(peers.map(\.name.text)) }
            return pins.withLock { pins in
                for peer in peers { pins.note(peer, at: time) }
                return pins
            }
        }
    }

    private let key = PeerKeyPair.random().key

    private func peer(_ text: String) throws -> MetPeer {
        MetPeer(try #require(PeerName(text)), key, isNamed: false)
    }

    /// Runs a session's life on an event loop, until what `body` returns and all writes are done; returns what it said.
    private func live(
        _ store: VolatileStore, _ body: @escaping @Sendable (PinKeeper) -> EventLoopFuture<Void>
    ) throws -> [MemoryNotice] {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let said = Mutex<[MemoryNotice]>([])
        try loop.flatSubmit {
            let keeper = PinKeeper(store: store, loop: loop) { event in
                if case .notice(.memory(let notice)) = event { said.withLock { $0.append(notice) } }
            }
            keeper.load()
            return body(keeper).flatMap { keeper.close() }
        }.wait()
        return said.withLock { $0 }
    }

    @Test func thoseWhoComeTogetherAreStoredTogetherAndOnce() throws {
        let store = VolatileStore()
        let peers = try ["Attic", "Den", "Attic", "Kitchen"].map { try peer($0) }
        for _ in 0..<2 {
            let said = try live(store) { keeper in
                for peer in peers { keeper.note(peer) }
                #expect(keeper.pins.all.count == 3)
                return MultiThreadedEventLoopGroup.singleton.any().makeSucceededVoidFuture()
            }
            #expect(said.isEmpty)
        }
        #expect(store.writes.withLock { $0 } == [["Attic", "Den", "Kitchen"]])
    }

    @Test func aNameThatTheUserForgetsIsFreeOnceSomebodyWasRefused() throws {
        let store = VolatileStore()
        _ = try store.note([try peer("Attic")], at: 1)
        let changes = Mutex<[Int]>([])
        _ = try live(store) { keeper in
            let promise = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
            keeper.onChange = { pins in
                changes.withLock { $0.append(pins.all.count) }
                promise.succeed()
            }
            store.pins.withLock { $0 = PinnedNames() }
            keeper.watchStore()
            return promise.futureResult
        }
        #expect(changes.withLock { $0 } == [0])
    }

    @Test func aStoreThatFailsIsToldOfOnceAndTheRunKeepsItsOwn() throws {
        let peer = try peer("Attic")
        let said = try live(VolatileStore(isBroken: true)) { keeper in
            keeper.note(peer)
            #expect(keeper.pins.all.map(\.name.text) == ["Attic"])
            return MultiThreadedEventLoopGroup.singleton.any().makeSucceededVoidFuture()
        }
        #expect(said == [.pins(MemoryFailure("cannot read"))])
    }
}
