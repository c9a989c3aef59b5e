import AudioCore
import HostSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct PeriodicThreadTests {
    @Test func itCallsAtOnceAndAgainAfterEachPause() async throws {
        let (calls, continuation) = AsyncStream<HostTime>.makeStream()
        let thread = try PeriodicThread(name: "test", pause: .milliseconds(2))
        let start = HostTime.now()
        try thread.start { continuation.yield(.now()) }
        var iterator = calls.makeAsyncIterator()
        var times: [HostTime] = []
        while times.count < 4, let time = await iterator.next() { times.append(time) }
        thread.stop()
        #expect(times.count == 4 && times[3] - start >= .milliseconds(6))
    }

    @Test func stopWaitsForACallAndNotForThePause() throws {
        let (begun, mayEnd) = (try WakeSignal(), try WakeSignal())
        let isOver = Mutex(false)
        let thread = try PeriodicThread(name: "test", pause: .seconds(60))
        try thread.start {
            begun.signal()
            mayEnd.wait(atMost: .seconds(30))
            isOver.withLock { $0 = true }
        }
        begun.wait(atMost: .seconds(30))
        let before = HostTime.now()
        mayEnd.signal()
        thread.stop()
        #expect(isOver.withLock { $0 } && HostTime.now() - before < .seconds(30))
    }

    @Test func whatIsStoppedBeforeItsStartCallsNothing() throws {
        let count = Mutex(0)
        let thread = try PeriodicThread(name: "test", pause: .milliseconds(1))
        thread.stop()
        try thread.start { count.withLock { $0 += 1 } }
        thread.stop()
        #expect(count.withLock { $0 } == 0)
    }
}
