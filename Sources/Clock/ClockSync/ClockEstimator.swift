import AudioCore

// What an exchange says
//
// A request leaves at t1 (host), arrives at t2 (session), the reply leaves at t3 (session) and arrives at t4 (host).
// With S(h) the session time at host time h, and both delays at least zero,
//
//     t2 - t1 = S(t1) - t1 + forward delay        too high, never too low
//     t3 - t4 = S(t4) - t4 - backward delay       too low, never too high
//
// so each exchange is not one observation of the offset with symmetric noise, but two with one-sided noise: a ceiling
// and a floor. The delay of either direction is a base that the path always costs plus a queueing part that is often
// near zero and sometimes 30 ms. The usual estimator takes the midpoint of the exchange with the lowest round trip; it
// needs one exchange that was lucky both ways. Here each direction is taken by itself: the lower envelope of the
// ceilings runs parallel to the offset, one forward base above it, the upper envelope of the floors one backward base
// below it, and the offset runs in the middle if the two bases are equal (no exchange can tell; half the lowest round
// trip limits the harm). With n exchanges of exponential queueing of mean q, the lowest of a direction misses its
// envelope by q/n on average, where the best of the round trips misses by some q times the root of 2/n.
//
// The line
//
// Offset and skew come from one fit: two parallel lines, one under all ceilings and one over all floors, as far apart
// as their common slope allows. For exponential queueing the distance of the lines divided by the spacing s = q/n is,
// up to a constant, the logarithm of the likelihood of the slope; to it belongs a prior on the slope (two crystals are
// rarely 100 ppm apart; two that met before are remembered). The distance is a concave function of the slope with
// corners, its maximum jumps from corner to corner as exchanges come, so not the maximum is published but the mean over
// all slopes weighted by likelihood, which moves smoothly and gives the deviations of offset and slope as well. Only
// the convex hulls take part: some tens of points of some hundreds.
//
// The spacing is measured on either side as the mean distance of the ten lowest residuals. The lowest residual is
// expected to lie one spacing away from its envelope: half of the difference of the two sides corrects a path that is
// busier one way than the other.
//
// Wander
//
// Crystals do not keep their rate. An old ceiling is therefore lifted, an old floor lowered, by what a random walk of
// the rate may have done since, which grows with age to the power of 1.5: after 10 s 1.5 us, after a minute 21 us. So
// the window needs no length: on a quiet link the last ten seconds decide, on a link with jitter the last minute or
// two.
//
// The bound
//
// The published bound is 5.3 deviations (of the weighted mean, and of the two spacings), more while there are few
// exchanges or the newest lie further apart than the rest, plus the distance of the smoothed offset from the fit, plus
// a floor for the stamps themselves. The likelihood is tempered by two, since real delays are neither exponential nor
// independent. In simulation, the bound contained the truth in 99.9 % of seconds with delays that were exponential,
// gamma, log-normal or normal (99.8 % where one direction was five times as busy as the other), its median one to three
// times the 99th percentile of the error.
//
// Steps
//
// Queueing lifts ceilings and lowers floors. A ceiling well under its envelope, or a floor above it, is either a better
// path or a clock that stepped (or stood still while a machine slept). Such an exchange is set aside and a burst asked
// for; eight exchanges later their own envelopes are compared with the old ones. If the offset is elsewhere, everything
// older is forgotten, the skew kept as a prior: a step is learned anew some 50 ms after the first exchange that saw it.
// If not, it was a lucky exchange or a shorter path, and they join the others; one or two that no other confirms are
// dropped. What is too small to stand out in one exchange is found by comparing the last 32 with all older ones, now
// and then. A path that becomes longer, both ways alike or one way only, changes nothing: a queue that stands on a
// congested link moves its envelope outwards, and old envelopes remain true until they have aged away.
//
// A longer path
//
// Exchanges of a path that was shorter keep the offset true while they age, but when the last few of them are left, all
// at one time far back, nothing holds the slope: the line tilts towards the newer ones, and for seconds the offset was
// wrong by half a millisecond, under a bound of five. So now and then the newer half is fitted alone, and where none of
// it came nearly as quickly as the older half's quickest, and it knows the offset better than all do, the older half is
// forgotten.
//
// A remembered rate
//
// The prior of a known peer is narrow (2 ppm). It would keep a wrong rate alive for seconds: where it was learned
// before a boot that calibrated a counter anew, for example. So it is on trial: every fourth estimate is also fitted
// without it, and when that rate lies four deviations away, the prior goes back to that of a stranger. A stranger's is
// on trial as well: a clock 1,000 ppm off is 17 of its deviations away, and was believed to be somewhere between for
// half a second on a LAN, for more than ten on a radio, with a bound that knew nothing of it.
//
// Tried and rejected: the lowest round trip of a window (see above), regression weighted by the round trip (poisoned by
// the tails), the maximum instead of the mean over slopes (jumps), a wander of 10 ns/s per root second (the bound lost
// the truth in 29 % of seconds when the simulated rate walked by 20).

