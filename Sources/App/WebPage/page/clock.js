/**
 * The broadcaster's clock, by exchanges over a WebSocket, as native listeners estimate it (see ClockSync).
 *
 * A request leaves at t1 and its reply arrives at t4 by this page's clock (`performance.now()`, milliseconds); in between
 * it was read at t2 and answered at t3 by the broadcaster's. t2 - t1 is never below the offset, t3 - t4 never above, so
 * whatever makes a stamp late (a blocked page, a queue) only lets that exchange tell nothing. A coarse clock is late by
 * up to its step in both stamps alike, so the middle stays right for stamps of the same clock; half a step is added to
 * the bound. Where its steps end by chance (Chromium), stamps are early or late by up to a step, alike at both ends.
 * The path is TCP, so it is not taken as symmetric: the bound includes half the lowest round trip, and the clock has
 * stepped only where the old offset lies outside of the new envelopes.
 *
 * Exchanges come in chains: the next request leaves as soon as a reply is there. Whoever takes a part in the first one
 * had to wake (in Chromium that costs a request 0.4 ms, and its reply 0.1 ms, so the middle is 0.15 ms off); in the
 * further ones all are awake, and both ways take 0.1 ms.
 */
import { fitEnvelopes } from "./envelope.js";
import { milliseconds } from "./wire.js";

/** Exchanges before the first estimate; before a contradiction is recognised; that decide one; that decide it anyhow. */
const FIRST = 4;
const ESTABLISHED = 12;
const SUSPECTS = 8;
const AMPLE = 16;
/** Recent exchanges that are compared with all older ones, and how often. */
const RECENT = 32;
const COMPARISON_INTERVAL = 16;
/** Exchanges that are kept, and for how many seconds. */
const SAMPLES = 512;
const SAMPLE_AGE = 150;
const DEVIATIONS = 5.3;
const BOUND_FLOOR = 0.05;
/** How far a crystal's rate may change during a sleep, in ppm (one deviation). */
const COOLING = 3;
const STRANGER = { slope: 0, deviation: 60 };
const ANYTHING = { slope: 0, deviation: 1000 };

/** Offset and skew from exchanges. Pure: times are arguments. */
export class ClockEstimator {
  /** Null while unknown: `{ at, offset }` in ms, `skew`, `skewBound` in ppm; bound, asymmetry, roundTrip in ms. */
  estimate = null;
  #origin = null;
  #samples = [];
  #suspects = [];
  #fit = null;
  #fitTime = 0;
  #prior = STRANGER;
  #isOnTrial = true;
  #sinceTrial = 0;
  #sinceComparison = 0;
  #lastDoubt = -Infinity;
  #smoothed = null;
  #step;

