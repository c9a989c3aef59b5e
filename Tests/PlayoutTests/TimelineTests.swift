import AudioCore
import Testing

@testable import Playout

@Suite struct TimelineTests {
    @Test(arguments: [0, 40, -35, 1_000, -1_000])
    func firstFrameIsPlacedToATenthOfAFrame(ppm: Double) {
        let rig = Rig(dac: VirtualDAC(ppm: ppm))
        rig.run(until: 1_002)
        let timeline = rig.play(at: 1_002.250_003_7)
        rig.run(until: 1_002.6)
        let start = Int64((2.250_003_7 * 48_000 * (1 + ppm * 1e-6)).rounded(.up))
        #expect(rig.output[0..<Int(start - 40) * 2].allSatisfy { $0 == 0 })
        for frame in stride(from: start + 64, to: start + 4_800, by: 480) {
            let error = rig.heardError(at: frame, on: timeline)
            #expect(abs(error) < 0.1 / 48_000, "\(error * 1e6) us")
        }
    }

    @Test(arguments: [40, -35, 1_000, -1_000])
    func staysOnTheTimelineForAMinute(ppm: Double) {
        let rig = Rig(dac: VirtualDAC(ppm: ppm))
        rig.run(until: 1_000.5)
        let timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_061)
        var worst = 0.0
        for frame in stride(from: Int64(0.8 * 48_000), to: 60 * 48_000, by: 999) {
            worst = max(worst, abs(rig.heardError(at: frame, on: timeline)))
        }
        #expect(worst < 6e-6, "\(worst * 1e6) us")
        let snapshot = rig.control.snapshot
        #expect(abs(snapshot.dacRate.value - ppm) < 0.1)
        #expect(abs(snapshot.correction.value) < 0.5)
        #expect(snapshot.replacementCount == 0)
    }
}