/// Offset and skew from exchanges. See the reasoning above. Not thread-safe, a value type.
struct ClockEstimator: Sendable {
    enum Advice: Sendable { case goOn, askMore }

    /// Exchanges before the first estimate.
    static let firstCount = 4
    /// Exchanges that establish what a contradiction is judged by.
    static let establishedCount = 12
    /// Exchanges after a contradiction that decide whether the clock stepped, and as many as decide it where those,
    /// by the luck of their delays, could have stood in a queue instead.
    static let suspectCount = 8
    static let ampleCount = 16
    /// Recent exchanges that are compared with all older ones, and how often.
    static let recentCount = 32
    static let comparisonInterval = 16
    /// A lowest round trip that grew by so many spacings is another path's.
    static let longerPath = 20.0
    /// A jump above this starts a new generation; a smaller one is slewed.
    static let jump = 50_000.0
    static let deviations = 5.3
    static let crowdingCount = 16
    static let boundFloor = 50.0
    /// Estimates between two looks at whether a remembered rate holds, and what contradicts it.
    static let trialInterval = 4
    static let contradictionDeviations = 4.0
    /// By how much a crystal may run otherwise after a sleep, in nanoseconds a second (one deviation).
    static let cooling = 3_000.0

    private(set) var estimate: ClockEstimate?
    private var prior: EnvelopeFitter.Prior
    private var origin: EnvelopeOrigin?
    private var samples: [EnvelopeSample] = []
    private var suspects: [EnvelopeSample] = []
    private var fit: EnvelopeFit?
    private var fitTime = 0.0
    private var smoother = OffsetSmoother()
    private var generation: UInt32 = 0
    private var sinceComparison = 0
    /// What was believed of the rate beforehand is on trial until the exchanges know it as well.
    private var isPriorOnTrial = true
    /// When an exchange that contradicted all before it came back. If the clock stepped it may have done so in the midst
    /// of that exchange, and of others: only what was sent later lies wholly behind the step.
    private var lastDoubt = -Double.infinity
    private var sinceTrial = 0

    /// Whether both directions queue alike. Where they do not, a queue that stands for a second must not pass for a
    /// step.
    private let isSymmetric: Bool

    init(prior: SkewPrior, isSymmetric: Bool = true) {
        self.isSymmetric = isSymmetric
        let limit = EnvelopeFitter.steepest
        self.prior = EnvelopeFitter.Prior(
            slope: min(max(prior.skew.value * 1e3, -limit), limit), deviation: max(prior.deviation.value, 0.01) * 1e3)
    }

    /// Takes in an exchange and renews ``estimate``.
    mutating func add(_ exchange: Exchange) -> Advice {
        let origin = origin ?? EnvelopeOrigin(exchange)
        self.origin = origin
        let sample = origin.sample(exchange)
        let advice = sort(sample)
        if suspects.isEmpty { compareRecent(now: sample.received) }
        if suspects.isEmpty { update(now: exchange.t4, origin: origin) }
        return advice
    }

    /// The kernel's transmit stamp of an earlier reply: later than the one that the reply carried, nearer the truth.
    mutating func revise(sequence: UInt32, transmit: SessionTime) {
        Self.revise(&samples, sequence: sequence, transmit: transmit)
        Self.revise(&suspects, sequence: sequence, transmit: transmit)
    }

    private static func revise(_ samples: inout [EnvelopeSample], sequence: UInt32, transmit: SessionTime) {
        guard let index = samples.suffix(ClockLimits.pendingCount).lastIndex(where: { $0.sequence == sequence }) else {
            return
        }
        let later = Double((transmit - samples[index].transmit).nanoseconds)
        guard later >= 0, later <= samples[index].roundTrip(slope: EnvelopeFitter.steepest) else { return }
        samples[index].lower += later
        samples[index].transmit = transmit
    }

    // MARK: Contradictions

    private mutating func sort(_ sample: EnvelopeSample) -> Advice {
        if !suspects.isEmpty {
            suspects.append(sample)
            decide(now: sample.received)
            return .goOn
        }
        if contradicts(sample) {
            suspects.append(sample)
            lastDoubt = sample.received
            return .askMore
        }
        append(sample)
        return .goOn
    }

