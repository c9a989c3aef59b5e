import AudioCore

/// A listener's newest knowledge of the session clock.
public struct ClockEstimate: Hashable, Sendable, BitwiseCopyable {
    /// Host time to session time, referenced to the moment of the estimate.
    public var mapping: ClockMapping
    /// Statistical bound of the error at ``ClockMapping/host``, the path taken as symmetric: contains the truth in at
    /// least 99.9 % of seconds.
    public var errorBound: TimeSpan
    /// What no exchange can see: a path that is all in one direction is off by half the lowest round trip.
    public var asymmetryLimit: TimeSpan
    /// Lowest round trip of the exchanges in use.
    public var roundTrip: TimeSpan
    /// How well the skew is known: the bound grows by this while no reply comes.
    public var skewBound: PartsPerMillion
    /// Counts the times that everything was learned anew (clock step, suspend): the mapping may jump only then.
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

    /// How much faster the session clock runs than this host's; worth remembering for the next meeting of the two.
    public var skew: PartsPerMillion { mapping.skew }

    /// The same, of a path that must not be taken as symmetric: where audio stands in one direction's queue, or stamps
    /// are made in programs and not in kernels. Its bound is no longer a statistical one alone: half the lowest round
    /// trip is added, which no asymmetry exceeds.
    public var withoutSymmetry: ClockEstimate {
        var estimate = self
        estimate.errorBound += asymmetryLimit
        return estimate
    }

    /// The bound at another instant, usually now: knowledge gets older.
    public func errorBound(at instant: HostTime) -> TimeSpan {
        errorBound + (instant - mapping.host).magnitude * (skewBound.value * 1e-6)
    }
}

/// A skew known beforehand, from the last meeting of the same two machines.
public struct SkewPrior: Hashable, Sendable, BitwiseCopyable {
    public var skew: PartsPerMillion
    /// One standard deviation of how far crystals wander between meetings.
    public var deviation: PartsPerMillion

    public init(skew: PartsPerMillion, deviation: PartsPerMillion = PartsPerMillion(2)) {
        self.skew = skew
        self.deviation = deviation
    }

    /// The rate of a clock with which an exchange begins anew, as the last estimate of the one before had it.
    public init(_ estimate: ClockEstimate) {
        // The bound is four deviations; no crystal keeps its rate more truly than to half a ppm.
        let deviation = max(PartsPerMillion(0.5), PartsPerMillion(estimate.skewBound.value / 4))
        self.init(skew: estimate.skew, deviation: min(deviation, Self.unknown.deviation))
    }

    /// Two crystals that have never met.
    public static let unknown = SkewPrior(skew: .zero, deviation: PartsPerMillion(60))
}
