import AudioCore

// Times for people.

extension TimeSpan {
    /// As on a player: `3:45`, `1:02:03`.
    public var clockReading: String {
        let seconds = max(0, nanoseconds / 1_000_000_000)
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        guard hours > 0 else { return "\(minutes):\((seconds % 60).twoDigits)" }
        return "\(hours):\(minutes.twoDigits):\((seconds % 60).twoDigits)"
    }

    /// `9.8 s`
    public var bufferReading: String { "\(seconds.fixed(1)) s" }

    /// `1.94 s`
    public var lowWaterReading: String { "\(seconds.fixed(2)) s" }

    /// Returns the time in the unit that suits its size: `27 µs`, `12.3 ms`, `4.5 s`.
    public func reading(_ glyphs: Glyphs) -> String {
        let unit = TimeUnit(for: magnitude)
        return "\(unit.value(of: self)) \(unit.name(glyphs))"
    }

    /// Returns an error with its bound: `+3 ± 12 µs`.
    public func reading(within bound: TimeSpan, _ glyphs: Glyphs) -> String {
        let unit = TimeUnit(for: max(magnitude, bound.magnitude))
        let error = unit.value(of: self, signed: true)
        return "\(error) \(glyphs.plusMinus) \(unit.value(of: bound)) \(unit.name(glyphs))"
    }
}

/// The unit in which a length of time is shown.
private enum TimeUnit {
    case microseconds, milliseconds, seconds

    init(for size: TimeSpan) {
        self = size < .milliseconds(10) ? .microseconds : size < .seconds(10) ? .milliseconds : .seconds
    }

    func value(of span: TimeSpan, signed: Bool = false) -> String {
        switch self {
        case .microseconds: span.microseconds.fixed(0, signed: signed)
        case .milliseconds: span.milliseconds.fixed(1, signed: signed)
        case .seconds: span.seconds.fixed(1, signed: signed)
        }
    }

    func name(_ glyphs: Glyphs) -> String {
        switch self {
        case .microseconds: glyphs.microseconds
        case .milliseconds: "ms"
        case .seconds: "s"
        }
    }
}

extension Int64 {
    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
