import AudioCore
import Glibc
import HostSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct HostThreadTests {
    @Test func joinWaitsForTheBody() throws {
        let wake = try WakeSignal()
        let flag = Flag()
        let thread = try HostThread(name: "test") {
            wake.wait(atMost: .seconds(10))
            flag.done.store(true, ordering: .releasing)
        }
        wake.signal()
        thread.join()
        thread.join()
        let isDone = flag.done.load(ordering: .acquiring)
        #expect(isDone)
    }

    @Test func onlyTheThreadThatStandsBackIsNicer() throws {
        let niceness = Mutex<Int32?>(nil)
        let others = Self.niceness
        let thread = try HostThread(name: "test") {
            HostThread.standBack(15)
            let own = Self.niceness
            niceness.withLock { $0 = own }
        }
        thread.join()
        #expect(niceness.withLock { $0 } == 15 && Self.niceness == others)
    }

    /// Of the calling thread.
    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test func aSignalBeforeTheWaitIsKept() throws {
        let wake = try WakeSignal()
        wake.signal()
        wake.signal()
        let before = HostTime.now()
        wake.wait(atMost: .seconds(30))
        #expect(HostTime.now() - before < .seconds(30))
    }
}

private final class Flag: Sendable {
    let done = Atomic(false)
}
