import AudioCore

// What an exchange tells
//
// A request leaves at t1 (host), arrives at t2 (session), the reply leaves at t3 (session) and arrives at t4 (host).
// With S(h) the session time at host time h, and both delays at least zero,
//
//     t2 - t1 = S(t1) - t1 + forward delay        too high, never too low
//     t3 - t4 = S(t4) - t4 - backward delay       too low, never too high
//
// so each exchange gives two observations of the offset with one-sided noise, a ceiling and a floor, rather than one
// with symmetric noise. The delay of either direction is a base that the path always costs plus queueing that is often
// near zero and sometimes 30 ms. The usual estimator takes the midpoint of the exchange with the lowest round trip; it
// needs one exchange that was lucky both ways. Here each direction is treated separately: the lower envelope of the
// ceilings runs parallel to the offset, one forward base above it; the upper envelope of the floors runs one backward
// base below it. The offset lies midway if the two bases are equal (no exchange can tell; half the lowest round trip
// limits the error). With n exchanges of exponential queueing of mean q, the lowest of a direction misses its envelope
// by q/n on average, while the lowest round trip misses by some q times the root of 2/n.
//
// The line
//
// Offset and skew come from one fit: two parallel lines, one under all ceilings and one over all floors, as far apart
// as their common slope allows. For exponential queueing the distance of the lines divided by the spacing s = q/n is
// the log-likelihood of the slope, up to a constant. It is combined with a prior on the slope (two crystals are rarely
// 100 ppm apart; the rate of a known peer is remembered). The distance is a concave function of the slope with corners,
// and its maximum jumps from corner to corner as exchanges arrive. So not the maximum is published but the
// likelihood-weighted mean over all slopes, which moves smoothly and gives the deviations of offset and slope as well.
// Only points on the convex hulls matter: some tens out of hundreds.
//
// The spacing of either side is measured as the mean distance between its ten lowest residuals. The lowest residual is
// expected to lie one spacing away from its envelope: half the difference of the two spacings corrects for a path that
// is busier one way than the other.
//
// Wander
//
// Crystals do not keep their rate. So old ceilings are raised, and old floors lowered, by what a random walk of the
// rate may have done since. That grows with age to the power of 1.5: 1.5 us after 10 s, 21 us after a minute. So on a
// quiet link the last ten seconds decide, on a link with jitter the last minute or two.
//
// That is one deviation of a walk, and in a minute far less than a ramp does: while a machine warms up its rate changes
// by 1 ppm a minute, and its exchanges of two minutes ago lie 120 us inside the envelopes, loosened by 67. So they are
// loosened by such a ramp as well; in the first ten seconds it is nothing beside the walk. On a wire even that is too
// little, since what is old is loosened by many times what the offset is known to: it tells nothing of a clock that
// keeps its rate, and something wrong of one that does not. It is forgotten, unless the rest alone knows much less, as
// while a queue stands. The window of a quiet LAN is some 15 s long, as exact as one of 128 s while the rate is steady.
//
// Rough paths
//
// The error of an envelope goes with 1 / (exchanges x density of the delays at the edge). A radio whose delays have no
// sharp lower edge takes the most exchanges that a window can hold: while its bound is large, requests come 6 to 15 ms
// apart at first and 40 ms later, and a minute of them is kept. Fits then come a tenth of a second apart, since many
// exchanges change little each.
//
// The bound
//
// The published bound is 5.3 deviations (of the weighted mean, and of the two spacings), or 6.25 over radio, whose
// delays are less like exponential ones; more while exchanges are few or the newest are sparser than the rest; plus the
// distance of the smoothed offset from the fit, plus a floor for the stamps themselves. The likelihood is tempered by
// two, since real delays are neither exponential nor independent. In simulation, the bound contained the truth in
// 99.9 % of seconds with delays that were exponential, uniform, gamma, log-normal, normal, in bursts or of a radio that
// saves power, and rates that were steady, walked by 0.05 ppm or ramped by 1 ppm a minute; and its median was one to
// three times the 99th percentile of the error. The worst was 99.8 %, where one direction was five times as busy.
//
// Steps
//
// Queueing raises ceilings and lowers floors. A ceiling well under its envelope, or a floor well above, means either a
// better path or a clock that stepped (or stood still while a machine slept). Such an exchange is set aside and a burst
// is requested; eight exchanges later their own envelopes are compared with the old ones. If the offset differs,
// everything older is forgotten and the skew kept as a prior: a step is learned some 50 ms after the first exchange
// that saw it. If a queue could explain the difference, 16 exchanges and then 32 decide. If it does not differ, it was
// a lucky exchange or a shorter path, and they join the others; one or two that no other confirms are dropped. Steps
// too small to stand out in one exchange are found by comparing the last 32 with all older ones from time to time. A
// path that becomes longer, in one direction or both, changes nothing: a standing queue on a congested link moves its
// envelope outwards, and old envelopes stay true until they have aged away.
//
// A longer path
//
// Exchanges over an earlier, shorter path keep the offset true while they age. But when only a few of them are left,
// all from about the same time far back, nothing fixes the slope: the line tilts towards the newer ones, and for
// seconds the offset was wrong by 0.5 ms, under a bound of 5 ms. So from time to time the newer half is fitted alone.
// If none of it was nearly as fast as the fastest of the older half, and it gives the offset a smaller deviation than
// all together do, the older half is forgotten. A queue that stands one way for half a minute must not pass for such a
// path any sooner because more was asked meanwhile: what came at a higher rate than eight a second counts as if it had
// not.
//
// A remembered rate
//
// The prior of a known peer is narrow (2 ppm). A wrong one would persist for seconds, for example if it was learned
// before a boot that recalibrated a counter. So it is on trial: every fourth estimate is also fitted without it, and if
// that rate lies four deviations away, the prior becomes that of an unknown peer. That one is on trial as well: a clock
// 1,000 ppm off is 17 of its deviations away, and the estimate lay somewhere in between for half a second on a LAN, and
// for more than ten over radio, with a bound that did not account for it.
//
// Tried and rejected: the lowest round trip of a window (see above), regression weighted by the round trip (spoiled by
// the tails), the maximum instead of the mean over slopes (jumps), a wander of 10 ns/s per root second (the bound
// missed the truth in 29 % of seconds when the simulated rate walked by 20).

