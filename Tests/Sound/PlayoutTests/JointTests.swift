import AudioCore
import Testing

@testable import Playout

/// One epoch follows another without a gap.
@Suite(.timeLimit(.minutes(5))) struct JointTests {
    private static let length: Int64 = 36_007
    /// When frame 0 of the first epoch is due, and the last epoch's last one about.
    private static let start = 1_000.75
    private static var joint: Double { start + Double(length) / 48_000 }

    /// 997 Hz at 48 kHz; the second channel is a quarter of a period ahead.
    private static func tone(_ position: Double, _ channel: Int) -> Double {
        0.5 * sine(2 * .pi * (position * 997 / 48_000 + Double(channel) / 4))
    }

    /// A tone of one epoch, or the same split into two.
    private func play(
        _ dac: VirtualDAC, isSplit: Bool, sample: @escaping (Double, Int) -> Double = tone,
        onTick: ((EpochRig) -> Void)? = nil
    ) -> EpochRig {
        let epochs = EpochRig(dac)
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        let offset = Double(Self.length)
        if isSplit {
            epochs.append(1, 0..<Self.length, at: Self.start, sample: sample)
            epochs.append(2, 0..<36_000, at: Self.joint) { sample($0 + offset, $1) }
        } else {
            epochs.append(1, 0..<Self.length + 36_000, at: Self.start, sample: sample)
        }
        let decode = rig.onTick
        rig.onTick = { rig in
            decode?(rig)
            onTick?(epochs)
        }
        rig.run(until: 1_002.5)
        return epochs
    }

    private func expectUnsplit(
        _ split: EpochRig, _ whole: EpochRig, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let end = min(split.rig.written, whole.rig.written)
        let difference = greatestDifference(split.rig, whole.rig, in: 30_000..<end)
        // The rate is corrected in other steps: 5 ns.
        #expect(decibels(difference) < -95, "\(decibels(difference)) dB", sourceLocation: sourceLocation)
        #expect(
            split.ends == [.finished(epoch: Epoch(1)), .finished(epoch: Epoch(2))], sourceLocation: sourceLocation)
        #expect(split.starts == [1, 2], sourceLocation: sourceLocation)
        #expect(split.rig.control.snapshot.replacementCount == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: [0.0, 40, -75]) func aSplitToneSoundsLikeTheWholeOne(ppm: Double) {
        let split = play(VirtualDAC(ppm: ppm), isSplit: true)
        expectUnsplit(split, play(VirtualDAC(ppm: ppm), isSplit: false))
        // The first epoch is no longer needed.
        #expect(split.rig.events.contains(.retired(epoch: Epoch(1))))
        #expect(!split.rig.control.holds(Epoch(1)))
    }

    /// Too late for a joint, and sooner than the next piece of the plan.
    @Test(arguments: [60, 100, 140, 180, 220, 260] as [Int64])
    func aSongThatIsDueShortlyAfterAnotherBeginsAtItsBeginning(pause: Int64) {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        epochs.rig.run(until: 1_000.5)
        epochs.append(1, 0..<36_000, at: 1_000.75, sample: Song.sample)
        epochs.append(2, 0..<96_000, at: 1_000.75 + Double(36_000 + pause) / 48_000, sample: Song.sample)
        epochs.rig.run(until: 1_002)
        let starts = epochs.rig.events.compactMap { event -> Double? in
            if case .started(Epoch(2), _, _, let position) = event { position.frames } else { nil }
        }
        #expect(starts.count == 1 && starts.allSatisfy { $0 < 2 }, "\(starts)")
    }

    @Test func theStartOfAnEpochIsToldWithItsInstant() {
        let split = play(VirtualDAC(ppm: 40), isSplit: true)
        for case .started(Epoch(2), let frame, let host, let position) in split.rig.events {
            #expect(abs(Double(frame.index) - split.deviceFrame(at: Self.joint)) < 2)
            #expect(abs(Double(host.nanoseconds) * 1e-9 - Self.joint) < 50e-6)
            #expect(position.frames >= -0.1 && position.frames < 1.1)
        }
    }

    @Test func atEqualRatesTheJointIsACopyOfTheBits() {
        // A virtual card: exact timestamps, no ppm, the start on a whole frame.
        let epochs = EpochRig(VirtualDAC())
        let rig = epochs.rig
        func song(_ offset: Double) -> (Double, Int) -> Double {
            { position, channel in sine((position + offset) * 12.9898 + Double(channel)) }
        }
        func step() {
            let frame = max(0, rig.written - 7_200)
            rig.renderer.note(
                DeviceClockReading(
                    frame: DeviceFrame(index: frame),
                    host: HostTime(nanoseconds: frame * 62_500 / 3 + 1_000_000_000_000)))
            rig.onTick?(rig)
            rig.render(480)
            rig.control.takeEvents { rig.events.append($0) }
        }
        for _ in 0..<60 { step() }
        // The second one is of a few milliseconds only.
        var (frame, number) = (Int64(0), UInt32(1))
        for length in [20_011, 111, 9_877] as [Int64] {
            epochs.append(number, 0..<length, at: 1_001 + Double(frame) / 48_000, sample: song(Double(frame)))
            frame += length
            number += 1
        }
        for _ in 0..<140 { step() }
        for frame in 0..<Int64(29_999) {
            for channel in 0..<2 where rig.sample(48_000 + frame, channel) != Float(song(0)(Double(frame), channel)) {
                Issue.record("frame \(frame) differs")
                return
            }
        }
        #expect(rig.sample(47_999) == 0 && rig.sample(77_999) == 0)
        #expect(epochs.ends == [1, 2, 3].map { .finished(epoch: Epoch($0)) })
    }

    // MARK: Other formats

    @Test func monoAndStereoJoin() {
        func tone(_ position: Double, _: Int) -> Double { Self.tone(position, 0) }
        let whole = play(VirtualDAC(ppm: 40), isSplit: false, sample: tone)
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        epochs.rig.run(until: 1_000.5)
        epochs.append(1, 0..<Self.length, channels: 1, at: Self.start, sample: tone)
        epochs.append(2, 0..<36_000, at: Self.joint) { tone($0 + Double(Self.length), $1) }
        epochs.rig.run(until: 1_002.5)
        expectUnsplit(epochs, whole)
    }

    /// What remains of the half second of sound around a frame without the tone, in each 10 ms.
    private func residuals(_ rig: Rig, around frame: Int64) -> [Double] {
        let cycles = 997 / (48_000 * (1 + rig.dac.ppm * 1e-6))
        return stride(from: frame - 12_240, to: frame + 12_000, by: 480).map { first in
            let samples: [Double] = (0..<480).map { Double(rig.sample(first + $0)) }
            // Least squares of a sine and a cosine.
            var (ss, cc, sc, sx, cx) = (0.0, 0.0, 0.0, 0.0, 0.0)
            for (index, sample) in samples.enumerated() {
                let angle = 2 * Double.pi * cycles * Double(index)
                let (s, c) = (sine(angle), sine(angle + .pi / 2))
                ss += s * s
                cc += c * c
                sc += s * c
                sx += s * sample
                cx += c * sample
            }
            let determinant = ss * cc - sc * sc
            let (a, b) = ((sx * cc - cx * sc) / determinant, (cx * ss - sx * sc) / determinant)
            let energy = samples.enumerated().reduce(0.0) { sum, sample in
                let angle = 2 * Double.pi * cycles * Double(sample.offset)
                let rest = sample.element - a * sine(angle) - b * sine(angle + .pi / 2)
                return sum + rest * rest
            }
            return (energy / 480).squareRoot()
        }
    }

    /// Where frames have another length, half of the difference is missing or too much at the joint. What the two
    /// filters do not have in common above 19 kHz is as much as 0.15 of a device frame.
    @Test(arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (96_000, 44_100)])
    func aToneGoesOnAtAnotherRate(rates: (Double, Double)) {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        let (first, second) = rates
        rig.run(until: 1_000.5)
        let length = Int64(first * 0.7501)
        let seconds = Double(length) / first
        epochs.append(1, 0..<length, rate: first, at: Self.start) { Self.tone($0 * 48_000 / first, $1) }
        epochs.append(2, 0..<Int64(second), rate: second, at: Self.start + seconds) {
            Self.tone(($0 / second + seconds) * 48_000, $1)
        }
        rig.run(until: 1_002.2)
        var residuals = residuals(rig, around: Int64(epochs.deviceFrame(at: Self.start + seconds)))
        let missing = abs(1 / first - 1 / second) / 2 * 48_000
        let atJoint = residuals.remove(at: 25)
        #expect(atJoint < 0.5 * (missing + 0.15) / 480.0.squareRoot(), "\(decibels(atJoint)) dB")
        #expect(decibels(residuals.max() ?? 1) < -95, "\(residuals.map { decibels($0).rounded() })")
        #expect(epochs.starts == [1, 2] && rig.control.snapshot.replacementCount == 0)
    }

    @Test(arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (96_000, 44_100)])
    func theTimelineIsKeptAtAnotherRate(rates: (Double, Double)) {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        let (first, second) = rates
        rig.run(until: 1_000.5)
        let length = Int64(first * 0.75)
        epochs.append(1, 0..<length, rate: first, at: Self.start) { Song.sample(at: $0 * 48_000 / first, channel: $1) }
        epochs.append(2, 0..<Int64(second), rate: second, at: Self.start + 0.75) {
            Song.sample(at: $0 * 48_000 / second, channel: $1)
        }
        rig.run(until: 1_002.2)
        let timeline = epochs.timeline(1, 0, at: Self.start)
        let joint = Int64(epochs.deviceFrame(at: Self.start + 0.75))
        for frame in stride(from: joint - 12_000, to: joint + 12_000, by: 7) where abs(frame - joint) > 40 {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6)
        }
    }

    // MARK: Rewinding

    @Test func rewindingOverTheJointRendersTheSameSamplesAgain() {
        var worst = 0
        var random: UInt64 = 1
        let split = play(
            VirtualDAC(ppm: 40), isSplit: true,
            onTick: { epochs in
                let rig = epochs.rig
                let joint = Int64(epochs.deviceFrame(at: Self.joint))
                guard (joint - 400..<joint + 7_800).contains(rig.written) else { return }
                // The rig's own numbers would change when the pointer is read.
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let back = Int64((random >> 33) % 7_000) + 1
                let before = Array(rig.output.suffix(Int(back) * 2))
                let end = rig.written
                rig.rewind(to: end - back)
                while rig.written < end { rig.render(min(end - rig.written, 97)) }
                if Array(rig.output.suffix(Int(back) * 2)) != before { worst += 1 }
            })
        #expect(worst == 0)
        expectUnsplit(split, play(VirtualDAC(ppm: 40), isSplit: false))
    }

    /// A command that has nothing to do with the sound has it planned anew, at frames before and after the joint.
    @Test(arguments: [-3_000, -300, -40, -20, -1, 0, 1, 20, 40, 300] as [Int64])
    func planningAnewAtTheJointChangesNothing(distance: Int64) {
        func play(isSplit: Bool) -> EpochRig {
            var isDone = false
            defer { #expect(isDone) }
            return self.play(
                VirtualDAC(ppm: 40), isSplit: isSplit,
                onTick: { epochs in
                    let rig = epochs.rig
                    let cut = Int64(epochs.deviceFrame(at: Self.joint)) + distance
                    guard !isDone, rig.written >= cut + 3_000 else { return }
                    isDone = true
                    let end = rig.written
                    rig.rewind(to: cut)
                    rig.renderer.isUrgent = true
                    rig.render(end - cut)
                })
        }
        expectUnsplit(play(isSplit: true), play(isSplit: false))
    }

    // MARK: Trouble

    @Test func anEpochThatComesLateIsJoinedInStep() {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        epochs.append(1, 0..<Self.length, at: Self.start, sample: Song.sample)
        rig.run(until: Self.joint + 0.3)
        #expect(rig.control.snapshot.state == .finished)
        let joined = rig.written
        epochs.append(2, 0..<96_000, at: Self.joint, sample: Song.sample)
        rig.run(until: Self.joint + 1)
        let joint = Int64(epochs.deviceFrame(at: Self.joint))
        #expect((joint + 100..<joined - 7_200).allSatisfy { rig.sample($0) == 0 })
        let timeline = epochs.timeline(2, 0, at: Self.joint)
        for frame in stride(from: joined + 2_400, to: rig.written, by: 480) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 3e-6)
        }
    }

    /// It comes while the silence behind its predecessor lies in the device already, and is not heard yet.
    @Test func anEpochThatComesJustInTimeJoinsWithoutAGap() {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        epochs.append(1, 0..<Self.length, at: Self.start, sample: Self.tone)
        rig.run(until: Self.joint - 0.08)
        epochs.append(2, 0..<36_000, at: Self.joint) { Self.tone($0 + Double(Self.length), $1) }
        rig.run(until: 1_002.5)
        expectUnsplit(epochs, play(VirtualDAC(ppm: 40), isSplit: false))
    }

    @Test func anEpochWithoutATimelineWaitsSilently() {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        epochs.append(1, 0..<Self.length, at: Self.start, sample: Song.sample)
        epochs.append(2, 0..<96_000, at: nil, sample: Song.sample)
        rig.run(until: Self.joint + 0.5)
        #expect(rig.control.snapshot.state == .waiting)
        let joint = Int64(epochs.deviceFrame(at: Self.joint))
        #expect((joint + 100..<rig.written).allSatisfy { rig.sample($0) == 0 })
        let timeline = epochs.timeline(2, 0, at: Self.joint + 0.8)
        rig.control.setTimeline(timeline)
        rig.run(until: Self.joint + 1.5)
        let start = Int64(epochs.deviceFrame(at: Self.joint + 0.8).rounded(.up))
        #expect(rig.sample(start - 60) == 0)
        // The start is placed like any other, without a fade.
        for frame in stride(from: start + 40, to: rig.written, by: 480) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6)
        }
    }

    @Test func anUnderrunAtTheJointHarmsOnlyTheEndThatIsMissing() {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        epochs.append(1, 0..<Self.length, at: Self.start, decodedTo: Self.length - 2_000, sample: Song.sample)
        epochs.append(2, 0..<36_000, at: Self.joint, sample: Song.sample)
        rig.run(until: 1_002.2)
        #expect(rig.control.snapshot.underrunCount == 1)
        #expect(epochs.starts == [1, 2])
        let timeline = epochs.timeline(2, 0, at: Self.joint)
        let joint = Int64(epochs.deviceFrame(at: Self.joint).rounded(.up))
        #expect((joint - 1_500..<joint - 40).allSatisfy { rig.sample($0) == 0 })
        for frame in stride(from: joint + 40, to: joint + 24_000, by: 480) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 2.1e-6)
        }
    }

    /// Both epochs lie in the device when it stops. When it goes on, the end of the first one is due still, or over.
    @Test(arguments: [-0.14, -0.08, -0.06, -0.02, -0.002, 0.002, 0.02])
    func anXrunAtTheJointGoesOnWithWhatIsDue(distance: Double) {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        epochs.append(1, 0..<Self.length, at: Self.start, sample: Song.sample)
        epochs.append(2, 0..<96_000, at: Self.joint) { Song.sample(at: $0 + Double(Self.length), channel: $1) }
        rig.run(until: Self.joint + distance)
        // What was written is lost; the device begins again with the next frame at once.
        rig.dac.origin += rig.now + 0.001 - rig.dac.seconds(of: Double(rig.written))
        rig.renderer.deviceDidRestart(at: DeviceFrame(index: rig.written))
        let restart = rig.written
        rig.run(until: Self.joint + 0.6)
        let sound = (restart..<rig.written).first { rig.sample($0) != 0 } ?? rig.written
        // The clock has to be known again.
        #expect(sound < restart + 4_800)
        #expect(epochs.starts == [1, 2])
        #expect(epochs.ends == [.finished(epoch: Epoch(1))])
        let timeline = epochs.timeline(1, 0, at: Self.start)
        for frame in stride(from: sound + 300, to: rig.written - 480, by: 48) {
            #expect(abs(rig.heardError(at: frame, on: timeline)) < 60e-6)
        }
    }

    // MARK: Many

    @Test func aThousandEpochsOfTwentyMilliseconds() {
        let epochs = EpochRig(VirtualDAC(ppm: 40))
        let rig = epochs.rig
        rig.run(until: 1_000.5)
        let length: Int64 = 960
        var next: UInt32 = 1
        func append() {
            while next <= 1_000 {
                let first = Int64(next - 1) * length
                let isTaken = epochs.append(
                    next, 0..<length, at: 1_000.75 + Double(first) / 48_000, decodedSpan: 0.05
                ) { Song.sample(at: $0 + Double(first), channel: $1) }
                guard isTaken else { return }
                next += 1
            }
        }
        append()
        #expect(next == 5)
        let decode = rig.onTick
        rig.onTick = { rig in
            append()
            decode?(rig)
        }
        rig.run(until: 1_021.5)
        #expect(epochs.starts == Array(1...1_000))
        #expect(epochs.ends == (1...1_000).map { .finished(epoch: Epoch($0)) })
        #expect(rig.control.snapshot.replacementCount == 0)
        let timeline = epochs.timeline(1, 0, at: 1_000.75)
        let start = Int64(epochs.deviceFrame(at: 1_000.75)) + 100
        var worst = 0.0
        for frame in start..<start + 959_000 { worst = max(worst, abs(rig.heardError(at: frame, on: timeline))) }
        #expect(worst < 2.1e-6, "\(worst * 1e6) us")
    }

    @Test func noMoreThanFourEpochsAreHeld() {
        let epochs = EpochRig(VirtualDAC())
        for number in 1...4 as ClosedRange<UInt32> {
            #expect(epochs.append(number, 0..<48_000, at: nil, sample: Song.sample))
        }
        #expect(!epochs.append(5, 0..<48_000, at: nil, sample: Song.sample))
        // An epoch that is not the newest is refused as well.
        let other = EpochRig(VirtualDAC())
        #expect(other.append(2, 0..<48_000, at: nil, sample: Song.sample))
        #expect(!other.append(1, 0..<48_000, at: nil, sample: Song.sample))
    }
}
