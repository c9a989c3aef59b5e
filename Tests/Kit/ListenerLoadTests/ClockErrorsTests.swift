import AudioCore
import ListenerLoad
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClockErrorsTests {
    @Test func percentilesAreTrueToATenthOfAMicrosecond() {
        var errors = ClockErrors()
        #expect(errors.percentile(0.5) == nil && errors.most == nil)
        for nanoseconds in Int64(0)..<1_000 {
            // Early and late alike.
            errors.add(.nanoseconds(nanoseconds % 2 == 0 ? -nanoseconds * 100 : nanoseconds * 100), bound: .seconds(1))
        }
        #expect(errors.count == 1_000 && errors.beyondBoundCount == 0)
        #expect(errors.percentile(0.5) == .microseconds(50))
        #expect(errors.percentile(0.99) == .microseconds(99))
        #expect(errors.most == .nanoseconds(99_900))
    }

    @Test func whatIsFarOffCounts() {
        var errors = ClockErrors()
        errors.add(.seconds(-3_600), bound: .microseconds(10))
        errors.add(.microseconds(10), bound: .microseconds(10))
        errors.add(.nanoseconds(10_001), bound: .microseconds(10))
        #expect(errors.most == .seconds(3_600) && errors.beyondBoundCount == 2)
        #expect(errors.percentile(1)! >= .milliseconds(10))
    }
}
