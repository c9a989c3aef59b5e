import AudioCore
import Synchronization
import Testing

@testable import tutti

/// Signals before, while and after a session can be stopped.
@Suite(.timeLimit(.minutes(5))) struct InterruptionTests {
    private final class Counter: Sendable {
        let value = Atomic(0)
        func count() { value.add(1, ordering: .relaxed) }
    }

    private let start = HostTime(nanoseconds: 1_000_000_000)

    @Test func stopsOnceAtTheFirstSignal() {
        let (interruption, counter) = (Interruption(), Counter())
        interruption.onRaise { counter.count() }
        #expect(interruption.raise(2, now: start) == .stop)
        #expect(interruption.raise(15, now: start + .milliseconds(299)) == .echo)
        #expect(counter.value.load(ordering: .relaxed) == 1)
        #expect(interruption.signal == 2)
    }

    @Test func aLaterSecondSignalDoesNotWait() {
        let interruption = Interruption()
        interruption.raise(2, now: start)
        #expect(interruption.raise(2, now: start + .milliseconds(300)) == .exitAtOnce)
    }

    @Test func aSignalBeforeTheSessionIsRemembered() {
        let (interruption, counter) = (Interruption(), Counter())
        interruption.raise(2, now: start)
        interruption.onRaise { counter.count() }
        #expect(counter.value.load(ordering: .relaxed) == 1)
    }
}
