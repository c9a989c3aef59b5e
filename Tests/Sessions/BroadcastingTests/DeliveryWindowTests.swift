import AudioCore
import Testing

@testable import Broadcasting

/// How much song may be on the way to a listener.
@Suite(.timeLimit(.minutes(5))) struct DeliveryWindowTests {
    private static let rate = 8_000.0
    private static let roundTrip = TimeSpan.milliseconds(2)

    /// A listener that acknowledged so many frames every 50 ms for a second.
    private func window(
        framesEach count: Int64, isHeldBack: Bool = true, roundTrip: TimeSpan? = roundTrip
    ) -> DeliveryWindow {
        var window = DeliveryWindow()
        for step in 0...20 {
            if !isHeldBack { window.noteAllSent() }
            window.acknowledge(
                count, roundTrip: roundTrip, now: HostTime(nanoseconds: Int64(step) * 50_000_000))
        }
        return window
    }

    @Test func itIsASecondUntilSomethingIsKnown() {
        #expect(DeliveryWindow().length(framesPerSecond: Self.rate) == .seconds(1))
        #expect(window(framesEach: 480, roundTrip: nil).length(framesPerSecond: Self.rate) == .seconds(1))
    }

    @Test func aSlowLinkGetsWhatItDeliversInATenthOfASecond() {
        // 1.2 times the song's rate.
        let length = window(framesEach: 480).length(framesPerSecond: Self.rate)
        #expect(abs(length.seconds - 0.12 - 1.2 * Self.roundTrip.seconds) < 1e-6, "\(length)")
    }

    @Test func amongManyASlowLinkGetsMore() {
        let length = window(framesEach: 240).length(
            framesPerSecond: Self.rate, shortest: BroadcastLimits.crowdedShortestWindow)
        #expect(length == .milliseconds(500) + Self.roundTrip, "\(length)")
    }

    @Test func aFastLinkGetsASecond() {
        #expect(window(framesEach: 8_000).length(framesPerSecond: Self.rate) == .seconds(1))
    }

    /// Where all that is due was sent, a low pace says nothing of the link.
    @Test func aListenerThatLacksNothingIsNotSlow() {
        #expect(window(framesEach: 400, isHeldBack: false).length(framesPerSecond: Self.rate) == .seconds(1))
    }

    @Test func theLinkIsNotLeftIdleDuringARoundTrip() {
        let length = window(framesEach: 400, roundTrip: .milliseconds(300)).length(framesPerSecond: Self.rate)
        #expect(length > .milliseconds(390) && length < .milliseconds(410), "\(length)")
    }

    @Test(arguments: [Int64.max, .min]) func aRoundTripThatNobodyHasMakesNoWindow(nanoseconds: Int64) {
        let window = window(framesEach: 480, roundTrip: TimeSpan(nanoseconds: nanoseconds))
        let length = window.length(framesPerSecond: Self.rate)
        #expect(length >= .milliseconds(100) && length <= .seconds(1), "\(length)")
    }

    /// A link carries bytes: of a song with frames of four times the size it delivers a quarter of the frames, and of
    /// one with small frames many more.
    @Test(arguments: [(4.0, 0.1), (0.25, 0.48)]) func theNextSongsSizeCounts(bytesPerFrame: Double, length: Double) {
        var window = window(framesEach: 480)
        window.turn()
        window.note(bytesPerFrame: bytesPerFrame)
        let found = window.length(framesPerSecond: Self.rate).seconds
        #expect(abs(found - length) < 0.011, "\(found)")
    }

    /// The lowest round trip counts: later ones contain what waits on the way.
    @Test func theLowestRoundTripCounts() {
        var window = window(framesEach: 480)
        let before = window.length(framesPerSecond: Self.rate)
        window.acknowledge(480, roundTrip: .milliseconds(200), now: HostTime(nanoseconds: 1_100_000_000))
        #expect(window.length(framesPerSecond: Self.rate) == before)
    }
}
