import AudioCore

/// A listener's latest estimate of the session clock.
public struct ClockEstimate: Hashable, Sendable, BitwiseCopyable {
    /// Maps host time to session time; its reference is the moment of the estimate.
    public var mapping: ClockMapping
    /// Statistical bound of the error at ``ClockMapping/host``, for a symmetric path: contains the truth in 99.9 % of
    /// seconds (simulated; in 99.8 % if one direction is five times as busy as the other).
    public var errorBound: TimeSpan
    /// Half the lowest round trip: the error if all delay is in one direction, which no exchange can see.
    public var asymmetryLimit: TimeSpan
    /// Lowest round trip of the exchanges in use.
    public var roundTrip: TimeSpan
    /// How well the skew is known: the bound grows at this rate while no reply arrives.
    public var skewBound: PartsPerMillion
    /// Counts how often everything was learned anew (clock step, suspend): the mapping may jump only then.
    public var generation: UInt32

    public init(
        mapping: ClockMapping, errorBound: TimeSpan, asymmetryLimit: TimeSpan, roundTrip: TimeSpan,
        skewBound: PartsPerMillion, generation: UInt32
    ) {
        self.mapping = mapping
        self.errorBound = errorBound
        self.asymmetryLimit = asymmetryLimit
        self.roundTrip = roundTrip
        self.skewBound = skewBound
        self.generation = generation
    }

    /// Rate of the session clock against this host's clock; worth remembering for the next meeting of the two.
    public var skew: PartsPerMillion { mapping.skew }

    /// The same estimate for a path that must not be taken as symmetric: where audio queues in one direction, or
    /// timestamps are made in programs and not in kernels. Its bound is then more than statistical: it includes half
    /// the lowest round trip, which no asymmetry exceeds.
    public var withoutSymmetry: ClockEstimate {
        var estimate = self
        estimate.errorBound += asymmetryLimit
        return estimate
    }

    /// Returns the bound at another instant, usually now: it grows with age.
    public func errorBound(at instant: HostTime) -> TimeSpan {
        errorBound + (instant - mapping.host).magnitude * (skewBound.value * 1e-6)
    }
}

/// A skew known beforehand, from the last meeting of the same two machines.
public struct SkewPrior: Hashable, Sendable, BitwiseCopyable {
    public var skew: PartsPerMillion
    /// One standard deviation of how far crystals drift between meetings.
    public var deviation: PartsPerMillion

    public init(skew: PartsPerMillion, deviation: PartsPerMillion = PartsPerMillion(2)) {
        self.skew = skew
        self.deviation = deviation
    }

    /// Creates the prior with which a new exchange with the same clock begins, from the last estimate of the one
    /// before.
    public init(_ estimate: ClockEstimate) {
        // The bound is four deviations; no crystal keeps its rate to better than half a ppm.
        let deviation = max(PartsPerMillion(0.5), PartsPerMillion(estimate.skewBound.value / 4))
        self.init(skew: estimate.skew, deviation: min(deviation, Self.unknown.deviation))
    }

    /// For two crystals that have never met.
    public static let unknown = SkewPrior(skew: .zero, deviation: PartsPerMillion(60))
}
