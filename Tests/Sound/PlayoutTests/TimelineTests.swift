import AudioCore
import Testing

@testable import Playout

@Suite(.timeLimit(.minutes(5))) struct TimelineTests {
    @Test(arguments: [0, 40, -35, 1_000, -1_000])
    func firstFrameIsPlacedToATenthOfAFrame(ppm: Double) {
        let rig = Rig(dac: VirtualDAC(ppm: ppm))
        rig.run(until: 1_002)
        let timeline = rig.play(at: 1_002.250_003_7)
        rig.run(until: 1_002.4)
        let start = Int64((2.250_003_7 * 48_000 * (1 + ppm * 1e-6)).rounded(.up))
        #expect(rig.output[0..<Int(start - 40) * 2].allSatisfy { $0 == 0 })
        for frame in stride(from: start + 40, to: start + 4_800, by: 480) {
            let error = rig.heardError(at: frame, on: timeline)
            #expect(abs(error) < 0.1 / 48_000, "\(error * 1e6) us")
        }
    }

    @Test(arguments: [40, -35, 1_000, -1_000])
    func staysOnTheTimelineForAMinute(ppm: Double) {
        let rig = Rig(dac: VirtualDAC(ppm: ppm))
        rig.run(until: 1_000.5)
        let timeline = rig.play(at: 1_000.75)
        let length = BuildMode.seconds(60, debug: 3)
        rig.run(until: 1_001 + length)
        var worst = 0.0
        for frame in stride(from: Int64(0.8 * 48_000), to: Int64(length * 48_000), by: 999) {
            worst = max(worst, abs(rig.heardError(at: frame, on: timeline)))
        }
        #expect(worst < 6e-6, "\(worst * 1e6) us")
        let snapshot = rig.control.snapshot
        #expect(abs(snapshot.dacRate.value - ppm) < BuildMode.seconds(0.1, debug: 1))
        #expect(abs(snapshot.correction.value) < BuildMode.seconds(0.5, debug: 3))
        #expect(snapshot.replacementCount == 0)
    }

    @Test func aColdStartIsInStep() {
        // The device was opened just before: the start is late, in the middle of the song.
        let rig = Rig(dac: VirtualDAC(ppm: 60))
        rig.tickSeconds = 0.002
        let timeline = rig.play(at: 999.9)
        rig.run(until: 1_000 + BuildMode.seconds(10, debug: 1))
        guard case .started(_, let frame, _, _)? = rig.events.first else {
            Issue.record("no start")
            return
        }
        #expect(frame.index < Int64(0.6 * 48_000), "first sound at frame \(frame.index)")
        var worst = 0.0
        for heard in stride(from: frame.index + 240, to: rig.written, by: 333) {
            worst = max(worst, abs(rig.heardError(at: heard, on: timeline)))
        }
        #expect(worst < 25e-6, "\(worst * 1e6) us")
    }

    @Test func aRememberedRateAllowsAStartAfter150Milliseconds() {
        let rig = Rig(dac: VirtualDAC(ppm: 60), hint: 58)
        let timeline = rig.play(at: 999.9)
        rig.run(until: 1_000 + BuildMode.seconds(10, debug: 1))
        guard case .started(_, let frame, _, _)? = rig.events.first else {
            Issue.record("no start")
            return
        }
        #expect(frame.index < Int64(0.15 * 48_000) + rig.bufferFrames, "first sound at frame \(frame.index)")
        var worst = 0.0
        for heard in stride(from: frame.index + 240, to: rig.written, by: 333) {
            worst = max(worst, abs(rig.heardError(at: heard, on: timeline)))
        }
        #expect(worst < 15e-6, "\(worst * 1e6) us")
    }

    @Test func startedNamesTheFirstFrameAndItsInstant() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.run(until: 1_001)
        let timeline = rig.play(at: 1_001.25)
        rig.run(until: 1_001.4)
        guard case .started(let epoch, let frame, let host, let position)? = rig.events.first else {
            Issue.record("no start")
            return
        }
        #expect(epoch == Epoch(1))
        #expect((0..<1).contains(position.frames))
        #expect(abs(rig.wantedPosition(at: frame.index, on: timeline) - position.frames) < 0.2)
        #expect((host - timeline.host).magnitude < .microseconds(25))
    }

    @Test func theTimelinesOwnRateIsFollowed() {
        let rig = Rig(dac: VirtualDAC(ppm: -35))
        rig.run(until: 1_001)
        let timeline = rig.play(at: 1_001.25, ratePPM: 80)
        rig.run(until: 1_001 + BuildMode.seconds(20, debug: 2))
        var worst = 0.0
        for frame in stride(from: Int64(1.3 * 48_000), to: rig.written, by: 999) {
            worst = max(worst, abs(rig.heardError(at: frame, on: timeline)))
        }
        #expect(worst < 6e-6, "\(worst * 1e6) us")
    }

    @Test func revisedTimelinesAreFollowedWithoutReplacement() {
        let rig = Rig(dac: VirtualDAC(ppm: 20))
        rig.run(until: 1_001)
        var timeline = rig.play(at: 1_001.25)
        rig.run(until: 1_002)
        timeline.host += .microseconds(120)
        rig.control.setTimeline(timeline)
        rig.run(until: 1_002 + BuildMode.seconds(15, debug: 12))
        let error = rig.heardError(at: rig.written - 1, on: timeline)
        #expect(abs(error) < 4e-6, "\(error * 1e6) us")
        #expect(rig.control.snapshot.replacementCount == 0)
    }

    /// 10 ppm/s for 20 s after a placement, 0.5 ppm/s from then on; a second placement, forced at 30 s, begins anew.
    @Test func theStepNeverChangesFasterThanItMay() {
        let rig = Rig(dac: VirtualDAC(ppm: 30))
        rig.keepsOutput = false
        rig.run(until: 1_000.6)
        var timeline = rig.play(at: 1_000.85)
        var previous = PlayState()
        // By placement: before and after the forced one.
        var worstEarly = [0.0, 0]
        var worstSteady = [0.0, 0]
        rig.onTick = { rig in
            if rig.nextRandom() < 0.01 {
                timeline.host += .nanoseconds(Int64((rig.nextRandom() - 0.5) * 200_000))
                rig.control.setTimeline(timeline)
            }
            let state = rig.renderer.state
            let isSameSound = previous.mode == .sounding && previous.placement.frame == state.placement.frame
            if state.mode == .sounding, isSameSound, state.frame > previous.frame {
                let seconds = Double(state.frame - previous.frame) / 48_000
                let acceleration = abs(state.controller.step / previous.controller.step - 1) * 1e6 / seconds
                let placement = min(1, rig.control.snapshot.replacementCount)
                // In the turn in which the limit falls both are right.
                if previous.controller.age < 20 {
                    worstEarly[placement] = max(worstEarly[placement], acceleration)
                } else {
                    worstSteady[placement] = max(worstSteady[placement], acceleration)
                }
            }
            previous = state
        }
        rig.run(until: 1_000 + BuildMode.seconds(30, debug: 10))
        timeline.host += .milliseconds(20)
        rig.control.setTimeline(timeline)
        rig.run(until: 1_000 + BuildMode.seconds(120, debug: 25))
        #expect(rig.control.snapshot.timelineStepCount == 1)
        #expect(rig.control.snapshot.replacementCount == 1)
        for placement in 0...1 {
            #expect(worstEarly[placement] <= 10.01 && worstEarly[placement] > 5, "placement \(placement)")
            #expect(worstSteady[placement] <= 0.501, "placement \(placement)")
            if BuildMode.isOptimised { #expect(worstSteady[placement] > 0.25, "placement \(placement)") }
        }
    }
}
