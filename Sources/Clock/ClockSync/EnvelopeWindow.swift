import AudioCore

/// The exchanges from which the clock is estimated, in order of time. Which of them are forgotten, and why, stands at
/// ``ClockEstimator``.
struct EnvelopeWindow: Sendable {
    /// Exchanges that may be over a path that is gone are not looked for among fewer.
    static let leastOutlived = 128
    /// If the lowest round trip grew by this many spacings, the path is a different one.
    static let longerPath = 20.0
    /// Exchanges a second of a path with jitter.
    static let ordinaryRate = 8.0
    /// Exchanges that are loosened by this many deviations of the offset are forgotten, if so many later ones are left
    /// and the deviation of these alone is not greater by this factor than that of all.
    static let loosest = 9.0
    static let leastLeft = 32
    static let loss = 2.0
    /// How many of the oldest are dropped at a time.
    private static let surplus = 64

    private(set) var samples: [EnvelopeSample]

    init(_ samples: [EnvelopeSample] = []) { self.samples = samples }

    mutating func append(_ sample: EnvelopeSample) {
        samples.append(sample)
        guard samples.count > ClockLimits.sampleCount + Self.surplus else { return }
        samples.removeFirst(Self.surplus)
    }

    /// Applies the kernel's transmit stamp of a reply.
    mutating func revise(sequence: UInt32, transmit: SessionTime) {
        samples.revise(sequence: sequence, transmit: transmit)
    }

    /// Drops what is older than any exchange may be.
    /// - Parameter now: seconds since the origin, as below.
    mutating func forgetOldest(now: Double) {
        let age = ClockLimits.sampleAge.seconds
        guard let first = samples.first, now - first.sent > age * 1.1 else { return }
        samples.removeAll { now - $0.sent > age }
    }

    /// Drops the older half if the newer half tells more alone: the older came over a path that is gone.
    mutating func forgetOutlived(now: Double, fit: EnvelopeFit, prior: EnvelopeFitter.Prior) {
        guard samples.count >= Self.leastOutlived else { return }
        let newer = samples.suffix(samples.count / 2)
        let alone = EnvelopeFitter(newer, now: now).fit(slope: fit.slope, prior: prior)
        let all = EnvelopeFitter(samples, now: now).fit(slope: fit.slope, prior: prior)
        let older = samples.dropLast(newer.count)
        let margin = Self.longerPath * (alone.upperSpacing + alone.lowerSpacing)
        let span = now - (newer.first?.sent ?? now)
        let density = max(1, Double(newer.count) / max(1e-3, span * Self.ordinaryRate))
        guard newer.lowestRoundTrip(slope: fit.slope) > older.lowestRoundTrip(slope: fit.slope) + margin,
            alone.offsetDeviation * density < all.offsetDeviation
        else { return }
        samples.removeFirst(samples.count - newer.count)
    }

    /// Drops what is so old that only a clock that did not keep its rate still touches it.
    mutating func forgetLoosened(now: Double, fit: EnvelopeFit, prior: EnvelopeFitter.Prior) {
        let oldest = EnvelopeFitter.age(loosenedBy: Self.loosest * fit.offsetDeviation)
        let newer = samples.drop { now - $0.sent > oldest }
        guard newer.count < samples.count, newer.count >= Self.leastLeft else { return }
        let alone = EnvelopeFitter(newer, now: now).fit(slope: fit.slope, prior: prior)
        guard alone.offsetDeviation < Self.loss * fit.offsetDeviation else { return }
        samples.removeFirst(samples.count - newer.count)
    }
}

extension Sequence<EnvelopeSample> {
    /// Returns the lowest round trip in nanoseconds; infinity if there is none.
    /// - Parameter slope: of the offset, nanoseconds per second.
    func lowestRoundTrip(slope: Double) -> Double { reduce(.infinity) { Swift.min($0, $1.roundTrip(slope: slope)) } }
}

extension [EnvelopeSample] {
    /// Applies the kernel's transmit stamp of a reply: later than the one in the reply, and nearer the truth.
    mutating func revise(sequence: UInt32, transmit: SessionTime) {
        guard let index = suffix(ClockLimits.pendingCount).lastIndex(where: { $0.sequence == sequence }) else { return }
        let later = Double((transmit - self[index].transmit).nanoseconds)
        guard later >= 0, later <= self[index].roundTrip(slope: EnvelopeFitter.steepest) else { return }
        self[index].lower += later
        self[index].transmit = transmit
    }
}
