import AudioCore
import ServiceManager
import Testing

/// A virtual clock, a service that answers or hangs, and the manager's own judgement.
@Suite(.timeLimit(.minutes(5))) struct WatchdogKeeperTests {
    private static let interval = TimeSpan.seconds(30)
    private let start = HostTime(nanoseconds: 5_000_000_000)

    /// Lets a service live for a while, asked as the keeper wants it.
    /// - Parameter answer: how long an answer to a question at that time after the start takes; nil for ever.
    /// - Returns: the times of the signs of life, after the start.
    private func signs(for span: TimeSpan, answer: (TimeSpan) -> TimeSpan?) -> [TimeSpan] {
        var keeper = WatchdogKeeper(interval: Self.interval, now: start)
        var now = start
        var answers: [HostTime] = []
        var signs: [TimeSpan] = []
        while now < start + span {
            if let due = answers.min(), due <= now {
                answers.removeAll { $0 <= now }
                keeper.answered(now)
                signs.append(now - start)
            }
            if keeper.isQuestionDue(now), let delay = answer(now - start) { answers.append(now + delay) }
            let wake = min(now + max(keeper.wait(now), .milliseconds(1)), answers.min() ?? .init(nanoseconds: .max))
            now = max(wake, now + .milliseconds(1))
        }
        return signs
    }

    /// Whether the manager would have started the service anew.
    private func isMissed(_ signs: [TimeSpan], by end: TimeSpan) -> Bool {
        let all = [.zero] + signs + [end]
        return zip(all, all.dropFirst()).contains { $1 - $0 > Self.interval }
    }

    @Test func aServiceThatAnswersGivesASignInHalfOfTheInterval() {
        let signs = signs(for: .seconds(300)) { _ in .milliseconds(2) }
        #expect((19...22).contains(signs.count), "\(signs.count)")
        #expect(zip(signs, signs.dropFirst()).allSatisfy { $1 - $0 < .seconds(16) })
        #expect(!isMissed(signs, by: .seconds(300)))
    }

    @Test func oneThatHangsGivesNone() {
        let signs = signs(for: .seconds(120)) { $0 < .seconds(60) ? .milliseconds(2) : nil }
        #expect(signs.allSatisfy { $0 < .seconds(61) })
        #expect(isMissed(signs, by: .seconds(120)))
    }

    @Test func oneThatIsSlowForAWhileIsLeftAlone() {
        let signs = signs(for: .seconds(200)) { ($0.seconds > 60 && $0.seconds < 80) ? .seconds(5) : .milliseconds(2) }
        #expect(!isMissed(signs, by: .seconds(200)))
    }

    /// The loop that was asked has ended without an answer; the next one is asked soon enough.
    @Test func aQuestionThatWasLostIsAskedAgain() {
        let signs = signs(for: .seconds(200)) { (50...65).contains($0.seconds) ? nil : .milliseconds(2) }
        #expect(!isMissed(signs, by: .seconds(200)))
    }
}