    private mutating func append(_ sample: EnvelopeSample) {
        samples.append(sample)
        sinceComparison += 1
        guard samples.count > ClockLimits.sampleCount + 64 else { return }
        samples.removeFirst(64)
    }

    /// Whether a sample lies inside the envelopes, further than chance puts it.
    private func contradicts(_ sample: EnvelopeSample) -> Bool {
        guard let fit, samples.count >= Self.establishedCount else { return false }
        let elapsed = sample.received - fitTime
        let doubt = 4 * (fit.offsetDeviation + fit.slopeDeviation * abs(elapsed)) + 2_000
        let upper = fit.upper + fit.slope * (sample.sent - fitTime)
        let lower = fit.lower + fit.slope * (sample.received - fitTime)
        return upper - sample.upper > doubt + 8 * fit.upperSpacing
            || sample.lower - lower > doubt + 8 * fit.lowerSpacing
    }

    /// Enough suspects: a step, a lone outlier, or a shorter path.
    private mutating func decide(now: Double) {
        let later = suspects.filter { $0.sent >= lastDoubt }
        guard later.count == Self.suspectCount || later.count == Self.ampleCount else { return }
        guard !stepped(from: samples, to: later, now: now) else {
            suspects.removeAll(keepingCapacity: true)
            relearn(from: later, now: now)
            return
        }
        let isOutlier = suspects.count { contradicts($0) } <= 2
        guard isOutlier || later.count == Self.ampleCount else { return }
        let held = suspects
        suspects.removeAll(keepingCapacity: true)
        for sample in held where !(isOutlier && contradicts(sample)) { append(sample) }
    }

    /// Whether later samples put the offset elsewhere than earlier ones do.
    private mutating func stepped(
        from earlier: some Collection<EnvelopeSample>, to later: some Collection<EnvelopeSample>, now: Double
    ) -> Bool {
        guard let fit else { return false }
        let known = EnvelopeFitter.Prior(slope: fit.slope, deviation: fit.slopeDeviation + 500)
        let old = EnvelopeFitter(earlier, now: now).fit(slope: fit.slope, prior: prior)
        let new = EnvelopeFitter(later, now: now).fit(slope: fit.slope, prior: known)
        let few = 1 + 8 / Double(max(1, later.count))
        let limit = 7 * (old.offsetDeviation + few * new.offsetDeviation) + 2_000
        let difference = abs(new.offset - old.offset)
        guard difference > limit else { return false }
        // Longer delays move envelopes outwards: the old offset is still between them. A step leaves it outside.
        if old.offset > new.upper + limit || old.offset < new.lower - limit { return true }
        // What stands in a queue makes round trips longer by twice what it moves the offset, a step by nothing.
        let longer = lowestRoundTrip(later) - lowestRoundTrip(earlier)
        return isSymmetric && longer < 1.5 * difference + new.upperSpacing + new.lowerSpacing
    }

    private mutating func compareRecent(now: Double) {
        guard sinceComparison >= Self.comparisonInterval, samples.count >= 2 * Self.recentCount else { return }
        sinceComparison = 0
        let recent = Array(samples.suffix(Self.recentCount))
        guard stepped(from: samples.dropLast(Self.recentCount), to: recent, now: now) else {
            forgetOutlived(now: now)
            return
        }
        // Some of these may be older than the step, and would hold the new envelopes down.
        let later = recent.filter { $0.sent >= lastDoubt }
        relearn(from: later.count >= Self.suspectCount ? later : recent, now: now)
    }

    /// Drops the older half where the newer tells more without it: it came by a path that is gone.
    private mutating func forgetOutlived(now: Double) {
        guard let fit, samples.count >= 4 * Self.recentCount else { return }
        let newer = samples.suffix(samples.count / 2)
        let alone = EnvelopeFitter(newer, now: now).fit(slope: fit.slope, prior: prior)
        let all = EnvelopeFitter(samples, now: now).fit(slope: fit.slope, prior: prior)
        let older = samples.dropLast(newer.count)
        let margin = Self.longerPath * (alone.upperSpacing + alone.lowerSpacing)
        guard lowestRoundTrip(newer) > lowestRoundTrip(older) + margin,
            alone.offsetDeviation < all.offsetDeviation
        else { return }
        samples.removeFirst(samples.count - newer.count)
    }

    private func lowestRoundTrip(_ samples: some Sequence<EnvelopeSample>) -> Double {
        let slope = fit?.slope ?? prior.slope
        return samples.reduce(.infinity) { min($0, $1.roundTrip(slope: slope)) }
    }

