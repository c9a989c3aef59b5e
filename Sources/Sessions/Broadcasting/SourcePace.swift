import AudioCore

// A station, or whatever feeds a pipe, has a clock of its own, some ppm off ours. If we played at our own pace, the
// lead (how much is there and not heard yet) would run dry or full within hours. So the lead is held: when it shrinks,
// the song is played a little more slowly, through the anchor's rate, which all listeners follow by resampling.
//
// Packets come in bursts, so the least lead of every minute counts, and a new anchor is made once a minute at most. A
// PI controller holds the lead. Both poles are at an hour, because packets that come 50 ms later than others must
// change little; the integral part is how far the clocks are apart. A lead that jumps by more than any clock could is
// taken as a new lead to hold.
//
// A source that brings all that is wanted, a file or a quick server, is waiting for us: there is nothing to follow.

/// The pace at which to play a source that delivers in real time.
struct SourcePace {
    /// How much faster to play than the source's nominal rate.
    private(set) var correction = PartsPerMillion(0)

    private var windowEnd: HostTime?
    private var least: TimeSpan?
    /// The lead to hold, from the first minute on, and the previous minute's, in seconds.
    private var target: Double?
    private var before = 0.0
    /// The integral part.
    private var drift = 0.0

    static let window = TimeSpan.seconds(60)
    /// No clock is farther off than this, and no ear notices it.
    static let largestCorrection = PartsPerMillion(250)
    /// The largest change of the lead per minute, in seconds, that is still drift.
    private static let largestStep = 0.2
    /// Per minute, in ppm. Listeners change their pace by 0.5 ppm a second at most.
    private static let largestChange = 10.0
    private static let leastChange = 0.5
    private static let timeConstant = 3_600.0

    /// Forgets the lead: it cannot be judged now, or has changed.
    mutating func interrupt() {
        windowEnd = nil
        target = nil
    }

    /// Takes the lead and adjusts the correction once a minute.
    /// - Parameter lead: time until the last frame that is there is due.
    /// - Returns: whether ``correction`` changed.
    mutating func note(lead: TimeSpan, now: HostTime) -> Bool {
        guard let windowEnd, let least else {
            begin(lead, now)
            return false
        }
        self.least = min(least, lead)
        guard now >= windowEnd else { return false }
        defer { begin(lead, now) }
        let step = least.seconds - before
        before = least.seconds
        guard var target else {
            self.target = before
            return false
        }
        if abs(step) >= Self.largestStep { target += step }
        self.target = target
        let error = before - target
        let ratio = Self.window.seconds / Self.timeConstant
        let limit = Self.largestCorrection.value
        drift = min(max(drift + error * 1e6 / Self.timeConstant * ratio, -limit), limit)
        let present = correction.value
        let wanted = min(
            max(drift + 2e6 * error / Self.timeConstant, -limit, present - Self.largestChange), limit,
            present + Self.largestChange)
        guard abs(wanted - present) >= Self.leastChange else { return false }
        correction = PartsPerMillion(wanted)
        return true
    }

    private mutating func begin(_ lead: TimeSpan, _ now: HostTime) {
        windowEnd = now + Self.window
        least = lead
    }
}
