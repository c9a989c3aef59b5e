import AudioCore
import Testing
import TuttiRuntime
import WireProtocol

/// The worst pair is found without comparing all pairs; the result is the same.
@Suite(.timeLimit(.minutes(5))) struct WorstPairTests {
    private func status(_ timings: [ListenerTiming?]) -> BroadcastStatus {
        let song = SongStatus(title: "Song", artist: nil, format: "", elapsed: .zero, total: nil)
        let listeners = timings.enumerated().map { index, timing in
            ListenerStatus(name: "\(index)", state: .playing, buffered: .zero, timing: timing)
        }
        return BroadcastStatus(name: "Broadcaster", state: .playing, song: song, listeners: listeners)
    }

    private func timing(_ error: Int64, bound: Int64) -> ListenerTiming {
        var timing = ListenerTiming.exact
        timing.error = .nanoseconds(error)
        timing.errorBound = .nanoseconds(bound)
        return timing
    }

    @Test func itIsThatOfAllPairs() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let timings = (0..<Int.random(in: 0...6, using: &generator)).map { _ -> ListenerTiming? in
                guard Int.random(in: 0..<5, using: &generator) > 0 else { return nil }
                return timing(
                    .random(in: -9...9, using: &generator) * 1_000,
                    bound: .random(in: -2...9, using: &generator) * 1_000)
            }
            var expected: TimeSpan?
            for (index, a) in timings.enumerated() {
                for b in timings[(index + 1)...] {
                    guard let a, let b else { continue }
                    expected = max(expected ?? .zero, a.distance(to: b))
                }
            }
            let worst = status(timings).worstPair
            try #require((worst == nil) == (expected == nil), "\(timings)")
            guard let worst, let expected else { continue }
            try #require((worst.distance - expected).magnitude < .nanoseconds(5), "\(timings)")
            let (first, second) = (try #require(Int(worst.first)), try #require(Int(worst.second)))
            #expect(first < second)
            let pair = try #require(timings[first]).distance(to: try #require(timings[second]))
            try #require((pair - expected).magnitude < .nanoseconds(5), "\(timings)")
        }
    }
}
