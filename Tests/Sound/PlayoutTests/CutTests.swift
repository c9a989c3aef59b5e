import AudioCore
import Testing

@testable import Playout

/// The sound of an epoch ends at a frame, and may go on with it later.
@Suite(.timeLimit(.minutes(5))) struct CutTests {
    private let start = 1_000.75

    /// An epoch that has sounded for a quarter of a second.
    private func play(ppm: Double = 40, givesBack: Bool = true) -> EpochRig {
        let epochs = EpochRig(VirtualDAC(ppm: ppm))
        epochs.rig.givesBack = givesBack
        epochs.rig.run(until: 1_000.5)
        epochs.append(1, 0..<480_000, at: start, sample: Song.sample)
        epochs.rig.run(until: 1_001)
        return epochs
    }

    private func instant(of frame: Int64) -> Double { start + Double(frame) / 48_000 }

    /// The first device frame at or behind an instant.
    private func frame(_ epochs: EpochRig, at seconds: Double) -> Int64 {
        Int64(epochs.deviceFrame(at: seconds).rounded(.up))
    }

    private func expectCut(
        _ epochs: EpochRig, at seconds: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (rig, cut) = (epochs.rig, frame(epochs, at: seconds))
        #expect(abs(rig.level(cut - 482) - 1) < 0.001, sourceLocation: sourceLocation)
        #expect(abs(rig.level(cut - 240) - 0.5) < 0.01, sourceLocation: sourceLocation)
        #expect(rig.level(cut - 20) > 0.002, sourceLocation: sourceLocation)
        #expect((cut + 1..<cut + 480).allSatisfy { rig.sample($0) == 0 }, sourceLocation: sourceLocation)
        let changes = (cut - 600..<cut + 100).map { abs(rig.level($0 + 1) - rig.level($0)) }
        #expect(changes.max() ?? 1 < 0.004, sourceLocation: sourceLocation)
    }

    /// From this instant on the sound fades in over 10 ms, in step with the timeline.
    private func expectResumed(
        _ epochs: EpochRig, at seconds: Double, on timeline: HostTimeline,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (rig, first) = (epochs.rig, frame(epochs, at: seconds))
        #expect((first - 400..<first - 1).allSatisfy { rig.sample($0) == 0 }, sourceLocation: sourceLocation)
        #expect(rig.level(first + 20) > 0.002, sourceLocation: sourceLocation)
        #expect(abs(rig.level(first + 240) - 0.5) < 0.01, sourceLocation: sourceLocation)
        #expect(abs(rig.level(first + 482) - 1) < 0.001, sourceLocation: sourceLocation)
        for frame in stride(from: first + 100, to: first + 9_600, by: 48) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [30_000, 30_001, 30_017, 13_440] as [Int64])
    func theSoundFadesOutAndEndsWithTheFrame(cut: Int64) {
        let epochs = play()
        epochs.cut(1, at: cut)
        epochs.rig.run(until: 1_002)
        expectCut(epochs, at: instant(of: cut))
        let rig = epochs.rig
        let end = frame(epochs, at: instant(of: cut))
        #expect((end + 1..<rig.written).allSatisfy { rig.sample($0) == 0 })
        #expect(epochs.ends == [.stopped(epoch: Epoch(1))])
        #expect(rig.control.snapshot.state == .waiting)
        #expect(rig.control.holds(Epoch(1)))
    }

    @Test func theEarlierOfTwoCutsHolds() {
        let epochs = play()
        epochs.cut(1, at: 40_000)
        epochs.rig.run(until: 1_001.1)
        epochs.cut(1, at: 30_000)
        epochs.cut(1, at: 35_000)
        epochs.rig.run(until: 1_002)
        expectCut(epochs, at: instant(of: 30_000))
        #expect(epochs.ends == [.stopped(epoch: Epoch(1))])
    }

    @Test func aCutThatComesLateFadesOutAsSoonAsTheDeviceAllows() {
        let epochs = play()
        let rig = epochs.rig
        let heard = rig.dac.pointer(at: rig.now)
        epochs.cut(1, at: 6_000)
        rig.run(until: 1_001.5)
        // 5 ms until the loop looks, 5 ms of safety, 5 ms of fade.
        #expect(rig.level(heard + 240) > 0.99)
        #expect((heard + 800..<rig.written).allSatisfy { rig.sample($0) == 0 })
        let changes = (heard..<heard + 1_000).map { abs(rig.level($0 + 1) - rig.level($0)) }
        #expect(changes.max() ?? 1 < 0.008)
        #expect(epochs.ends == [.stopped(epoch: Epoch(1))])
    }

    // MARK: Devices that keep what is written: 150 ms of it

    @Test func itIsToldWhatTheDeviceKeeps() {
        let held = play(givesBack: false).rig.control.snapshot.irrevocableSpan
        #expect(held >= .milliseconds(150) && held < .milliseconds(151), "\(held)")
        #expect(play().rig.control.snapshot.irrevocableSpan == .zero)
    }

    /// A sound server gives back what it has not taken over: 50 ms lie behind the buffer.
    @Test(arguments: [true, false]) func itIsToldWhatLiesBehindTheBuffer(givesBack: Bool) {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.givesBack = givesBack
        rig.bufferFrames += 2_400
        rig.run(until: 1_001)
        let held = rig.control.snapshot.irrevocableSpan - (givesBack ? .zero : .milliseconds(150))
        #expect(held > .milliseconds(49) && held < .milliseconds(51), "\(held)")
    }

    /// To a sound server another wake interval is another latency, and its clock moves.
    @Test(arguments: [(behind: Int64(0), mayWakeSeldom: true), (480, true), (2_400, false)])
    func onlyACardIsWokenSeldom(behind: Int64, mayWakeSeldom: Bool) {
        let rig = Rig(dac: VirtualDAC(ppm: 40))
        rig.keepsOutput = false
        rig.bufferFrames += behind
        let isSeldom = [1_010.0, 1_012].map { time in
            rig.run(until: time)
            return rig.renderer.mayWakeSeldom
        }
        #expect(isSeldom == [false, mayWakeSeldom])
    }

    /// Of a live source that is to be heard at once there is never more than a little; and a coarse pointer needs every
    /// wake.
    @Test(arguments: [(1, [false, true, false]), (240, [false, false, false])] as [(Int64, [Bool])])
    func oneRendersFarAheadOnlyWhereEnoughIsDecoded(burst: Int64, mayRender: [Bool]) {
        let rig = Rig(dac: VirtualDAC(burst: burst))
        rig.keepsOutput = false
        rig.decoderStop = 120_000
        rig.play(at: 1_000.5)
        let isAmple = [1_000.3, 1_002, 1_002.7].map { time in
            rig.run(until: time)
            return rig.renderer.mayRenderFarAhead
        }
        #expect(isAmple == mayRender)
        #expect(rig.control.snapshot.state == .playing)
    }

    /// A loop that does not fill the whole buffer says so.
    @Test func whatIsNotFilledIsNotKept() {
        let rig = Rig(dac: VirtualDAC())
        rig.givesBack = false
        rig.renderer.filledFrameCount = 4_800
        rig.render(480)
        #expect(rig.control.snapshot.irrevocableSpan == .milliseconds(100))
    }

    /// Before anything is known of its clock, that is its buffer.
    @Test func ofAnUnknownDeviceTheBufferIsTold() {
        let rig = Rig(dac: VirtualDAC())
        rig.givesBack = false
        rig.render(480)
        #expect(rig.control.snapshot.irrevocableSpan == .milliseconds(150))
    }

    /// As long before as the device holds, and the fade, and a turn of its loop.
    @Test func aCutThatAllowsForTheDeviceEndsAtItsFrame() {
        let epochs = play(givesBack: false)
        let cut = Int64(((epochs.rig.now + 0.167 - start) * 48_000).rounded())
        epochs.cut(1, at: cut)
        epochs.rig.run(until: 1_002)
        expectCut(epochs, at: instant(of: cut))
        #expect(epochs.ends == [.stopped(epoch: Epoch(1))])
    }

    /// What is written is heard; then the sound fades out, and comes back in step, whenever it is resumed.
    @Test(arguments: [0.05, 0.3]) func aDeviceThatHoldsMoreFallsSilentLateAndComesBackInStep(pause: Double) {
        let epochs = play(givesBack: false)
        let rig = epochs.rig
        let rendered = rig.written
        let cut = Int64(((rig.now + 0.02 - start) * 48_000).rounded())
        epochs.cut(1, at: cut)
        let seconds = instant(of: cut) + pause
        if pause > 0.2 { rig.run(until: seconds - 0.2) }
        let timeline = epochs.timeline(1, cut, at: seconds)
        rig.control.setTimeline(timeline)
        rig.run(until: seconds + 0.8)
        #expect((cut..<cut + 480).allSatisfy { abs(rig.level(frame(epochs, at: instant(of: $0))) - 1) < 0.001 })
        #expect(abs(rig.level(rendered - 1) - 1) < 0.001)
        // A turn of the loop, and the fade of 5 ms.
        let silent = rendered + 550
        let resumed = max(frame(epochs, at: seconds), silent)
        if pause > 0.2 { #expect((silent..<resumed - 1).allSatisfy { rig.sample($0) == 0 }) }
        let changes = (rendered - 100..<resumed + 1_000).map { abs(rig.level($0 + 1) - rig.level($0)) }
        #expect(changes.max() ?? 1 < 0.008)
        for frame in stride(from: resumed + 700, to: resumed + 20_000, by: 48) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6)
        }
        #expect(epochs.starts == [1, 1])
    }

    @Test func aDeviceThatHoldsMoreJoinsTheNextSongInTheMiddleInStep() {
        let epochs = play(givesBack: false)
        let rig = epochs.rig
        let rendered = rig.written
        let cut = Int64(((rig.now + 0.02 - start) * 48_000).rounded())
        epochs.cut(1, at: cut)
        let seconds = instant(of: cut) + 0.03
        epochs.append(2, 100_000..<400_000, at: seconds, sample: Song.sample)
        rig.run(until: seconds + 0.8)
        #expect(abs(rig.level(rendered - 1) - 1) < 0.001)
        let changes = (rendered - 100..<rendered + 2_000).map { abs(rig.level($0 + 1) - rig.level($0)) }
        #expect(changes.max() ?? 1 < 0.008)
        let timeline = epochs.timeline(2, 100_000, at: seconds)
        for frame in stride(from: rendered + 1_200, to: rendered + 20_000, by: 48) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6)
        }
        #expect(epochs.starts == [1, 2] && epochs.ends == [.stopped(epoch: Epoch(1))])
    }

    /// It begins behind what the device holds, and is cut before that. What was due until then is heard when it is
    /// resumed.
    @Test func whatACutLeavesOfASoundThatBeganLateIsHeardWhenItIsResumed() {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        rig.givesBack = false
        rig.run(until: start)
        epochs.append(1, 0..<480_000, at: start, sample: Song.sample)
        rig.run(until: start + 0.02)
        let cut = Int64(((rig.now + 0.08 - start) * 48_000).rounded())
        epochs.cut(1, at: cut)
        rig.run(until: 1_001.5)
        let timeline = epochs.timeline(1, cut, at: 1_002)
        rig.control.setTimeline(timeline)
        rig.run(until: 1_003)
        expectResumed(epochs, at: 1_002, on: timeline)
        #expect(epochs.starts == [1, 1])
    }

    // MARK: Resumed

    @Test(arguments: [0.05, 1.0]) func whatIsResumedGoesOnWithTheNextFrame(pause: Double) {
        let epochs = play()
        let cut: Int64 = 30_011
        epochs.cut(1, at: cut)
        // The shorter pause is over before the cut is heard.
        epochs.rig.run(until: instant(of: cut) + pause - 0.25)
        let seconds = instant(of: cut) + pause
        let timeline = epochs.timeline(1, cut, at: seconds)
        epochs.rig.control.setTimeline(timeline)
        epochs.rig.run(until: seconds + 0.5)
        expectCut(epochs, at: instant(of: cut))
        expectResumed(epochs, at: seconds, on: timeline)
        #expect(epochs.starts == [1, 1])
        #expect(!epochs.rig.events.contains(.retired(epoch: Epoch(1))))
        #expect(epochs.rig.control.snapshot.replacementCount == 0)
    }

    @Test func pausesFollowOneAnother() {
        let epochs = play()
        var seconds = start
        var from: Int64 = 0
        for cut in [30_000, 45_000, 60_001] as [Int64] {
            epochs.cut(1, at: cut)
            let end = seconds + Double(cut - from) / 48_000
            epochs.rig.run(until: end + 0.2)
            expectCut(epochs, at: end)
            (seconds, from) = (end + 0.5, cut)
            let timeline = epochs.timeline(1, cut, at: seconds)
            epochs.rig.control.setTimeline(timeline)
            epochs.rig.run(until: seconds + 0.25)
            expectResumed(epochs, at: seconds, on: timeline)
        }
    }

    /// A seek, or the next song.
    @Test func anAppendedEpochStartsAtItsInstantAndTheCutOneIsDropped() {
        let epochs = play()
        let rig = epochs.rig
        epochs.cut(1, at: 30_000)
        let seconds = instant(of: 30_000) + 0.1003
        epochs.append(2, 100_000..<400_000, at: seconds, sample: Song.sample)
        #expect(!rig.control.holds(Epoch(1)))
        rig.run(until: seconds + 0.6)
        expectCut(epochs, at: instant(of: 30_000))
        let timeline = epochs.timeline(2, 100_000, at: seconds)
        let first = frame(epochs, at: seconds)
        #expect((first - 400..<first - 40).allSatisfy { rig.sample($0) == 0 })
        for frame in stride(from: first + 40, to: first + 9_600, by: 48) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6)
        }
        #expect(epochs.starts == [1, 2])
        #expect(epochs.ends == [.stopped(epoch: Epoch(1))])
        #expect(rig.events.contains(.retired(epoch: Epoch(1))))
        // It is too late to resume.
        rig.control.setTimeline(epochs.timeline(1, 30_000, at: rig.now + 0.3))
        rig.run(until: rig.now + 0.5)
        #expect(epochs.starts == [1, 2])
    }

    /// What stood behind was to begin at the end.
    @Test func whatStandsBehindACutWaitsForANewTimeline() {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        epochs.append(1, 0..<36_000, at: start, sample: Song.sample)
        epochs.append(2, 0..<96_000, at: instant(of: 36_000), sample: Song.sample)
        // The joint is planned already.
        rig.run(until: instant(of: 36_000) - 0.08)
        epochs.cut(1, at: 35_000)
        rig.run(until: 1_002.5)
        expectCut(epochs, at: instant(of: 35_000))
        let end = frame(epochs, at: instant(of: 35_000))
        #expect((end + 1..<rig.written).allSatisfy { rig.sample($0) == 0 })
        #expect(epochs.ends == [.stopped(epoch: Epoch(1))])
        // Resumed, both sound as if nothing had been.
        let seconds = 1_003.0
        rig.control.setTimeline(epochs.timeline(1, 35_000, at: seconds))
        let joint = seconds + 1_000.0 / 48_000
        let timeline = epochs.timeline(2, 0, at: joint)
        rig.control.setTimeline(timeline)
        rig.run(until: 1_003.5)
        let first = frame(epochs, at: joint)
        for frame in stride(from: first - 500, to: first + 9_600, by: 1) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6)
        }
        #expect(epochs.ends == [.stopped(epoch: Epoch(1)), .finished(epoch: Epoch(1))])
    }

    /// The plan goes a piece beyond what is rendered: a song that is to begin there comes in time.
    @Test(arguments: Array(stride(from: 0, to: 256, by: 32))) func whatComesLateBehindACutBeginsAtItsBeginning(
        distance: Int64
    ) {
        let epochs = play()
        let rig = epochs.rig
        epochs.cut(1, at: 30_000)
        rig.run(until: instant(of: 30_000) - 0.06)
        let frame = Double(rig.written + distance)
        let seconds = rig.dac.origin + frame / (rig.dac.rate * (1 + rig.dac.ppm * 1e-6))
        epochs.append(2, 0..<96_000, at: seconds, sample: Song.sample)
        rig.run(until: seconds + 0.5)
        let start = rig.events.compactMap { event -> Double? in
            if case .started(Epoch(2), _, _, let position) = event { position.frames } else { nil }
        }
        #expect(start.count == 1 && start.allSatisfy { $0 < 2 }, "\(start)")
    }

    /// A song that is jumped to in a pause, and played later.
    @Test(arguments: [0, 20_000] as [Int64]) func whatWasCutBeforeItSoundedSoundsBehindACut(first: Int64) {
        let epochs = play()
        let rig = epochs.rig
        epochs.cut(1, at: 30_000)
        rig.run(until: 1_002)
        epochs.append(2, first..<first + 96_000, at: nil, sample: Song.sample)
        // The renderer knows of it.
        rig.run(until: 1_002.1)
        epochs.cut(2, at: first)
        rig.run(until: 1_002.3)
        let timeline = epochs.timeline(2, first, at: 1_002.6)
        rig.control.setTimeline(timeline)
        rig.run(until: 1_003.2)
        let begin = frame(epochs, at: 1_002.6)
        for frame in stride(from: begin + 40, to: begin + 9_600, by: 48) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6)
        }
        #expect(epochs.starts == [1, 2])
    }

    @Test func aCutBeforeTheSoundIsSilence() {
        let epochs = EpochRig(VirtualDAC())
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        epochs.append(1, 0..<48_000, at: start, sample: Song.sample)
        epochs.cut(1, at: 0)
        rig.run(until: 1_001.5)
        #expect((0..<rig.written).allSatisfy { rig.sample($0) == 0 })
        #expect(epochs.ends == [.stopped(epoch: Epoch(1))])
    }

    /// A hundred skips in a second: nothing is refused, and what is over is let go.
    @Test func skipsInQuickSuccessionLeaveNothingBehind() {
        let epochs = play()
        let rig = epochs.rig
        for number in 2...100 as ClosedRange<UInt32> {
            epochs.cut(number - 1, at: 480_000)
            #expect(epochs.append(number, 0..<96_000, at: rig.now + 0.2, sample: Song.sample))
            rig.run(until: rig.now + 0.01)
        }
        rig.run(until: rig.now + 0.8)
        #expect(rig.control.snapshot.epoch == Epoch(100) && rig.control.snapshot.state == .playing)
        for number in 1...99 as ClosedRange<UInt32> {
            #expect(rig.events.count { $0 == .retired(epoch: Epoch(number)) } == 1, "\(number)")
        }
    }
}
