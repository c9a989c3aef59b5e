import Testing

@testable import ALSADevices

@Suite(.timeLimit(.minutes(5))) struct WakeStaggerTests {
    @Test(arguments: [0, 1, .max] as [UInt64]) func everyOtherWakeComesAPeriodSooner(seed: UInt64) {
        var stagger = WakeStagger(seed: seed, period: 240, buffer: 7_200)
        let withheld = (0..<10_000).map { _ in stagger.withheld(of: 2_400) }
        #expect(withheld.allSatisfy { $0 == 0 || $0 == 240 })
        #expect((4_800...5_200).contains(withheld.count { $0 == 240 }))
    }

    /// Two loops that were woken at once part at once, and are together no more often than by chance.
    @Test func twoLoopsDoNotStayTogether() {
        var loops = (WakeStagger(seed: 1, period: 1, buffer: 30), WakeStagger(seed: 2, period: 1, buffer: 30))
        /// In periods, modulo the ten of a wake.
        var phase = 0
        var together = 0
        for _ in 0..<10_000 {
            phase += loops.0.withheld(of: 10) - loops.1.withheld(of: 10)
            if phase % 10 == 0 { together += 1 }
        }
        #expect((500...2_000).contains(together))
    }

    /// Something is written at each wake, or the device would wake the loop again at once.
    @Test func aPeriodIsAlwaysWritten() {
        var stagger = WakeStagger(seed: 3, period: 240, buffer: 7_200)
        #expect((0..<100).allSatisfy { _ in stagger.withheld(of: 479) == 0 })
    }

    /// A device of few long periods needs all of them.
    @Test func aLongPeriodIsNeverMissing() {
        var stagger = WakeStagger(seed: 4, period: 1_024, buffer: 15 * 1_024)
        #expect((0..<100).allSatisfy { _ in stagger.withheld(of: 4_096) == 0 })
    }
}
