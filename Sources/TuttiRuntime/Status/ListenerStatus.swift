import AudioCore

/// What a listener shows of itself, and a broadcaster of each of its listeners.
public struct ListenerStatus: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        case connecting
        /// Connected; clock or sound card not yet known well enough to start exactly.
        case preparing
        /// Holds packets, and waits for its first frame to be due.
        case ready
        case playing
        /// Out of packets: silent until it can re-enter in step.
        case starving
        case finished
    }

    public var name: String
    public var state: State
    /// Song time held ahead of what is heard.
    public var buffered: TimeSpan
    /// Nil until clock and sound card are known.
    public var timing: ListenerTiming?
    public var counters: ListenerCounters

    public init(
        name: String, state: State, buffered: TimeSpan, timing: ListenerTiming?,
        counters: ListenerCounters = ListenerCounters()
    ) {
        self.name = name
        self.state = state
        self.buffered = buffered
        self.timing = timing
        self.counters = counters
    }
}

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
}

/// What went wrong since the listener joined.
public struct ListenerCounters: Hashable, Sendable {
    public var xruns: UInt32 = 0
    /// Silences because packets were lacking.
    public var underruns: UInt32 = 0
    /// Faded jumps to the exact place.
    public var replacements: UInt32 = 0
    /// Packets that the broadcaster dropped for this listener.
    public var lostPackets: UInt32 = 0

    public init() {}
}
