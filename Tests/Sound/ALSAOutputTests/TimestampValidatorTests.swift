import AudioCore
import Testing

@testable import ALSADevices

@Suite(.timeLimit(.minutes(5))) struct TimestampValidatorTests {
    private static let clocks = [TimestampClock.monotonicRaw, .monotonic]

    private func time(_ microseconds: Int64) -> HostTime { HostTime(nanoseconds: microseconds * 1_000) }

    /// One reading that began at 100 s and took 20 us; the stamp is in microseconds against its beginning.
    private func instant(
        _ validator: inout TimestampValidator, stamped offset: Int64?, began: Int64 = 100_000_000, took: Int64 = 20
    ) -> ReadingInstant {
        // A clock that NTP disciplines stands elsewhere.
        let lead = validator.clock == .monotonic ? TimeSpan.seconds(7) : .zero
        let stamp = offset.map {
            DriverStamp(nanoseconds: (began + $0) * 1_000 - lead.nanoseconds, lead: lead)
        }
        return validator.instant(begin: time(began), end: time(began + took), stamp: stamp)
    }

    private func validator(_ clock: TimestampClock) -> TimestampValidator {
        TimestampValidator(clock: clock, period: .milliseconds(5))
    }

    @Test(arguments: clocks) func aStampOfTheLastPeriodIsBelieved(_ clock: TimestampClock) {
        for age in [1, 500, 4_999, 5_999] as [Int64] {
            var validator = validator(clock)
            let seen = instant(&validator, stamped: -age)
            #expect(seen == ReadingInstant(host: time(100_000_000 - age), isTimely: true, slack: .zero))
        }
    }

    @Test(arguments: clocks) func aStampMadeDuringTheReadingIsItsEnd(_ clock: TimestampClock) {
        for offset in [0, 1, 20] as [Int64] {
            var validator = validator(clock)
            let seen = instant(&validator, stamped: offset)
            #expect(seen == ReadingInstant(host: time(100_000_020), isTimely: true, slack: .microseconds(20)))
        }
    }

    /// Older than a period, of the future, of another clock (hours off), or none at all.
    @Test(arguments: [-6_001, -200_000, -3_600_000_000, 21, 200_000, 3_600_000_000, nil] as [Int64?])
    func aStampThatNoDriverMadeIsNotBelieved(_ offset: Int64?) {
        for clock in Self.clocks {
            var validator = validator(clock)
            #expect(instant(&validator, stamped: offset, began: 90_000_000_000).host == time(90_000_000_020))
        }
    }

    @Test func zeroesAndExtremesAreNoStamps() {
        for nanoseconds in [0, -1, .min, .max, 1] as [Int64] {
            for lead in [0, .min, .max] as [Int64] {
                var validator = validator(.monotonic)
                let stamp = DriverStamp(nanoseconds: nanoseconds, lead: TimeSpan(nanoseconds: lead))
                let seen = validator.instant(begin: time(100_000_000), end: time(100_000_020), stamp: stamp)
                #expect(seen.host == time(100_000_020))
            }
        }
    }

    @Test func withoutAClockNoStampCounts() {
        var validator = validator(.none)
        #expect(instant(&validator, stamped: -500).host == time(100_000_020))
    }

    @Test func aFrozenStampCountsOnce() {
        var validator = validator(.monotonicRaw)
        #expect(instant(&validator, stamped: -100).host == time(99_999_900))
        for later in 1..<5 as Range<Int64> {
            let began = 100_000_000 + later * 1_000
            #expect(instant(&validator, stamped: -100 - later * 1_000, began: began).host == time(began + 20))
        }
    }

    @Test func aDeviceThatStampsAsItReadsIsNotBelievedWhenItSlips() {
        var validator = validator(.monotonicRaw)
        for turn in 0..<1_000 as Range<Int64> {
            let began = 100_000_000 + turn * 1_000
            let slips = turn % 100 == 99
            #expect(instant(&validator, stamped: slips ? -5 - turn / 2 : 5, began: began).host == time(began + 20))
        }
    }

    @Test func aDeviceThatStampsItsPeriodsIsBelievedAlsoAfterAChance() {
        var validator = validator(.monotonicRaw)
        for turn in 0..<1_000 as Range<Int64> {
            let began = 100_000_000 + turn * 1_000
            let age = turn % 100 == 99 ? -5 : 300 + turn % 7
            #expect(instant(&validator, stamped: -age, began: began).host == time(age > 0 ? began - age : began + 20))
        }
    }

    @Test(arguments: [(999, true), (1_000, false), (40_000, false), (-1, false)] as [(Int64, Bool)])
    func aReadingThatTookTooLongIsNotTimely(took: Int64, isTimely: Bool) {
        for offset in [-100, 0, nil] as [Int64?] {
            var validator = validator(.monotonicRaw)
            #expect(instant(&validator, stamped: offset, took: took).isTimely == isTimely)
        }
    }

    // MARK: Interrupts

    /// A status that took 20 us of a card whose pointer has not moved since an interrupt of this age, in microseconds.
    private func instant(_ validator: inout TimestampValidator, interruptedAgo age: Int64, began: Int64) -> HostTime {
        let lead = validator.clock == .monotonic ? TimeSpan.seconds(7) : .zero
        func stamp(_ microseconds: Int64) -> DriverStamp {
            DriverStamp(nanoseconds: microseconds * 1_000 - lead.nanoseconds, lead: lead)
        }
        return validator.instant(
            begin: time(began), end: time(began + 20), stamp: stamp(began + 10), interrupt: stamp(began - age)
        ).host
    }

    /// Also where thousands of stamps were made during their readings.
    @Test(arguments: clocks) func anInterruptThatWokeUsIsTheInstant(_ clock: TimestampClock) {
        var validator = validator(clock)
        for turn in 0..<1_000 as Range<Int64> {
            let (began, age) = (100_000_000 + turn * 10_000, 20 + turn % 300)
            #expect(instant(&validator, interruptedAgo: age, began: began) == time(began - age))
        }
    }

    /// After it there would have been another.
    @Test(arguments: clocks) func anInterruptOfAPeriodBeforeIsNot(_ clock: TimestampClock) {
        for age in [6_001, 3_600_000_000, 0, -5] as [Int64] {
            var validator = validator(clock)
            #expect(instant(&validator, interruptedAgo: age, began: 9_000_000_000) == time(9_000_000_020))
        }
    }

    /// What the kernel noted last may be of our own status.
    @Test func whatTheStatusBeforeItNotedIsNoInterrupt() {
        var validator = validator(.monotonicRaw)
        _ = instant(&validator, interruptedAgo: 100, began: 100_000_000)
        #expect(instant(&validator, interruptedAgo: 990, began: 100_001_000) == time(100_001_020))
    }
}