/// Estimates offset and skew from exchanges, as explained above. A value type; not thread-safe.
struct ClockEstimator: Sendable {
    enum Advice: Sendable { case goOn, askMore }

    /// Exchanges before the first estimate.
    static let firstCount = 4
    /// Exchanges needed before a contradiction can be recognised.
    static let establishedCount = 12
    /// Exchanges after a contradiction that decide whether the clock stepped; and the larger numbers that decide if the
    /// delays of the first could also come from a queue.
    static let suspectCount = 8
    static let decisionCounts = [suspectCount, 16, 32]
    /// Recent exchanges that are compared with all older ones, and how often.
    static let recentCount = 32
    static let comparisonInterval = 16
    /// From so many exchanges on, a fit is not renewed before this many seconds have passed.
    static let plenty = 256
    static let fitInterval = 0.1
    /// A jump above this, in nanoseconds, starts a new generation; a smaller one is slewed.
    static let jump = 50_000.0
    static let deviations = 5.3
    static let radioDeviations = 6.25
    static let crowdingCount = 16
    static let boundFloor = 50.0
    /// Estimates between two trials of the prior, and the deviations that contradict it.
    static let trialInterval = 4
    static let contradictionDeviations = 4.0
    /// How far a crystal's rate may change during a sleep, in nanoseconds per second (one deviation).
    static let cooling = 3_000.0

    private(set) var estimate: ClockEstimate?
    private var prior: EnvelopeFitter.Prior
    private var origin: EnvelopeOrigin?
    private var window = EnvelopeWindow()
    private var suspects: [EnvelopeSample] = []
    private var fit: EnvelopeFit?
    private var fitTime = 0.0
    private var smoother = OffsetSmoother()
    private var generation: UInt32 = 0
    private var sinceComparison = 0
    /// The prior is on trial until the exchanges give the rate as well as it does.
    private var isPriorOnTrial = true
    /// Arrival time of the last exchange that contradicted all before it. If the clock stepped, it may have done so
    /// during that exchange, or others then on their way: only requests sent later lie wholly after the step.
    private var lastDoubt = -Double.infinity
    private var sinceTrial = 0

