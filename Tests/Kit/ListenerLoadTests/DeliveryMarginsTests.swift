import AudioCore
import ListenerLoad
import Testing

@Suite(.timeLimit(.minutes(5))) struct DeliveryMarginsTests {
    @Test func percentilesAreTrueToAMillisecond() {
        var margins = DeliveryMargins()
        #expect(margins.percentile(0.5) == nil && margins.least == nil)
        for milliseconds in Int64(0)..<1_000 { margins.add(.milliseconds(milliseconds)) }
        #expect(margins.count == 1_000)
        #expect(margins.percentile(0.01) == .milliseconds(9))
        #expect(margins.percentile(0.5) == .milliseconds(499))
        #expect(margins.percentile(1) == .milliseconds(999))
    }

    @Test func whatIsLateByLittleIsNotTakenForPunctual() {
        var margins = DeliveryMargins()
        margins.add(.nanoseconds(-1))
        #expect(margins.percentile(0.5) == .milliseconds(-1) && margins.least == .nanoseconds(-1))
        margins.add(.seconds(1_000_000))
        margins.add(.seconds(-1_000_000))
        #expect(margins.count == 3 && margins.least == .seconds(-1_000_000))
    }
}
