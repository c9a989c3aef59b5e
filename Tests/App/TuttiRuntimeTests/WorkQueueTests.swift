import HostSystem
import Households
import NIOCore
import NIOPosix
import SecureChannel
import Synchronization
import Testing

@testable import TuttiRuntime

/// What may block goes on elsewhere, and a loop that ends does not leave it behind.
@Suite(.timeLimit(.minutes(5))) struct WorkQueueTests {
    private struct Broken: Error {}

    /// Lets what blocks go on, once.
    private final class Gate: Sendable {
        private let isReached = Mutex(false)
        private let reached: WakeSignal
        private let opened: WakeSignal

        init() throws {
            reached = try WakeSignal()
            opened = try WakeSignal()
        }

        /// Blocks until ``open()``, the first time.
        func pass() {
            guard
                isReached.withLock({ state in
                    defer { state = true }; return !state
                })
            else { return }
            reached.signal()
            opened.wait(atMost: .seconds(60))
        }

        func waitUntilReached() { reached.wait(atMost: .seconds(60)) }
        func open() { opened.signal() }
    }

    /// A store that nobody has put anything into, and that blocks whoever looks for the first time.
    private struct SlowStore: HouseholdStore {
        let gate: Gate

        func load() throws(MemoryFailure) -> Household? { nil }

        func change(
            _ body: (inout Household?) throws(HouseholdError) -> Void
        ) throws(MemoryFailure) -> Result<Household?, HouseholdError> { .success(nil) }

        func version() -> HouseholdVersion {
            gate.pass()
            return HouseholdVersion()
        }
    }

    private func withLoop(_ body: (any EventLoop) throws -> Void) throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        try body(group.next())
    }

    @Test func piecesFollowOneAnotherAndAFailureEndsOnlyItsOwn() throws {
        let told = Mutex<[String]>([])
        try withLoop { loop in
            try loop.flatSubmit {
                let queue = WorkQueue(loop: loop)
                let results: @Sendable (Result<Int, Broken>) -> Void = { result in
                    loop.preconditionInEventLoop()
                    told.withLock { $0.append((try? result.get()).map { "\($0) is done" } ?? "failed") }
                }
                for number in 1...3 {
                    queue.perform { () throws(Broken) in
                        told.withLock { $0.append("\(number)") }
                        if number == 2 { throw Broken() }
                        return number
                    } then: {
                        results($0)
                    }
                }
                return queue.finish()
            }.wait()
        }
        #expect(told.withLock { $0 } == ["1", "1 is done", "2", "failed", "3", "3 is done"])
    }

    /// A loop that has ended takes nothing any more: a look at the store that came back later would be told of on
    /// standard error, by SwiftNIO.
    @Test func aHouseholdIsLookedAtToTheEnd() throws {
        let gate = try Gate()
        try withLoop { loop in
            let connector = try loop.submit {
                var identity = Identity()
                identity.household = StoredHousehold(nil, in: SlowStore(gate: gate))
                let connector = HouseholdConnector(identity: identity, loop: loop) { _ in }
                try connector.watchStore()
                return connector
            }.wait()
            gate.waitUntilReached()
            let isOver = Mutex(false)
            let end = loop.flatSubmit { connector.shutDown() }
            end.whenComplete { _ in isOver.withLock { $0 = true } }
            // Two turns of the loop: enough for one that does not wait.
            for _ in 1...2 { try loop.submit {}.wait() }
            #expect(!isOver.withLock { $0 })
            gate.open()
            try end.wait()
        }
    }
}
