import AudioCore
import HostSystem
import Testing

@Suite(.timeLimit(.minutes(5))) struct SleepDetectorTests {
    /// A machine whose clocks the test turns; by reference, since expectations cannot call what mutates.
    private final class Machine {
        var monotonic: Int64 = 5_000_000_000
        var slept: Int64 = 86_400_000_000_000
        var detector = SleepDetector()

        /// Reads both clocks after `wait`, with so much lost between the calls.
        func look(
            after wait: TimeSpan, lostBefore: TimeSpan = .nanoseconds(30), lostAfter: TimeSpan = .nanoseconds(30)
        ) -> TimeSpan? {
            monotonic += wait.nanoseconds
            let before = monotonic
            monotonic += lostBefore.nanoseconds
            let boottime = monotonic + slept
            monotonic += lostAfter.nanoseconds
            return detector.note(SleepReading(before: before, boottime: boottime, after: monotonic))
        }
    }

    @Test func whatWasSleptBeforeTheFirstLookIsNoNews() {
        let machine = Machine()
        #expect(machine.look(after: .zero) == nil)
        #expect(machine.look(after: .milliseconds(20)) == nil)
        #expect(machine.look(after: .seconds(3_600)) == nil)
    }

    @Test(arguments: [TimeSpan.milliseconds(25), .seconds(1), .seconds(60), .seconds(86_400)])
    func aSleepIsToldOnceAndHowLong(span: TimeSpan) throws {
        let machine = Machine()
        for _ in 0..<10 { #expect(machine.look(after: .milliseconds(20)) == nil) }
        machine.slept += span.nanoseconds
        let told = try #require(machine.look(after: .milliseconds(20)))
        #expect((told - span).magnitude <= .microseconds(1))
        for _ in 0..<10 { #expect(machine.look(after: .milliseconds(20)) == nil) }
        machine.slept += span.nanoseconds
        #expect(machine.look(after: .milliseconds(20)) != nil)
    }

    @Test func timeLostBetweenTheReadingsIsNoSleep() {
        let machine = Machine()
        #expect(machine.look(after: .zero, lostBefore: .seconds(2)) == nil)
        #expect(machine.look(after: .milliseconds(20), lostAfter: .seconds(2)) == nil)
        #expect(machine.look(after: .milliseconds(20), lostBefore: .seconds(2)) == nil)
        #expect(machine.look(after: .milliseconds(20), lostBefore: .seconds(1), lostAfter: .seconds(1)) == nil)
        #expect(machine.look(after: .milliseconds(20)) == nil)
        // What the first looks could not see through does not hide a sleep for good.
        machine.slept += TimeSpan.seconds(1).nanoseconds
        #expect(machine.look(after: .milliseconds(20), lostAfter: .seconds(2)) == nil)
        #expect(machine.look(after: .milliseconds(20)) != nil)
    }

    @Test func aClockThatIsPutBackIsNoSleep() {
        let machine = Machine()
        #expect(machine.look(after: .zero) == nil)
        machine.slept -= TimeSpan.seconds(10).nanoseconds
        #expect(machine.look(after: .milliseconds(20)) == nil)
        machine.slept += TimeSpan.seconds(1).nanoseconds
        #expect(machine.look(after: .milliseconds(20)) != nil)
    }

    @Test func thisMachineIsAwake() {
        var detector = SleepDetector()
        for _ in 0..<100_000 {
            let slept = detector.note(.now())
            #expect(slept == nil)
        }
    }
}
