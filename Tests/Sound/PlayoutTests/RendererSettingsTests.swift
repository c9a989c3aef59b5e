import AudioCore
import Testing

@testable import Playout

/// What a listener's user sets while a song plays: volume, channel role and offset.
@Suite(.timeLimit(.minutes(5))) struct RendererSettingsTests {
    // MARK: Volume

    @Test func volumeGoesLinearlyAndStays() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        rig.run(until: 1_001)
        let from = rig.dac.pointer(at: rig.now)
        rig.control.setVolume(0.5, ramp: .milliseconds(100))
        rig.run(until: 1_001.3)
        // The device takes back what it holds: 5 ms until the loop looks, 5 ms of safety.
        #expect(abs(rig.level(from + 240) - 1) < 0.001)
        #expect(abs(rig.level(from + 480 + 2_400) - 0.75) < 0.03)
        #expect(abs(rig.level(from + 600 + 4_800) - 0.5) < 0.001)
        #expect(rig.roughestChange(in: from - 10..<from + 6_000) < 0.001)
        #expect(rig.control.snapshot.replacementCount == 0 && rig.control.snapshot.underrunCount == 0)
    }

    @Test func aChangedVolumeMovesNothing() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        let timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_001)
        for percent in stride(from: 95, through: 50, by: -5) {
            rig.control.setVolume(Volume(percent: percent).gain, ramp: .milliseconds(50))
            rig.run(until: rig.now + 0.03)
        }
        rig.run(until: 1_002)
        #expect(abs(rig.level(rig.written - 1) - 0.125) < 0.001)
        expectTenth(rig.worstError(in: rig.written - 7_200..<rig.written, on: timeline))
        #expect(rig.events.count { if case .started = $0 { true } else { false } } == 1)
    }

    /// What lies in the device is silence, and the volume is not ramped into the sound behind it.
    @Test func whatBeginsAfterAChangeBeginsAtTheVolume() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        rig.run(until: 1_000.65)
        rig.control.setVolume(0.5, ramp: .milliseconds(200))
        rig.run(until: 1_001)
        let start = Int64(rig.dac.pointer(at: 1_000.75))
        #expect(abs(rig.level(start + 480) - 0.5) < 0.001)
    }

    @Test func aRenditionsGainIsAppliedToItAlone() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75, gain: 0.25)
        rig.run(until: 1_001.5)
        #expect(abs(rig.level(rig.written - 1) - 0.25) < 0.001)
        rig.control.setVolume(0.5, ramp: .zero)
        rig.run(until: 1_001.8)
        #expect(abs(rig.level(rig.written - 1) - 0.125) < 0.001)
        rig.play(epoch: 2, at: 1_002, gain: 1)
        rig.run(until: 1_002.5)
        #expect(abs(rig.level(rig.written - 1) - 0.5) < 0.001)
    }

    // MARK: Channel roles

    @Test func aRoleCrossFadesAndMovesNothing() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        rig.run(until: 1_001)
        let from = rig.dac.pointer(at: rig.now)
        rig.control.setRole(.left)
        rig.run(until: 1_001.2)
        let until = rig.dac.pointer(at: rig.now) - 480
        // Before: a quarter of a period between the two. Behind the cross-fade both are the left one.
        #expect(abs(rig.level(from + 200) - 1) < 0.001)
        for frame in from + 1_700..<until {
            let position = Double(rig.sample(frame, 0))
            #expect(position == Double(rig.sample(frame, 1)))
        }
        // No step is larger than the song's own, which goes on where it is due.
        let own = 2 * Double.pi / Song.period * Song.amplitude
        for frame in from..<until {
            for channel in 0..<2 {
                #expect(abs(Double(rig.sample(frame, channel) - rig.sample(frame - 1, channel))) < own * 1.05)
            }
        }
        let left = (from..<until).map { Double(rig.sample($0, 0)) }
        let back = (from - 4_800..<until - 4_800).map { Double(rig.sample($0, 0)) }
        #expect(zip(left, back).allSatisfy { abs($0 - $1) < 0.005 })
        rig.control.setRole(.stereo)
        rig.run(until: 1_001.5)
        #expect(abs(rig.level(rig.written - 1) - 1) < 0.001)
        #expect(rig.control.snapshot.replacementCount == 0)
    }

    @Test func rolesThatFollowEachOtherQuicklyEndAtTheLast() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.control.setRole(.mono)
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        rig.run(until: 1_001)
        #expect(rig.sample(rig.written - 1, 0) == rig.sample(rig.written - 1, 1))
        for role in [ChannelRole.left, .channel(2), .stereo, .channel(3), .right] {
            rig.control.setRole(role)
            rig.run(until: rig.now + 0.007)
        }
        let reference = Rig(dac: VirtualDAC(ppm: 10))
        reference.run(until: 1_000.5)
        reference.play(at: 1_000.75)
        rig.run(until: 1_001.5)
        reference.run(until: 1_001.5)
        for frame in min(rig.written, reference.written) - 4_800..<min(rig.written, reference.written) {
            #expect(rig.sample(frame, 0) == rig.sample(frame, 1))
            #expect(abs(rig.sample(frame, 0) - reference.sample(frame, 1)) < 0.01)
        }
    }

    // MARK: Offset

    /// What a listener does when its user shifts it: the sound is where it is due by the new offset, at once.
    @Test(arguments: [-0.02, -0.000_3, 0.000_3, 0.02]) func aShiftedTimelineIsHeardAtOnceWithoutAClick(shift: Double) {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.run(until: 1_000.5)
        var timeline = rig.play(at: 1_000.75)
        rig.run(until: 1_001.5)
        let from = rig.dac.pointer(at: rig.now)
        rig.control.hold(fade: .milliseconds(15))
        timeline.host += TimeSpan(seconds: shift)
        rig.control.setTimeline(timeline)
        rig.run(until: 1_002)
        // 5 ms until the loop looks, 5 ms of safety, 10 ms of fade, 5 ms of fade.
        expectTenth(rig.worstError(in: from + 1_300..<rig.written, on: timeline))
        let own = 2 * Double.pi / Song.period * Song.amplitude
        for frame in from..<rig.written {
            for channel in 0..<2 {
                #expect(abs(Double(rig.sample(frame, channel) - rig.sample(frame - 1, channel))) < own * 1.05)
            }
        }
        #expect(rig.control.snapshot.replacementCount == 0 && rig.control.snapshot.underrunCount == 0)
    }

    @Test func muteIsSilenceAndUnmuteRestoresTheVolume() {
        let rig = Rig(dac: VirtualDAC(ppm: 10))
        rig.control.setVolume(0.5, ramp: .zero)
        rig.run(until: 1_000.5)
        rig.play(at: 1_000.75)
        rig.run(until: 1_001)
        rig.control.setMuted(true)
        rig.run(until: 1_001.3)
        #expect(rig.sample(rig.written - 1) == 0 && rig.sample(rig.written - 13) == 0)
        rig.control.setMuted(false)
        rig.run(until: 1_001.6)
        #expect(abs(rig.level(rig.written - 1) - 0.5) < 0.001)
    }
}