    /// Whether both directions queue alike. If not, a queue that stands for a second must not pass for a step.
    private let isSymmetric: Bool

    init(prior: SkewPrior, isSymmetric: Bool = true) {
        self.isSymmetric = isSymmetric
        let limit = EnvelopeFitter.steepest
        self.prior = EnvelopeFitter.Prior(
            slope: min(max(prior.skew.value * 1e3, -limit), limit), deviation: max(prior.deviation.value, 0.01) * 1e3)
    }

    /// Adds an exchange and renews ``estimate``.
    /// - Parameter estimatesNow: false leaves ``estimate`` to the next one, which is about to come.
    mutating func add(_ exchange: Exchange, estimatesNow: Bool = true) -> Advice {
        let origin = origin ?? EnvelopeOrigin(exchange)
        self.origin = origin
        let sample = origin.sample(exchange)
        let advice = sort(sample)
        if suspects.isEmpty { compareRecent(now: sample.received) }
        if suspects.isEmpty, estimatesNow { update(now: exchange.t4, origin: origin) }
        return advice
    }

    /// Applies the kernel's transmit stamp of an earlier reply: later than the one in the reply, and nearer the truth.
    mutating func revise(sequence: UInt32, transmit: SessionTime) {
        window.revise(sequence: sequence, transmit: transmit)
        suspects.revise(sequence: sequence, transmit: transmit)
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
        window.append(sample)
        sinceComparison += 1
    }

    /// Returns whether a sample lies inside the envelopes, further than chance explains.
    private func contradicts(_ sample: EnvelopeSample) -> Bool {
        guard let fit, window.samples.count >= Self.establishedCount else { return false }
        let elapsed = sample.received - fitTime
        let doubt = 4 * (fit.offsetDeviation + fit.slopeDeviation * abs(elapsed)) + 2_000
        let upper = fit.upper + fit.slope * (sample.sent - fitTime)
        let lower = fit.lower + fit.slope * (sample.received - fitTime)
        return upper - sample.upper > doubt + 8 * fit.upperSpacing
            || sample.lower - lower > doubt + 8 * fit.lowerSpacing
    }

    /// Decides, once there are enough suspects, between a step, an outlier and a shorter path.
    private mutating func decide(now: Double) {
        let later = suspects.filter { $0.sent >= lastDoubt }
        guard Self.decisionCounts.contains(later.count) else { return }
        guard !stepped(from: window.samples, to: later, now: now) else {
            suspects.removeAll(keepingCapacity: true)
            relearn(from: later, now: now)
            return
        }
        let isOutlier = suspects.count { contradicts($0) } <= 2
        guard isOutlier || later.count == Self.decisionCounts.last else { return }
        let held = suspects
        suspects.removeAll(keepingCapacity: true)
        for sample in held where !(isOutlier && contradicts(sample)) { append(sample) }
    }

