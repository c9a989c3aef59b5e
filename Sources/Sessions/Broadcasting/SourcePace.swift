import AudioCore

// A station, or whatever feeds a pipe, goes by a clock of its own, some ppm off ours. Played at our pace its lead, how
// much of it is there and not heard yet, runs dry or full in hours. So the lead is held: where it dwindles the song is
// played a little more slowly, by the anchor's rate, which all listeners follow by resampling.
//
// Packets come in bursts, so what is looked at is the least lead of every minute, and a new anchor is made once a minute
// at most. A controller with a part that adds up holds the lead (both poles at an hour, since packets that come 50 ms
// later than others must change little); what it added up is how far the clocks are apart. A lead that moves at once
// by more than any clock could is another lead, from which it goes on.
//
// A source that brings all that is wanted, a file or a quick server, is waiting for us: there is nothing to follow.

/// How fast a source that comes at its own pace is to be played.
struct SourcePace {
    /// How much faster than it says.
    private(set) var correction = PartsPerMillion(0)

    private var windowEnd: HostTime?
    private var least: TimeSpan?
    /// Held from the first minute on, and the minute before's, in seconds.
    private var target: Double?
    private var before = 0.0
    /// The part that adds up.
    private var drift = 0.0

    static let window = TimeSpan.seconds(60)
    /// No clock is farther off, and no ear notices.
    static let largestCorrection = PartsPerMillion(250)
    /// Of the lead, in a minute: what is more is no drift.
    private static let largestStep = 0.2
    /// In a minute, in ppm. Listeners change their pace by 0.5 ppm a second at most.
    private static let largestChange = 10.0
    private static let leastChange = 0.5
    private static let timeConstant = 3_600.0

    /// The lead is not to be judged now, or no longer what it was.
    mutating func interrupt() {
        windowEnd = nil
        target = nil
    }

    /// - Parameter lead: from now until the last frame that is there is due.
    /// - Returns: whether ``correction`` is another.
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