    /// The offset is void, whatever it was; the rate is still what it was but for a crystal that cooled.
    mutating func startAnew() {
        if let fit {
            prior = EnvelopeFitter.Prior(slope: fit.slope, deviation: Self.cooling + fit.slopeDeviation)
            isPriorOnTrial = false
        }
        samples = []
        suspects = []
        (estimate, fit, origin) = (nil, nil, nil)
        smoother = OffsetSmoother()
        sinceComparison = 0
        sinceTrial = 0
        lastDoubt = -.infinity
        generation &+= 1
    }

    private mutating func relearn(from recent: [EnvelopeSample], now: Double) {
        if let fit { prior = EnvelopeFitter.Prior(slope: fit.slope, deviation: 1_000 + fit.slopeDeviation) }
        isPriorOnTrial = false
        samples = recent
        sinceComparison = 0
        smoother.relearn(now: now)
    }

    // MARK: Publishing

    private mutating func update(now: HostTime, origin: EnvelopeOrigin) {
        guard samples.count >= Self.firstCount else { return }
        let time = origin.seconds(now)
        if let first = samples.first, time - first.sent > ClockLimits.sampleAge.seconds * 1.1 {
            samples.removeAll { time - $0.sent > ClockLimits.sampleAge.seconds }
        }
        tryPrior(now: time)
        let fit = EnvelopeFitter(samples, now: time).fit(slope: self.fit?.slope ?? prior.slope, prior: prior)
        self.fit = fit
        fitTime = time
        let jumped = smoother.note(fit, now: time, jump: Self.jump)
        if jumped { generation &+= 1 }
        let deviation = fit.offsetDeviation * (1 + 4 / Double(samples.count)) * crowding(now: time)
        let bound = Self.deviations * deviation + abs(smoother.offset - fit.offset) + Self.boundFloor
        let roundTrip = lowestRoundTrip(samples.suffix(64))
        estimate = ClockEstimate(
            mapping: ClockMapping(
                host: now, session: origin.session(at: now, offset: smoother.offset),
                skew: PartsPerMillion(fit.slope * 1e-3)),
            errorBound: TimeSpan(nanoseconds: Int64(saturating: bound)),
            asymmetryLimit: TimeSpan(nanoseconds: Int64(saturating: roundTrip / 2)),
            roundTrip: TimeSpan(nanoseconds: Int64(saturating: roundTrip)),
            skewBound: PartsPerMillion(4 * skewDeviation(fit) * 1e-3 + 0.01),
            generation: generation)
    }

    /// Drops what was believed of the rate where the exchanges contradict it, for something less sure: a machine may
    /// have calibrated its clock anew since it was met, a crystal be none.
    private mutating func tryPrior(now: Double) {
        guard isPriorOnTrial else { return }
        sinceTrial += 1
        guard sinceTrial >= Self.trialInterval else { return }
        sinceTrial = 0
        guard let wider = EnvelopeFitter.Prior.wider(than: prior) else {
            isPriorOnTrial = false
            return
        }
        let free = EnvelopeFitter(samples, now: now).fit(slope: prior.slope, prior: wider)
        let expected = (prior.deviation * prior.deviation + free.slopeDeviation * free.slopeDeviation).squareRoot()
        if abs(free.slope - prior.slope) > Self.contradictionDeviations * expected {
            prior = wider
        } else if free.slopeDeviation < prior.deviation / 4 {
            isPriorOnTrial = false
        }
    }

    /// One deviation of the skew: more than the fit says while exchanges are few, since their spacing is a guess then,
    /// but not more than was known beforehand. Of 4,000 simulated joiners, 1 in 1,000 would begin with 112 ppm of error
    /// without it, with it 27.
    private func skewDeviation(_ fit: EnvelopeFit) -> Double {
        let ratio = 8 / Double(max(1, samples.count))
        return min(fit.slopeDeviation * (1 + ratio * ratio), max(fit.slopeDeviation, prior.deviation))
    }

    /// How much less the newest exchanges say than the spacing of all of them tells, where the older lie closer.
    private func crowding(now: Double) -> Double {
        let newest = samples.suffix(Self.crowdingCount)
        guard let first = samples.first, let recent = newest.first, samples.count > newest.count else { return 1 }
        let even = Double(newest.count) * (now - first.sent) / max(1e-3, now - recent.sent)
        return min(max((Double(samples.count) / max(1, even)).squareRoot(), 1), 2)
    }
}