    /// Returns whether later samples give a different offset than earlier ones.
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
        // Longer delays move envelopes outwards, with the old offset still between them. A step leaves it outside.
        if old.offset > new.upper + limit || old.offset < new.lower - limit { return true }
        // A queue lengthens round trips by twice what it moves the offset; a step does not change them.
        let longer = later.lowestRoundTrip(slope: fit.slope) - earlier.lowestRoundTrip(slope: fit.slope)
        return isSymmetric && longer < 1.5 * difference + new.upperSpacing + new.lowerSpacing
    }

    private mutating func compareRecent(now: Double) {
        guard sinceComparison >= Self.comparisonInterval, window.samples.count >= 2 * Self.recentCount else { return }
        sinceComparison = 0
        let recent = Array(window.samples.suffix(Self.recentCount))
        guard stepped(from: window.samples.dropLast(Self.recentCount), to: recent, now: now) else {
            forget(now: now)
            return
        }
        // Some may be older than the step, and would hold the new envelopes down.
        let later = recent.filter { $0.sent >= lastDoubt }
        relearn(from: later.count >= Self.suspectCount ? later : recent, now: now)
    }

    /// Drops what tells nothing any more, or something wrong.
    private mutating func forget(now: Double) {
        guard let fit else { return }
        window.forgetOutlived(now: now, fit: fit, prior: prior)
        guard isWired(window.samples.lowestRoundTrip(slope: fit.slope)) else { return }
        window.forgetLoosened(now: now, fit: fit, prior: prior)
    }

    private func isWired(_ roundTrip: Double) -> Bool { roundTrip < Double(ClockLimits.wiredRoundTrip.nanoseconds) }

    /// Forgets the offset; keeps the rate, but for what a cooling crystal may change.
    mutating func startAnew() {
        if let fit {
            prior = EnvelopeFitter.Prior(slope: fit.slope, deviation: Self.cooling + fit.slopeDeviation)
            isPriorOnTrial = false
        }
        window = EnvelopeWindow()
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
        window = EnvelopeWindow(recent)
        sinceComparison = 0
        smoother.relearn(now: now)
    }

    // MARK: Publishing

    private mutating func update(now: HostTime, origin: EnvelopeOrigin) {
        guard window.samples.count >= Self.firstCount else { return }
        let time = origin.seconds(now)
        if fit != nil, window.samples.count >= Self.plenty, fitTime..<fitTime + Self.fitInterval ~= time { return }
        window.forgetOldest(now: time)
        tryPrior(now: time)
        let samples = window.samples
        let fit = EnvelopeFitter(samples, now: time).fit(slope: self.fit?.slope ?? prior.slope, prior: prior)
        self.fit = fit
        fitTime = time
        let jumped = smoother.note(fit, now: time, jump: Self.jump)
        if jumped { generation &+= 1 }
        let deviation = fit.offsetDeviation * (1 + 4 / Double(samples.count)) * crowding(now: time)
        let roundTrip = samples.suffix(64).lowestRoundTrip(slope: fit.slope)
        let deviations = isWired(roundTrip) ? Self.deviations : Self.radioDeviations
        let bound = deviations * deviation + abs(smoother.offset - fit.offset) + Self.boundFloor
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

    /// Replaces the prior by a wider one if the exchanges contradict it: a machine may have recalibrated its clock
    /// since the last meeting, or its clock may be no crystal.
    private mutating func tryPrior(now: Double) {
        guard isPriorOnTrial else { return }
        sinceTrial += 1
        guard sinceTrial >= Self.trialInterval else { return }
        sinceTrial = 0
        guard let wider = EnvelopeFitter.Prior.wider(than: prior) else {
            isPriorOnTrial = false
            return
        }
        let free = EnvelopeFitter(window.samples, now: now).fit(slope: prior.slope, prior: wider)
        let expected = (prior.deviation * prior.deviation + free.slopeDeviation * free.slopeDeviation).squareRoot()
        if abs(free.slope - prior.slope) > Self.contradictionDeviations * expected {
            prior = wider
        } else if free.slopeDeviation < prior.deviation / 4 {
            isPriorOnTrial = false
        }
    }

    /// Returns one deviation of the skew: more than the fit's while exchanges are few, since their spacing is then a
    /// guess, but no more than the prior's. Of 4,000 simulated joiners, 1 in 1,000 started with an error of 112 ppm
    /// without this, and of 27 ppm with it.
    private func skewDeviation(_ fit: EnvelopeFit) -> Double {
        let ratio = 8 / Double(max(1, window.samples.count))
        return min(fit.slopeDeviation * (1 + ratio * ratio), max(fit.slopeDeviation, prior.deviation))
    }

    /// Returns the factor by which the newest exchanges tell less than the spacing of all, when they come less often.
    private func crowding(now: Double) -> Double {
        let samples = window.samples
        let newest = samples.suffix(Self.crowdingCount)
        guard let first = samples.first, let recent = newest.first, samples.count > newest.count else { return 1 }
        let even = Double(newest.count) * (now - first.sent) / max(1e-3, now - recent.sent)
        return min(max((Double(samples.count) / max(1, even)).squareRoot(), 1), 2)
    }
}
