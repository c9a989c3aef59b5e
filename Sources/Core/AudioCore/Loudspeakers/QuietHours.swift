/// A part of every day in which loudspeakers are soft, or silent; it may go over midnight.
///
/// Only what the clock shows counts. Where it is put forward over their start, they begin with what it shows next;
/// where it is put back over that, they begin twice.
public struct QuietHours: Hashable, Sendable {
    /// The first minute.
    public let start: MinuteOfDay
    /// The minute after the last one.
    public let end: MinuteOfDay
    /// The highest volume of these hours.
    public let highest: Volume

    /// Nil for hours that end when they begin.
    public init?(from start: MinuteOfDay, to end: MinuteOfDay, highest: Volume = .silent) {
        guard start != end else { return nil }
        (self.start, self.end, self.highest) = (start, end, highest)
    }

    public func contains(_ minute: MinuteOfDay) -> Bool {
        start.minutes(until: minute) < start.minutes(until: end)
    }

    /// Returns the minute with which they end next, or begin if this minute is none of them.
    public func nextChange(after minute: MinuteOfDay) -> MinuteOfDay { contains(minute) ? end : start }
}

extension QuietHours: LosslessStringConvertible {
    /// Parses `22:00-07:00`, which are silent, or `22:00-07:00=20`, with their highest volume in percent.
    public init?(_ text: String) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let times = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, let start = MinuteOfDay(String(times[0])), let end = MinuteOfDay(String(times[1]))
        else { return nil }
        guard halves.count == 2 else {
            self.init(from: start, to: end)
            return
        }
        guard let percent = Int(digits: halves[1]), Volume.range.contains(percent) else { return nil }
        self.init(from: start, to: end, highest: Volume(percent: percent))
    }

    /// `22:00-07:00=20`
    public var description: String { "\(start)-\(end)=\(highest.percent)" }
}
