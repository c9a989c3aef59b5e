import AudioCore
import StreamTestKit
import Testing

@testable import TuttiRuntime

/// What commands do to loudspeakers that may not be louder than a limit.
@Suite(.timeLimit(.minutes(5))) struct LimitedLoudspeakersTests {
    private func loudspeakers(_ volume: Int, highest: Int = 100, ceiling: Int? = nil) -> LimitedLoudspeakers {
        LimitedLoudspeakers(
            LoudspeakerSettings(volume: Volume(percent: volume)), highest: Volume(percent: highest),
            ceiling: VolumeCeiling(Volume(percent: ceiling ?? highest)))
    }

    /// Volume in force, and the one that is remembered.
    private func volumes(_ loudspeakers: LimitedLoudspeakers) -> [Int] {
        [loudspeakers.inForce.volume.percent, loudspeakers.remembered.volume.percent]
    }

    @Test func whatIsRememberedIsNotLoweredByTheLimit() {
        #expect(volumes(loudspeakers(80, highest: 50)) == [50, 80])
        #expect(volumes(loudspeakers(30, highest: 50)) == [30, 30])
    }

    @Test func aCommandForMoreIsOneForTheHighestVolume() {
        var some = loudspeakers(30, highest: 50)
        some.apply(.setVolume(.full))
        #expect(volumes(some) == [50, 50])
        some.apply(.setVolume(Volume(percent: 20)))
        #expect(volumes(some) == [20, 20])
    }

    @Test func aStepIsOneFromWhatIsHeard() {
        var some = loudspeakers(80, highest: 50)
        some.apply(.changeVolume(by: 5))
        #expect(volumes(some) == [50, 80])
        some.apply(.changeVolume(by: -5))
        #expect(volumes(some) == [45, 45])
        some.apply(.changeVolume(by: 20))
        #expect(volumes(some) == [50, 50])
        some.apply(.changeVolume(by: .max))
        #expect(volumes(some) == [50, 50])
    }

    @Test func afterQuietHoursTheyAreAsLoudAsToldLast() {
        var some = loudspeakers(80, highest: 60)
        some.limit(to: VolumeCeiling(Volume(percent: 20), hours: .quiet(until: nil)))
        #expect(volumes(some) == [20, 80])
        some.apply(.setVolume(Volume(percent: 40)))
        #expect(volumes(some) == [20, 40])
        some.limit(to: VolumeCeiling(Volume(percent: 60)))
        #expect(volumes(some) == [40, 40])
        // And in hours of silence nobody can take away what there is not.
        some.limit(to: VolumeCeiling(.silent, hours: .quiet(until: nil)))
        some.apply(.changeVolume(by: -5))
        some.apply(.changeVolume(by: 5))
        #expect(volumes(some) == [0, 40])
        // The limit is on whatever comes in the device's place, too.
        some.use(LoudspeakerSettings(volume: .full))
        #expect(volumes(some) == [0, 100])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func noSequenceOfCommandsExceedsTheLimit(seed: UInt64) {
        let commands: [LoudspeakerCommand] = [
            .setVolume(.full), .changeVolume(by: 100), .setMuted(true), .changeVolume(by: -7), .toggleMute,
            .setPaused(true), .setVolume(Volume(percent: 33)), .setPaused(false), .changeVolume(by: 3),
            .setMuted(false),
        ]
        var generator = SeededGenerator(seed: seed)
        var some = loudspeakers(100, highest: 45)
        for step in 0..<500 {
            let ceiling = Volume(percent: Int.random(in: 0...45, using: &generator))
            some.limit(to: VolumeCeiling(ceiling))
            let command = commands[Int.random(in: commands.indices, using: &generator)]
            some.apply(command)
            #expect(some.inForce.volume <= ceiling, "step \(step), \(command)")
        }
    }

    @Test func aPauseIsAMuteThatIsNotRemembered() {
        var some = loudspeakers(50)
        some.apply(.setPaused(true))
        some.apply(.setPaused(true))
        #expect(some.inForce.isMuted && !some.remembered.isMuted)
        some.apply(.setPaused(false))
        #expect(!some.inForce.isMuted)
        some.apply(.setMuted(true))
        some.apply(.setPaused(true))
        #expect(some.remembered.isMuted)
        some.apply(.setPaused(false))
        #expect(some.inForce.isMuted && some.remembered.isMuted)
        some.apply(.setPaused(true))
        some.apply(.toggleMute)
        #expect(!some.inForce.isMuted && !some.remembered.isMuted)
    }

    /// By another sound device, which may be muted itself.
    @Test(arguments: [false, true]) func aPauseGoesOnWithAnotherDevice(isMuted: Bool) {
        var some = loudspeakers(50)
        some.apply(.setPaused(true))
        some.use(LoudspeakerSettings(volume: Volume(percent: 70), isMuted: isMuted))
        #expect(some.inForce.isMuted && some.remembered.isMuted == isMuted)
        some.apply(.setPaused(false))
        #expect(some.inForce.isMuted == isMuted && volumes(some) == [70, 70])
    }

    @Test func noticesTellOfQuietHoursAlone() {
        let (day, soft) = (VolumeCeiling(Volume(percent: 60)), Volume(percent: 20))
        let night = VolumeCeiling(soft, hours: .quiet(until: MinuteOfDay(420)))
        #expect(VolumeLimitNotice(day, after: nil) == nil && VolumeLimitNotice(night, after: night) == nil)
        let begins = VolumeLimitNotice.quietHours(until: MinuteOfDay(420), highest: soft)
        #expect(VolumeLimitNotice(night, after: day) == begins && VolumeLimitNotice(night, after: nil) == begins)
        #expect(VolumeLimitNotice(day, after: night) == .quietHoursOver(highest: Volume(percent: 60)))
    }
}
