import Testing

@testable import ALSADevices

@Suite(.timeLimit(.minutes(5))) struct PCMPacesTests {
    /// Of 500 ms at 48 kHz, 150 are filled as long as that may have to be waited for.
    @Test func aDeviceThatGivesFramesBackIsFilledAndWakesSeldom() {
        let paces = PCMPaces(buffer: 24_000, period: 240, filled: 7_200, wake: 480, seldomWake: 2_400)
        #expect(paces[.frequent] == .init(filled: 7_200, wakeAt: 16_800 + 480))
        #expect(paces[.seldom] == .init(filled: 7_200, wakeAt: 16_800 + 2_400))
        #expect(paces[.deep] == .init(filled: 24_000, wakeAt: 19_200))
    }

    /// A wake finds at least half of what was filled, whatever the buffer is.
    @Test(arguments: [(1_024, 512), (4_096, 512), (8_192, 1_024), (8_192, 240), (96_000, 240)])
    func halfOfItLastsUntilTheLoopRuns(buffer: Int, period: Int) {
        let paces = PCMPaces(buffer: buffer, period: period, filled: 7_200, wake: 480, seldomWake: 4_800)
        for pace in [PCMPace.frequent, .seldom, .deep] {
            let marks = paces[pace]
            #expect(marks.filled <= buffer && marks.wakeAt < buffer)
            let left = buffer - marks.wakeAt
            #expect(left >= min(buffer, 7_200) / 2)
            #expect(marks.filled - left >= period)
        }
        #expect(paces[.deep].wakeAt == paces[.seldom].wakeAt)
    }

    /// What captures fills nothing, and wakes when a period is there.
    @Test func captureWakesAtAPeriod() {
        let paces = PCMPaces(buffer: 24_000, period: 480, filled: .max, wake: 0, seldomWake: 0)
        #expect(paces[.frequent].wakeAt == 480)
    }
}
