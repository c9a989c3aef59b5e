import AudioCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoudspeakerTests {
    @Test func theGainIsTheCubeOfTheVolume() {
        #expect(Volume.full.gain == 1 && Volume.silent.gain == 0)
        #expect(Volume(percent: 50).gain == 0.125)
        let gains = Volume.range.map { Volume(percent: $0).gain }
        #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 < $1 })
        // Scaled together, two volumes keep the ratio of their gains.
        func ratio(_ first: Int, _ second: Int) -> Float { Volume(percent: first).gain / Volume(percent: second).gain }
        #expect(abs(ratio(80, 40) - ratio(20, 10)) < 1e-5)
    }

    @Test func aVolumeStaysWithinItsRange() {
        #expect(Volume(percent: -1) == .silent && Volume(percent: 101) == .full)
        #expect(Volume(percent: 98).changed(by: 5) == .full && Volume(percent: 3).changed(by: -5) == .silent)
        #expect(Volume(percent: 98).changed(by: .max) == .full && Volume(percent: 3).changed(by: .min) == .silent)
        #expect(Volume(percent: 40).changed(by: -5).percent == 35)
    }

    @Test func rolesAreRead() {
        for role in [ChannelRole.stereo, .left, .right, .mono] + Limits.channelRange.map({ .channel($0) }) {
            #expect(ChannelRole(role.description) == role)
        }
        for text in ["", "0", "9", "+1", "01", "Left", "centre", "99999999999999999999"] {
            #expect(ChannelRole(text) == nil, "\(text)")
        }
    }
}
