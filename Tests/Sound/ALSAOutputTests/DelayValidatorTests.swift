import AudioCore
import Testing

@testable import ALSADevices

@Suite(.timeLimit(.minutes(5))) struct DelayValidatorTests {
    private let start = HostTime(nanoseconds: 1_000_000_000)
    private let validator = DelayValidator(periodFrameCount: 240)

    /// A card's delay is what waits in its buffer and what the hardware holds; a pointer that moves in bursts lags.
    @Test(arguments: [7_200, 7_248, 60_000, 6_960, 6_720]) func whatACardTellsIsCredible(delay: Int) {
        var validator = validator
        let isCredible = validator.isCredible(delay: delay, waiting: 7_200, at: start)
        #expect(isCredible)
    }

    /// As PulseAudio's plugin does: full to the brim, and half of it would have been heard.
    @Test(arguments: [0, -100, 3_600, 6_719]) func aDelayOfLessThanWhatWaitsIsNot(delay: Int) {
        var validator = validator
        for second in 0...5 {
            let isCredible = validator.isCredible(delay: delay, waiting: 7_200, at: start + .seconds(Int64(second)))
            #expect(!isCredible)
        }
    }

    @Test func aDeviceThatNeverTellsBetterIsTakenAsItIs() {
        var validator = validator
        var isCredible = validator.isCredible(delay: 0, waiting: 7_200, at: start)
        #expect(!isCredible)
        isCredible = validator.isCredible(delay: 0, waiting: 7_200, at: start + .milliseconds(5_001))
        #expect(isCredible)
    }

    @Test func patienceBeginsAnewWithEveryCredibleDelay() {
        var validator = validator
        for second in 0..<20 {
            let time = start + .seconds(Int64(second))
            let isCredible = validator.isCredible(delay: second % 4 == 0 ? 7_300 : 0, waiting: 7_200, at: time)
            #expect(isCredible == (second % 4 == 0))
        }
    }
}