  /** @param {number} step the page's clock advances by this many milliseconds */
  constructor(step = 0) { this.#step = step; }

  /**
   * @param {number} t1 @param {number} t2 @param {number} t3 @param {number} t4 milliseconds
   * @param {boolean} isLast whether to estimate now: no other exchange is at hand
   * @returns {boolean} whether to ask more, because the clock may have stepped
   */
  add(t1, t2, t3, t4, isLast = true) {
    this.#origin ??= { host: t1, offset: t2 - t1 };
    const { host, offset } = this.#origin;
    const sample = {
      sent: (t1 - host) / 1e3, upper: (t2 - t1 - offset) * 1e3,
      received: (t4 - host) / 1e3, lower: (t3 - t4 - offset) * 1e3,
    };
    const asksMore = this.#sort(sample);
    if (!this.#suspects.length) this.#compareRecent(sample.received);
    if (isLast && !this.#suspects.length) this.#update(sample.received);
    return asksMore;
  }

  /** Forgets the offset, and keeps the rate but for what a cooling crystal may change. */
  startAnew() {
    if (this.#fit) {
      this.#prior = { slope: this.#fit.slope, deviation: COOLING + this.#fit.slopeDeviation };
      this.#isOnTrial = false;
    }
    [this.#samples, this.#suspects, this.#fit, this.#origin, this.#smoothed] = [[], [], null, null, null];
    [this.#sinceComparison, this.#sinceTrial, this.#lastDoubt] = [0, 0, -Infinity];
    this.estimate = null;
  }

  // Contradictions

  #sort(sample) {
    if (this.#suspects.length) {
      this.#suspects.push(sample);
      this.#decide(sample.received);
      return false;
    }
    if (this.#contradicts(sample)) {
      this.#suspects.push(sample);
      this.#lastDoubt = sample.received;
      return true;
    }
    this.#append(sample);
    return false;
  }

  #append(sample) {
    this.#samples.push(sample);
    this.#sinceComparison += 1;
    if (this.#samples.length > SAMPLES + 64) this.#samples.splice(0, 64);
  }

  /** Whether a sample lies inside the envelopes, further than chance explains. */
  #contradicts(sample) {
    const fit = this.#fit;
    if (!fit || this.#samples.length < ESTABLISHED) return false;
    const doubt = 4 * (fit.offsetDeviation + fit.slopeDeviation * Math.abs(sample.received - this.#fitTime)) + 2
      + this.#step * 1e3;
    const upper = fit.upper + fit.slope * (sample.sent - this.#fitTime);
    const lower = fit.lower + fit.slope * (sample.received - this.#fitTime);
    return upper - sample.upper > doubt + 8 * fit.upperSpacing || sample.lower - lower > doubt + 8 * fit.lowerSpacing;
  }

  /** Decides, once there are enough suspects, between a step, an outlier and a shorter path. */
  #decide(now) {
    const later = this.#suspects.filter((sample) => sample.sent >= this.#lastDoubt);
    if (later.length !== SUSPECTS && later.length !== AMPLE) return;
    if (this.#stepped(this.#samples, later, now)) {
      this.#relearn(later, now);
      return;
    }
    const isOutlier = this.#suspects.filter((sample) => this.#contradicts(sample)).length <= 2;
    if (!isOutlier && later.length !== AMPLE) return;
    const held = this.#suspects.filter((sample) => !(isOutlier && this.#contradicts(sample)));
    this.#suspects = [];
    for (const sample of held) this.#append(sample);
  }

  /** Longer delays move envelopes outwards, with the old offset still between them; a step leaves it outside. */
  #stepped(earlier, later, now) {
    const known = { slope: this.#fit.slope, deviation: this.#fit.slopeDeviation + 0.5 };
    const old = fitEnvelopes(earlier, now, this.#prior, this.#fit.slope);
    const fresh = fitEnvelopes(later, now, known);
    const few = 1 + 8 / later.length;
    const limit = 7 * (old.offsetDeviation + few * fresh.offsetDeviation) + 2 + this.#step * 1e3;
    if (!(Math.abs(fresh.offset - old.offset) > limit)) return false;
    return old.offset > fresh.upper + limit || old.offset < fresh.lower - limit;
  }

  #compareRecent(now) {
    if (this.#sinceComparison < COMPARISON_INTERVAL || this.#samples.length < 2 * RECENT) return;
    this.#sinceComparison = 0;
    const recent = this.#samples.slice(-RECENT);
    if (!this.#stepped(this.#samples.slice(0, -RECENT), recent, now)) return;
    const later = recent.filter((sample) => sample.sent >= this.#lastDoubt);
    this.#relearn(later.length >= SUSPECTS ? later : recent, now);
  }

  #lowestRoundTrip(samples) {
    const slope = this.#fit?.slope ?? this.#prior.slope;
    return samples.reduce((least, s) => Math.min(least, s.upper - s.lower + slope * (s.received - s.sent)), Infinity);
  }

  #relearn(recent, now) {
    if (this.#fit) this.#prior = { slope: this.#fit.slope, deviation: 1 + this.#fit.slopeDeviation };
    this.#isOnTrial = false;
    this.#samples = recent;
    this.#suspects = [];
    this.#sinceComparison = 0;
    if (this.#smoothed) this.#smoothed.start = now;
  }

  // Publishing

  #update(now) {
    if (this.#samples.length < FIRST) return;
    if (now - this.#samples[0].sent > SAMPLE_AGE * 1.1) {
      this.#samples = this.#samples.filter((sample) => now - sample.sent <= SAMPLE_AGE);
    }
    this.#tryPrior(now);
    const fit = fitEnvelopes(this.#samples, now, this.#prior, this.#fit?.slope);
    this.#fit = fit;
    this.#fitTime = now;
    const offset = this.#smooth(fit, now);
    const count = this.#samples.length;
    const deviation = fit.offsetDeviation * (1 + 4 / count);
    const statistical = DEVIATIONS * deviation + Math.abs(offset - fit.offset) + BOUND_FLOOR;
    const roundTrip = Math.max(0, this.#lowestRoundTrip(this.#samples.slice(-64)) / 1e3) + this.#step;
    const ratio = (8 / count) ** 2;
    const skewDeviation = Math.min(fit.slopeDeviation * (1 + ratio), Math.max(fit.slopeDeviation, this.#prior.deviation));
    this.estimate = {
      at: this.#origin.host + now * 1e3, offset: this.#origin.offset + offset / 1e3, skew: fit.slope,
      bound: statistical / 1e3 + roundTrip / 2 + this.#step / 2, statistical: statistical / 1e3 + this.#step / 2,
      asymmetry: roundTrip / 2, roundTrip, skewBound: 4 * skewDeviation + 0.01,
    };
  }

  /** The published offset moves as slowly as knowledge grows, but never lies 3 deviations off. */
  #smooth(fit, now) {
    const s = this.#smoothed ??= { start: now, time: now, offset: fit.offset, slope: fit.slope };
    const elapsed = Math.max(0, now - s.time);
    const expected = s.offset + s.slope * elapsed;
    [s.time, s.slope] = [now, fit.slope];
    if (now - s.start < 0.5) return s.offset = fit.offset;
    const constant = Math.min(3, (now - s.start) / 3);
    const offset = expected + (fit.offset - expected) * (1 - Math.exp(-elapsed / constant));
    const tolerated = 3 * fit.offsetDeviation;
    return s.offset = Math.min(Math.max(offset, fit.offset - tolerated), fit.offset + tolerated);
  }

  /** A clock may be no crystal: its prior is replaced by a wider one where the exchanges contradict it. */
  #tryPrior(now) {
    if (!this.#isOnTrial) return;
    this.#sinceTrial += 1;
    if (this.#sinceTrial < 4) return;
    this.#sinceTrial = 0;
    if (this.#prior.deviation >= ANYTHING.deviation) {
      this.#isOnTrial = false;
      return;
    }
    const free = fitEnvelopes(this.#samples, now, ANYTHING, this.#prior.slope);
    const expected = Math.hypot(this.#prior.deviation, free.slopeDeviation);
    if (Math.abs(free.slope - this.#prior.slope) > 4 * expected) this.#prior = ANYTHING;
    else if (free.slopeDeviation < this.#prior.deviation / 4) this.#isOnTrial = false;
  }
}

/**
 * Exchanges of a chain; pauses between chains in the first burst, at least behind it, and at most, ms: half of that while
 * the statistical bound is above COARSE_MS. The broadcaster answers 100 at once and 50 a second.
 */
const CHAIN = 4;
const BURST_MS = 600;
const BURST_PAUSE_MS = 40;
const PAUSE_MS = 100;
const STEADY_MS = 500;
const COARSE_MS = 0.2;
/** A chain is not waited for any longer behind its last request, ms: what came until then is looked at. */
const PATIENCE_MS = 100;
/** A reply that takes longer is lost, ms; requests that may be under way. */
const REPLY_TIMEOUT = 1000;
const PENDING = 64;

/**
 * Asks for the time, and knows it. The owner sends what `request` gives; when a reply comes it sends what `further` gives,
 * before anything else, and calls `receive`.
 */
export class SessionClock {
  #estimator;
  #pending = new Map();
  #sequence = 0;
  #burstStart = null;
  #due = -Infinity;
  /** Requests of the chain that are still to come; when the last one left; exchanges to look at when it ends. */
  #left = 0;
  #asked = -Infinity;
  #held = [];

  /** @param {number} step see `measureStep` */
  constructor(step = 0) { this.#estimator = new ClockEstimator(step); }

  get estimate() { return this.#estimator.estimate; }

  /** Starts a burst: at the beginning, after a sleep, or when the clock may have stepped. */
  burst(now) { [this.#burstStart, this.#due] = [now, now]; }

  /** After a sleep of the machine, or a broadcaster that is another one. */
  startAnew(now) {
    this.#estimator.startAnew();
    this.#pending.clear();
    this.#held = [];
    this.burst(now);
  }

  /** Milliseconds until `request` has something to do; 0 if it has. */
  wait(now) {
    const due = this.#held.length ? Math.min(this.#due, this.#asked + PATIENCE_MS) : this.#due;
    return Math.max(0, Math.min(due - now, 1000));
  }

  /**
   * The first request of a chain, if one is due. Call it at once before sending.
   * @returns {Uint8Array | null}
   */
  request(now) {
    // A reply that is late or lost keeps the others waiting no longer.
    if (this.#held.length && now - this.#asked >= PATIENCE_MS) this.#conclude(now);
    if (now < this.#due && this.#due - now < 1000) return null;
    this.#burstStart ??= now;
    const age = now - this.#burstStart;
    const steady = (this.estimate?.statistical ?? Infinity) > COARSE_MS ? STEADY_MS / 2 : STEADY_MS;
    const pause = age < BURST_MS ? BURST_PAUSE_MS : Math.min(Math.max(age * 0.08, PAUSE_MS), steady);
    // Pauses vary by a tenth, so that a periodic disturbance does not hit every chain.
    this.#due = now + pause * (0.9 + 0.2 * (this.#sequence * 0.618034 % 1));
    this.#left = CHAIN;
    return this.further(now);
  }

  /**
   * The next request of the chain; null if it is complete. Call it at once before sending.
   * @returns {Uint8Array | null}
   */
  further(now) {
    if (this.#left === 0) return null;
    this.#left -= 1;
    this.#sequence += 1;
    for (const [key, sent] of this.#pending) {
      if (now - sent > REPLY_TIMEOUT || this.#pending.size >= PENDING) this.#pending.delete(key);
    }
    this.#pending.set(this.#sequence, now);
    this.#asked = now;
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, this.#sequence);
    return bytes;
  }

  /** @param {ArrayBuffer} reply 24 bytes: the request, session time when it was read and when it was answered (i64 ns) */
  receive(reply, now) {
    if (reply.byteLength !== 24) return;
    const view = new DataView(reply);
    const sequence = view.getFloat64(0);
    const sent = this.#pending.get(sequence);
    if (sent === undefined) return;
    this.#pending.delete(sequence);
    const [read, written] = [milliseconds(view.getBigInt64(8)), milliseconds(view.getBigInt64(16))];
    if (now - sent > REPLY_TIMEOUT || written < read || !(Math.abs(read) < 1e13)) return;
    this.#held.push([sent, read, written, now]);
    // To estimate takes as long as an exchange: the chain does not wait for it.
    if (!this.#pending.size || this.#held.length >= CHAIN) this.#conclude(now);
  }

  /** Estimates by the exchanges that are complete. */
  #conclude(now) {
    const held = this.#held;
    this.#held = [];
    let asksMore = false;
    held.forEach((times, i) => { asksMore = this.#estimator.add(...times, i === held.length - 1) || asksMore; });
    if (asksMore && now - this.#burstStart > BURST_MS) this.burst(now);
  }

  /** Session time at a moment of `performance.now()`; both in ms. Null while unknown. */
  session(now) {
    const e = this.estimate;
    return e && now + e.offset + (now - e.at) * e.skew * 1e-6;
  }

  /** The moment of `performance.now()` of a session time; both in ms. Null while unknown. */
  time(session) {
    const e = this.estimate;
    return e && e.at + (session - e.at - e.offset) / (1 + e.skew * 1e-6);
  }

  /** Bound of that, ms; it grows while no reply comes. */
  bound(now) {
    const e = this.estimate;
    return e && e.bound + Math.abs(now - e.at) * e.skewBound * 1e-6;
  }
}

/** The step by which `now()` advances, in ms: 0.1 in Chromium, 1 in Firefox and Safari over http; 0 if it is finer. */
export function measureStep(now = () => performance.now()) {
  let least = Infinity;
  let last = now();
  for (let seen = 0, tries = 0; seen < 5 && tries < 200_000; tries += 1) {
    const next = now();
    if (next > last) {
      least = Math.min(least, next - last);
      seen += 1;
    }
    last = next;
  }
  return least < 0.02 || least > 20 ? 0 : least;
}
