import AudioCore
import Testing

@testable import Playout

/// What becomes of a timeline: joins, ends, rewinding, trouble.
@Suite(.timeLimit(.minutes(5))) struct RendererTests {
    private func replacements(_ rig: Rig) -> [ReplacementCause] {
        rig.events.compactMap { if case .replaced(_, let cause, _, _) = $0 { cause } else { nil } }
    }

    /// Where the newest re-placement was; 0 if there was none.
    private func placedFrame(_ rig: Rig) -> Int64 {
        rig.events.reduce(0) { if case .replaced(_, _, let frame, _) = $1 { frame.index } else { $0 } }
    }

    // MARK: Transparency

    @Test func emittedSamplesAreTheIdealOnes() {
        let rig = Rig(dac: VirtualDAC(ppm: 40), channels: 4)
        rig.run(until: 1_000.5)
        let timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_001 + BuildMode.seconds(10, debug: 0.5))
        var worst = 0.0
        for frame in Int64(0.76 * 48_000)..<rig.written {
            let position = rig.heardPosition(at: frame, near: rig.wantedPosition(at: frame, on: timeline))
            worst = max(worst, abs(Double(rig.sample(frame, 2)) - Song.chord(at: position)))
        }
        #expect(decibels(worst) < -100, "\(decibels(worst)) dB")
    }

    @Test func equalClocksCopyBitsFromTheFirstFrameToTheLast() {
        // A virtual card: exact timestamps, no ppm, the start on a whole frame.
        let rig = Rig(dac: VirtualDAC())
        rig.tickSeconds = 0.01
        rig.makeSample = { position, channel in sine(position * 12.9898 + Double(channel)) }
        rig.songEnd = 30_000
        func step() {
            rig.renderer.note(
                DeviceClockReading(
                    frame: DeviceFrame(index: max(0, rig.written - 7_200)),
                    host: HostTime(nanoseconds: (max(0, rig.written - 7_200)) * 62_500 / 3 + 1_000_000_000_000)))
            rig.decode()
            rig.render(480)
            rig.control.takeEvents { rig.events.append($0) }
        }
        for _ in 0..<60 { step() }
        rig.play(at: 1_001)
        rig.control.finish(at: FramePosition(30_000), epoch: Epoch(1))
        for _ in 0..<140 { step() }
        for frame in 0..<Int64(30_000) {
            for channel in 0..<2 {
                let expected = Float(sine(Double(frame) * 12.9898 + Double(channel)))
                if rig.sample(48_000 + frame, channel) != expected {
                    Issue.record("frame \(frame) differs")
                    return
                }
            }
        }
        #expect(rig.sample(47_999) == 0 && rig.sample(78_000) == 0)
        #expect(rig.events.contains(.finished(epoch: Epoch(1))))
    }

    @Test func theFirstFrameEntersWithoutAFade() {
        let rig = Rig(dac: VirtualDAC(ppm: 25))
        rig.makeSample = { _, _ in 0.5 }
        rig.run(until: 1_001)
        rig.play(at: 1_001.25)
        rig.run(until: 1_001.4)
        let start = Int64((1.25 * 48_000 * (1 + 25e-6)).rounded(.up))
        // The step of a filter with 64 taps: settled to a part in a thousand after 30 frames.
        #expect(abs(rig.sample(start - 40)) < 1e-6)
        #expect(rig.sample(start + 2) > 0.4)
        #expect(abs(rig.sample(start + 40) - 0.5) < 1e-4)
    }

    // MARK: Joining and leaving

    @Test func joiningInTheMiddleFadesInOverFiveMilliseconds() {
        let rig = Rig(dac: VirtualDAC(ppm: 25))
        rig.run(until: 1_001)
        let timeline = rig.play(first: 100_000, at: 1_001.25, fadesIn: true)
        rig.run(until: 1_001.5)
        let start = Int64((1.25 * 48_000 * (1 + 25e-6)).rounded(.up))
        #expect(rig.level(start) < 0.001)
        #expect(abs(rig.level(start + 120) - 0.5) < 0.05)
        #expect(abs(rig.level(start + 240) - 1) < 0.001)
        #expect(rig.roughestChange(in: start - 50..<start + 300) < 0.01)
        expectTenth(rig.worstError(in: start + 240..<start + 4_800, on: timeline))
    }

    @Test func finishPlaysToTheLastFrameAndTellsWhenItWasHeard() {
        let rig = Rig(dac: VirtualDAC(ppm: -35))
        rig.makeSample = { position, _ in position == 23_999 ? 1 : 0 }
        rig.songEnd = 24_000
        rig.run(until: 1_001)
        rig.play(at: 1_001.25)
        rig.control.finish(at: FramePosition(24_000), epoch: Epoch(1))
        let last = rig.dac.seconds(of: 0) + 1.25 + 23_999 / 48_000.0
        while !rig.events.contains(.finished(epoch: Epoch(1))), rig.now < 1_003 { rig.tick() }
        #expect(rig.now >= last && rig.now < last + 0.02)
        let lastFrame = Int64((1.25 + 23_999 / 48_000.0) * 48_000 * (1 - 35e-6))
        let energy = (lastFrame - 40...lastFrame + 40).reduce(0.0) {
            $0 + Double(rig.sample($1)) * Double(rig.sample($1))
        }
        #expect(abs(energy - 1) < 0.1)
        #expect(rig.control.snapshot.underrunCount == 0)
        #expect(rig.control.snapshot.state == .finished)
    }

    @Test func stopFadesOutAsSoonAsTheDeviceGivesFramesBack() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        rig.run(until: 1_001.5)
        let heard = rig.dac.pointer(at: rig.now)
        rig.control.stop(fade: .milliseconds(20))
        rig.run(until: 1_001.9)
        // 5 ms until the loop looks, 5 ms of safety, 20 ms of fade.
        #expect(rig.level(heard + 240) > 0.99)
        #expect((heard + 1_500..<rig.written).allSatisfy { rig.sample($0) == 0 })
        #expect(rig.roughestChange(in: heard..<heard + 2_000) < 0.004)
        #expect(rig.events.contains(.stopped(epoch: Epoch(1))))
        #expect(rig.events.contains(.retired(epoch: Epoch(1))))
        #expect(rig.control.snapshot.state == .idle)
    }

    @Test func whatIsHeldIsSilentUntilItsTimelineComesAndThenWhereItIsDue() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        var timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_001.5)
        let heard = rig.dac.pointer(at: rig.now)
        rig.control.hold(fade: .milliseconds(15))
        rig.run(until: 1_001.7)
        // 5 ms until the loop looks, 5 ms of safety, 15 ms of fade.
        #expect((heard + 1_260..<rig.written).allSatisfy { rig.sample($0) == 0 })
        #expect(rig.roughestChange(in: heard..<heard + 2_000) < 0.004)
        #expect(!rig.events.contains(.retired(epoch: Epoch(1))))
        // It slept for 0.3 s: of the second that is held the rest is there still.
        timeline.host += .milliseconds(-300)
        let placed = rig.written
        rig.control.setTimeline(timeline)
        rig.run(until: 1_002.5)
        let late = rig.dac.pointer(at: 1_002.3)
        for frame in stride(from: late, to: late + 4_800, by: 480) {
            let wanted = rig.wantedPosition(at: frame, on: timeline)
            #expect(abs(rig.heardPosition(at: frame, near: wanted) - wanted) < 0.1)
        }
        #expect(rig.level(late) > 0.99)
        #expect(rig.roughestChange(in: heard..<placed + 9_600) < 0.01)
        #expect(replacements(rig).isEmpty)
        #expect(rig.control.snapshot.underrunCount == 0)
        rig.control.stop(fade: .milliseconds(10))
        rig.run(until: 1_003)
        #expect(rig.events.count { $0 == .retired(epoch: Epoch(1)) } == 1)
    }

    @Test func whatIsLetGoWhileHeldIsRetiredOnce() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        var timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_001.5)
        rig.control.hold(fade: .milliseconds(15))
        timeline.host += .milliseconds(-100)
        rig.control.setTimeline(timeline)
        rig.control.hold(fade: .milliseconds(15))
        rig.run(until: 1_002.2)
        #expect(!rig.events.contains(.retired(epoch: Epoch(1))))
        rig.control.stop(fade: .milliseconds(10))
        rig.run(until: 1_002.3)
        #expect(rig.events.count { $0 == .retired(epoch: Epoch(1)) } == 1)
    }

    @Test func stopWithoutRewindingFadesAfterWhatTheDeviceHolds() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        rig.run(until: 1_001.5)
        let written = rig.written
        rig.control.stop(fade: .milliseconds(10))
        rig.render(960)
        #expect(rig.level(written) > 0.99)
        #expect((written + 490..<rig.written).allSatisfy { rig.sample($0) == 0 })
    }

    @Test func aNewEpochReplacesTheOldOneAndStartsAtItsInstant() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        rig.run(until: 1_002)
        let heard = rig.dac.pointer(at: rig.now)
        let timeline = rig.play(epoch: 2, at: 1_002.2)
        rig.run(until: 1_002.6)
        let start = Int64((2.2 * 48_000 * (1 + 40e-6)).rounded(.up))
        #expect((heard + 1_100..<start - 40).allSatisfy { rig.sample($0) == 0 })
        expectTenth(rig.worstError(in: start + 40..<start + 4_800, on: timeline))
        #expect(rig.events.contains(.retired(epoch: Epoch(1))))
        #expect(!rig.events.contains(.retired(epoch: Epoch(2))))
        #expect(rig.control.snapshot.epoch == Epoch(2))
    }

    @Test func aStartThatIsDueBeforeTheBufferEndsIsPlacedByRewinding() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.run(until: 1_001)
        let timeline = rig.play(at: 1_001.05)
        rig.run(until: 1_001.4)
        let start = Int64((1.05 * 48_000 * (1 + 40e-6)).rounded(.up))
        expectTenth(rig.worstError(in: start + 40..<start + 4_800, on: timeline))
    }

    // MARK: Rewinding

    /// Silence is planned a little beyond what is rendered, and the filter begins before the first frame.
    @Test func aStartThatIsDueWhereThePlanEndsIsExact() {
        for ahead in stride(from: Int64(-200), to: 400, by: 8) {
            let rig = Rig(dac: VirtualDAC(ppm: 25))
            rig.makeSample = { _, _ in 0.5 }
            rig.run(until: 1_001)
            let start = rig.written + ahead
            rig.play(at: rig.dac.seconds(of: Double(start)))
            rig.run(until: 1_001.4)
            #expect(abs(rig.sample(start - 40)) < 1e-6, "\(ahead)")
            #expect(rig.sample(start + 2) > 0.4, "\(ahead)")
            #expect(abs(rig.sample(start + 40) - 0.5) < 1e-4, "\(ahead)")
        }
    }

    @Test func rewindingRendersTheSameSamplesAgain() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.run(until: 1_000.5)
        rig.play(first: 5_000, at: 1_000.75, fadesIn: true)
        rig.run(until: 1_000.72)
        // Across the fade in, at odd places.
        for back in [7_200, 1, 255, 3_333, 6_000] as [Int64] {
            rig.run(until: rig.now + 0.02)
            let before = Array(rig.output.suffix(Int(back) * 2))
            let end = rig.written
            rig.rewind(to: end - back)
            while rig.written < end { rig.render(min(end - rig.written, 97)) }
            #expect(Array(rig.output.suffix(Int(back) * 2)) == before)
        }
    }

    @Test func rewindingBeyondTheHistoryPlacesAnew() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.run(until: 1_000.5)
        let timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_002)
        rig.rewind(to: rig.written - 20_000)
        rig.render(20_000)
        #expect(rig.output.allSatisfy { $0.isFinite })
        let placed = rig.written
        rig.run(until: 1_002.5)
        expectTenth(rig.worstError(in: placed..<rig.written, on: timeline))
    }

    // MARK: Trouble

    @Test func anUnderrunFadesAndComesBackInPlace() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.decoderStop = 30_000
        rig.run(until: 1_000.5)
        let timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_001.6)
        #expect(rig.control.snapshot.state == .starved)
        rig.decoderStop = .max
        rig.run(until: 1_002.2)
        let dry = Int64((0.75 * 48_000 + 30_000) * (1 + 40e-6))
        #expect(rig.level(dry - 800) > 0.99)
        #expect(rig.roughestChange(in: dry - 900..<rig.written) < 0.01)
        #expect(rig.control.snapshot.underrunCount == 1)
        #expect(replacements(rig) == [.underrun])
        let back = (dry + 480..<rig.written).first { rig.level($0) > 0.99 } ?? rig.written
        #expect(back < rig.written - 4_800)
        expectTenth(rig.worstError(in: back..<rig.written, on: timeline))
    }

    @Test func anXrunIsPlacedAnewExactly() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.run(until: 1_000.5)
        let timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_003)
        // The loop was asleep for 300 ms; the device begins again with the next frame written.
        rig.now += 0.3
        rig.dac.origin += rig.now - rig.dac.seconds(of: Double(rig.written))
        rig.renderer.deviceDidRestart(at: DeviceFrame(index: rig.written))
        let restart = rig.written
        rig.run(until: rig.now + 0.6)
        let sound = (restart..<rig.written).first { rig.sample($0) != 0 } ?? 0
        #expect(sound > restart && sound < restart + 14_400)
        // The clock is known for some tens of milliseconds only when the sound is placed: the bound says how well.
        let bound = rig.boundAtReplacement
        #expect(bound < 40e-6)
        let worst = rig.worstError(in: sound + 10..<rig.written, on: timeline)
        #expect(worst < bound, "\(worst * 1e6) us, bound \(bound * 1e6) us")
        #expect(rig.roughestChange(in: restart..<rig.written) < 0.01)
        rig.run(until: rig.now + 5)
        expectTenth(rig.worstError(in: rig.written - 48_000..<rig.written, on: timeline))
        #expect(replacements(rig) == [.deviceRestart])
        #expect(rig.control.snapshot.xrunCount == 1)
        #expect(rig.events.contains(.xrun(frame: DeviceFrame(index: restart))))
    }

    @Test func aStepOfTheTimelineIsOneFadedReplacement() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.run(until: 1_000.5)
        var timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_002)
        timeline.host += .milliseconds(7)
        rig.control.setTimeline(timeline)
        rig.run(until: 1_003)
        #expect(replacements(rig) == [.timelineStep])
        #expect(rig.control.snapshot.timelineStepCount == 1)
        let placed = placedFrame(rig)
        #expect(placed > 0 && placed < rig.written - 24_000)
        expectTenth(rig.worstError(in: placed + 240..<rig.written, on: timeline))
        #expect(rig.roughestChange(in: 90_000..<rig.written) < 0.01)
    }

    @Test func aStepOfTheDACIsOneFadedReplacement() {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.run(until: 1_000.5)
        let timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_003)
        rig.dac.origin += 0.004
        rig.run(until: 1_005)
        #expect(replacements(rig) == [.deviceClockStep])
        let (placed, bound) = (placedFrame(rig), rig.boundAtReplacement)
        let worst = rig.worstError(in: placed + 240..<rig.written, on: timeline)
        #expect(bound < 40e-6)
        #expect(worst < bound, "\(worst * 1e6) us, bound \(bound * 1e6) us")
        rig.run(until: 1_010)
        expectTenth(rig.worstError(in: rig.written - 48_000..<rig.written, on: timeline))
    }

    @Test func nonsenseTimelinesAreSilence() {
        let rig = Rig(dac: VirtualDAC())
        rig.run(until: 1_000.5)
        for (host, rate) in [
            (Int64.max, 48_000.0), (.min, 48_000), (0, .infinity), (0, 1e300), (0, -1), (0, 24_000),
        ] {
            var timeline = rig.play(at: 1_000.75)
            timeline.host = HostTime(nanoseconds: host)
            timeline.framesPerSecond = rate
            rig.control.setTimeline(timeline)
            rig.run(until: rig.now + 0.1)
        }
        #expect(rig.output.allSatisfy { $0.isFinite })
    }

    // MARK: Lifetimes

    @Test func renditionsLiveUntilTheRendererHasPassedThem() {
        let rig = Rig(dac: VirtualDAC())
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        weak let first = rig.rendition
        rig.run(until: 1_001)
        rig.play(epoch: 2, at: 1_001.25)
        #expect(first != nil)
        rig.run(until: 1_001.6)
        #expect(first == nil)
    }

    @Test func aNewDeviceTakesUpWhatPlays() {
        let control = PlayoutControl()
        let rendition = Rendition(epoch: Epoch(7), sampleRate: 48_000, channelCount: 1, capacity: 48_000)
        let song = [Float](repeating: 0.5, count: 48_000)
        song.withUnsafeBufferPointer { _ = rendition.ring.write($0) }
        control.setTimeline(
            HostTimeline(
                epoch: Epoch(7), host: HostTime(nanoseconds: 200_000_000), frame: .zero, framesPerSecond: 48_000))
        control.play(rendition)
        var renderer = Renderer(control: control, deviceRate: 96_000, channels: 2, maximumFrameCount: 4_800)
        for rate in [48_000.0, 44_100] {
            renderer = Renderer(control: control, deviceRate: rate, channels: 2, maximumFrameCount: 4_800)
            var block = [Float](repeating: 0, count: 2 * Int(rate / 100))
            for tick in 0..<60 {
                let frame = DeviceFrame(index: Int64(tick) * Int64(rate / 100))
                renderer.note(DeviceClockReading(frame: frame, host: HostTime(nanoseconds: Int64(tick) * 10_000_000)))
                block.withUnsafeMutableBufferPointer { renderer.render(into: $0, from: frame) }
            }
            #expect(block.allSatisfy { abs($0 - 0.5) < 1e-5 })
        }
    }
}
