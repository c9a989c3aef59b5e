import AudioCore

/// A listener's estimate of its distance from the timeline, and its error bound.
public struct ListenerTiming: Hashable, Sendable {
    /// Positive if the frames leave the loudspeakers late.
    public var error: TimeSpan
    /// Statistical; assumes a symmetric network path.
    public var errorBound: TimeSpan
    /// Half the lowest round trip: no exchange can see below it.
    public var asymmetryLimit: TimeSpan
    public var roundTrip: TimeSpan
    /// Rate of the session clock against this host's clock.
    public var clockSkew: PartsPerMillion
    /// Rate of the sound card against this host's clock.
    public var deviceSkew: PartsPerMillion
    /// The rate that the resampler adds to remove the error.
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

    /// Returns how far apart two listeners may be at most: |e1 - e2| + b1 + b2. No value from a peer makes it overflow.
    public func distance(to other: ListenerTiming) -> TimeSpan {
        let apart = abs(error.seconds - other.error.seconds)
        return TimeSpan(seconds: apart + max(0, errorBound.seconds) + max(0, other.errorBound.seconds))
    }

    /// The timeline itself.
    public static let exact = ListenerTiming(
        error: .zero, errorBound: .zero, asymmetryLimit: .zero, roundTrip: .zero, clockSkew: .zero, deviceSkew: .zero,
        correction: .zero)
}
