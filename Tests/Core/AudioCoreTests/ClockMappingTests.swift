import AudioCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClockMappingTests {
    @Test func roundTripIsExactForHours() {
        let mapping = ClockMapping(
            host: HostTime(nanoseconds: 5_000), session: SessionTime(nanoseconds: 9_000_000_000_000),
            skew: PartsPerMillion(50))
        for seconds in [0, 1, 3_600, -3_600, 36_000] as [Int64] {
            let host = mapping.host + .seconds(seconds)
            #expect((mapping.host(at: mapping.session(at: host)) - host).magnitude <= .nanoseconds(2))
        }
        #expect(mapping.session(at: mapping.host + .seconds(1)) - mapping.session == .nanoseconds(1_000_050_000))
    }

    @Test func anchorPlacesFramesAndIsSeenThroughAClock() {
        let anchor = Anchor(
            epoch: Epoch(1), frame: FramePosition(100), session: SessionTime(nanoseconds: 1_000_000_000),
            framesPerSecond: 48_000)
        #expect(anchor.session(of: FramePosition(48_100)) - anchor.session == .seconds(1))
        #expect(anchor.position(at: anchor.session + .milliseconds(500)).frames == 24_100)

        // The session clock runs 50 ppm faster than the host's: a host second holds more frames.
        let clock = ClockMapping(
            host: HostTime(nanoseconds: 0), session: anchor.session, skew: PartsPerMillion(50))
        let seen = anchor.hostTimeline(through: clock)
        #expect(abs(seen.position(at: HostTime(nanoseconds: 1_000_000_000)).frames - 48_102.4) < 1e-6)
    }

    @Test func numbersFromOutsideDoNotTrap() {
        let far = SessionTime(nanoseconds: .max)
        let near = SessionTime(nanoseconds: .min)
        _ = far - near
        let anchor = Anchor(epoch: Epoch(0), frame: FramePosition(.max), session: near, framesPerSecond: .nan)
        #expect(!anchor.isValid)
        _ = anchor.session(of: FramePosition(.min))
        _ = anchor.position(at: far)
        #expect(Int64(saturating: .nan) == 0)
        #expect(Int64(saturating: .infinity) == .max)
    }
}
