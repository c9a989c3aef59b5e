import Synchronization
import Testing

@testable import tutti

/// Signals before, while and after a session can be stopped.
@Suite struct InterruptionTests {
    private final class Counter: Sendable {
        let value = Atomic(0)
        func count() { value.add(1, ordering: .relaxed) }
    }

    @Test func stopsOnceAtTheFirstSignal() {
        let (interruption, counter) = (Interruption(), Counter())
        interruption.onRaise { counter.count() }
        #expect(interruption.raise(2))
        #expect(!interruption.raise(15))
        #expect(counter.value.load(ordering: .relaxed) == 1)
        #expect(interruption.signal == 2)
    }

    @Test func aSignalBeforeTheSessionIsRemembered() {
        let (interruption, counter) = (Interruption(), Counter())
        #expect(interruption.raise(2))
        interruption.onRaise { counter.count() }
        #expect(counter.value.load(ordering: .relaxed) == 1)
    }
}
