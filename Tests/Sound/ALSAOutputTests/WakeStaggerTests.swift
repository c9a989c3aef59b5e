import Testing

@testable import ALSADevices

@Suite(.timeLimit(.minutes(5))) struct WakeStaggerTests {
    @Test(arguments: [0, 1, .max] as [UInt64]) func everyOtherWakeComesAPeriodSooner(seed: UInt64) {
        var stagger = WakeStagger(seed: seed)
        let withheld = (0..<10_000).map { _ in stagger.withheld(of: 2_400, period: 240) }
        #expect(withheld.allSatisfy { $0 == 0 || $0 == 240 })
        #expect((4_800...5_200).contains(withheld.count { $0 == 240 }))
    }

    /// Two loops that were woken at once part at once, and are together no more often than by chance.
    @Test func twoLoopsDoNotStayTogether() {
        var loops = (WakeStagger(seed: 1), WakeStagger(seed: 2))
        /// In periods, modulo the ten of a wake.
        var phase = 0
        var together = 0
        for _ in 0..<10_000 {
            phase += loops.0.withheld(of: 10, period: 1) - loops.1.withheld(of: 10, period: 1)
            if phase % 10 == 0 { together += 1 }
        }
        #expect((500...2_000).contains(together))
    }

    /// Something is written at each wake, or the device would wake the loop again at once.
    @Test func aPeriodIsAlwaysWritten() {
        var stagger = WakeStagger(seed: 3)
        #expect((0..<100).allSatisfy { _ in stagger.withheld(of: 479, period: 240) == 0 })
    }
}
