import AudioCore
import Testing

@testable import Playout

/// What is heard when a clock's rate, the card's or the broadcaster's, turns out to be another one while a song plays.
@Suite(.timeLimit(.minutes(5))) struct RateRevisionTests {
    /// The true error over 20 s from the revision on: its worst, and its worst from 3 s on, in seconds.
    private func revise(by ppm: Double, atAge age: Double) -> (worst: Double, late: Double, replacements: Int) {
        let rig = Rig(dac: VirtualDAC(ppm: 20))
        rig.run(until: 1_001)
        let first = rig.play(at: 1_001.25)
        let revisedAt = 1_001.25 + age
        rig.run(until: revisedAt)
        // The timeline goes on from where it is, at another rate.
        let revised = HostTimeline(
            epoch: first.epoch, host: HostTime(nanoseconds: Int64(revisedAt * 1e9)),
            frame: FramePosition(Int64(age * first.framesPerSecond)),
            framesPerSecond: first.framesPerSecond * (1 + ppm * 1e-6))
        rig.control.setTimeline(revised)
        let firstFrame = rig.written
        rig.run(until: revisedAt + 20)
        var (worst, late) = (0.0, 0.0)
        for frame in stride(from: firstFrame, to: rig.written, by: 48) {
            let error = abs(rig.heardError(at: frame, on: revised))
            worst = max(worst, error)
            if frame - firstFrame > 3 * 48_000 { late = max(late, error) }
        }
        let replacements = rig.events.count { if case .replaced = $0 { true } else { false } }
        return (worst, late, replacements)
    }

    @Test(arguments: [35.0, -58]) func anOldSoundFollowsARateThatComesRight(ppm: Double) {
        guard BuildMode.isOptimised else { return }
        let (worst, late, replacements) = revise(by: ppm, atAge: 30)
        print("\(ppm) ppm at the age of 30 s: \(worst * 1e6) us at worst, \(late * 1e6) us after 3 s")
        // What lies in the device already, 150 ms of it, is not taken back.
        #expect(worst < 60e-6, "\(worst * 1e6) us")
        #expect(late < 50e-6, "\(late * 1e6) us")
        #expect(replacements == 0)
    }

    @Test func aFirstRateOfARadioCostsNoPlacement() {
        guard BuildMode.isOptimised else { return }
        let (worst, late, replacements) = revise(by: 170, atAge: 1)
        print("170 ppm at the age of 1 s: \(worst * 1e6) us at worst, \(late * 1e6) us after 3 s")
        #expect(worst < 250e-6, "\(worst * 1e6) us")
        #expect(replacements == 0)
    }
}
