import AudioCore

/// How far from the timeline a listener estimates itself to be, and how sure it can be.
public struct ListenerTiming: Hashable, Sendable {
    /// Positive: its frames leave late.
    public var error: TimeSpan
    /// Statistical; takes the network path as symmetric.
    public var errorBound: TimeSpan
    /// Half the lowest round trip: no exchange can see below it.
    public var asymmetryLimit: TimeSpan
    public var roundTrip: TimeSpan
    /// The session clock against this host's.
    public var clockSkew: PartsPerMillion
    /// The sound card against this host's clock.
    public var deviceSkew: PartsPerMillion
    /// What the resampler does about it now.
    public var correction: PartsPerMillion

    public init(
        error: TimeSpan, errorBound: TimeSpan, asymmetryLimit: TimeSpan, roundTrip: TimeSpan,
        clockSkew: PartsPerMillion, deviceSkew: PartsPerMillion, correction: PartsPerMillion
    ) {
        self.error = error
        self.errorBound = errorBound
        self.asymmetryLimit = asymmetryLimit
        self.roundTrip = roundTrip
        self.clockSkew = clockSkew
        self.deviceSkew = deviceSkew
        self.correction = correction
    }

    /// How far apart two listeners may be at most: |e1 - e2| + b1 + b2. Whatever a peer says, it does not overflow.
    public func distance(to other: ListenerTiming) -> TimeSpan {
        let apart = abs(error.seconds - other.error.seconds)
        return TimeSpan(seconds: apart + max(0, errorBound.seconds) + max(0, other.errorBound.seconds))
    }

    /// The timeline itself.
    public static let exact = ListenerTiming(
        error: .zero, errorBound: .zero, asymmetryLimit: .zero, roundTrip: .zero, clockSkew: .zero, deviceSkew: .zero,
        correction: .zero)
}
