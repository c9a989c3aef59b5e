/**
 * Which frame of an AudioContext is heard when: context time against `performance.now()`.
 *
 * `getOutputTimestamp()` pairs the two: one new pair for each buffer that the sound system asks for. How good they are
 * depends on the driver:
 * - Where it says when its frames sound, pairs are true but for the coarseness of the page's clock, whose error is
 *   triangular (a step of 100 us: 41 us) and has no constant part; where it is rounded down, `performance.now()` is so,
 *   too. The best line is the least squares of the last seconds; far outliers weigh little.
 * - Where it only knows that a burst was taken, pairs are late by 0 to one burst (5 to 21 ms), often in slow beats: then
 *   the line under all of the last half minute is right, and least squares would be late by half a burst.
 *
 * Which of both it is, the pairs' distances from the first line tell. Where a browser gives no use of a pair (0, frozen,
 * or jumping), `currentTime` less the stated latency, now, takes its place: that is read late by up to a buffer, too.
 *
 * The first pairs of a context that begins to run are wrong by milliseconds. After an underrun of the card the line
 * jumps: pairs off the line that agree with each other are a step, which begins anew.
 */
import { fitLower } from "./envelope.js";

/** Every number of the fit, in one place. Times in seconds unless said otherwise. */
export const CARD = {
  /** How long pairs count, where they are true, and where they are late; how close they may follow each other. */
  window: 20,
  lateWindow: 30,
  spacing: 0.02,
  points: 1024,
  /** Pairs and time before the first answer, and the context's time that is not believed after it began to run. */
  firstPoints: 4,
  firstSpan: 0.06,
  settling: 0.1,
  /** Pairs are late, not true, if their deviation is above this (us, and steps of the page's clock). */
  coarse: 100,
  coarseSteps: 1,
  /** Time within which late pairs have shown how early they can be, and the part of a burst that stays unknown. */
  beat: 20,
  lateDoubt: 0.05,
  /** Cards are rarely further from the machine's clock than this (one deviation, ppm); after a step they keep it so. */
  rateDeviation: 150,
  keptRateDeviation: 10,
  /** How far a card's rate wanders: old pairs weigh half after this time. */
  halfLife: 12,
  /**
   * Pairs off the line by so much (us, and deviations) are suspect. So many in a row are a step if they agree, of which
   * the first is not believed either; more are needed where single ones came to nothing lately.
   */
  stepMicroseconds: 1000,
  stepDeviations: 8,
  stepPoints: 2,
  doubtfulStepPoints: 6,
  /** Stamps further from now, or further behind `currentTime`, are implausible; as are those that stand still so long. */
  farthest: 2,
  frozen: 0.4,
  /** After so long without a plausible stamp the substitute is used; after so long with them, they are again. */
  patience: 0.4,
  trust: 2,
  /** Deviations in the bound. */
  deviations: 4,
};

export class CardClock {
  /** Steps that were found. */
  steps = 0;
  /** Whether stamps are of no use here, so that the substitute is taken. */
  isSubstitute = false;
  /** Whether pairs are late by chance, so that the earliest count. */
  #isCoarse = false;
  #points = [];
  #suspects = [];
  /** When a suspect last came to nothing, s. */
  #lastFalseAlarm = -Infinity;
  #lastStamp = null;
  /** Context time from which pairs are believed. */
  #settled = null;
  /** Since when stamps were of the other kind than what is used, s. */
  #otherSince = null;
  #prior = { slope: 0, deviation: CARD.rateDeviation };
  #line = null;
  #step;

  /**
   * @param {number} rate frames per second of context time
   * @param {number} step by which `performance.now()` advances, ms
   */
  constructor(rate, step = 0) {
    this.rate = rate;
    this.#step = step;
  }

  get isKnown() { return this.#line !== null; }
  /** Rate of the card against this machine's clock, ppm. */
  get skew() { return this.#line?.slope ?? 0; }

  /** Bound at a moment, ms; null while unknown. It is about the stamps: what happens behind them no page can see. */
  bound(now) {
    const line = this.#line;
    if (!line) return null;
    const age = Math.abs(now / 1e3 - line.origin - line.center);
    const chance = CARD.deviations * Math.hypot(line.offsetDeviation, line.slopeDeviation * age);
    return (chance + line.doubt) / 1e3 + this.#step / 2;
  }

  /** The frame heard at a moment of `performance.now()` in ms; fractional. Null while unknown. */
  frame(now) {
    const line = this.#line;
    if (!line) return null;
    const x = now / 1e3 - line.origin;
    return (line.start + x + (line.offset + line.slope * (x - line.center)) / 1e6) * this.rate;
  }

  /** When a frame is heard, in ms of `performance.now()`. */
  time(frame) {
    const line = this.#line;
    if (!line) return null;
    const context = frame / this.rate - line.start;
    const x = (context - (line.offset - line.slope * line.center) / 1e6) / (1 + line.slope / 1e6);
    return (x + line.origin) * 1e3;
  }

  /** Forgets all but the rate: after a sleep, or when the context was suspended. */
  restart() {
    this.#forget();
    [this.#lastStamp, this.#settled, this.#otherSince] = [null, null, null];
  }

  #forget() {
    if (this.#line) {
      const deviation = Math.hypot(CARD.keptRateDeviation, Math.min(this.#line.slopeDeviation, CARD.rateDeviation));
      this.#prior = { slope: this.#line.slope, deviation };
    }
    [this.#points, this.#suspects, this.#line] = [[], [], null];
  }

  /**
   * Takes what the context says now.
   * @param {{ contextTime: number, performanceTime: number } | null} stamp s and ms, of `getOutputTimestamp()`
   * @param {number} currentTime s
   * @param {number} now ms
   * @param {number} latency s, output latency as stated, for the substitute
   */
  note(stamp, currentTime, now, latency) {
    const isPlausible = stamp && stamp.contextTime > 0 && stamp.performanceTime > 0
      && stamp.contextTime <= currentTime + 0.1 && currentTime - stamp.contextTime < CARD.farthest
      && Math.abs(stamp.performanceTime - now) < CARD.farthest * 1e3;
    const isNew = isPlausible && this.#lastStamp?.contextTime !== stamp.contextTime;
    if (isNew) this.#lastStamp = { contextTime: stamp.contextTime, seen: now };
    const isUsable = isPlausible && now - this.#lastStamp.seen < CARD.frozen * 1e3;
    if (currentTime <= 0 || isUsable !== this.isSubstitute) this.#otherSince = null;
    else this.#otherSince ??= now;
    const patience = this.isSubstitute ? CARD.trust : CARD.patience;
    if (this.#otherSince !== null && now - this.#otherSince > patience * 1e3) {
      this.restart();
      this.isSubstitute = !this.isSubstitute;
    }
    if (this.isSubstitute) this.#add(now / 1e3, currentTime - latency);
    else if (isNew) this.#settle(stamp);
  }

  /** Leaves out what is wrong or still of before, when a context has begun to run. */
  #settle({ contextTime, performanceTime }) {
    this.#settled ??= CARD.settling + (contextTime < CARD.settling ? 0 : contextTime);
    if (contextTime >= this.#settled) this.#add(performanceTime / 1e3, contextTime);
  }

  #add(time, context) {
    const point = { time, context };
    const last = this.#points[this.#points.length - 1];
    if (last && !this.#suspects.length && time - last.time < CARD.spacing && time >= last.time) return;
    if (this.#line && this.#isOff(point)) {
      this.#suspects.push(point);
      if (this.#isStep(time)) this.#stepped();
      return;
    }
    if (this.#suspects.length) [this.#suspects, this.#lastFalseAlarm] = [[], time];
    this.#points.push(point);
    const oldest = time - (this.#isLate ? CARD.lateWindow : CARD.window);
    let drop = 0;
    const { points } = CARD;
    while (this.#points[drop]?.time < oldest || this.#points.length - drop > points) drop += 1;
    if (drop) this.#points.splice(0, drop);
    const span = time - this.#points[0].time;
    if (this.#line || (this.#points.length >= CARD.firstPoints && span >= CARD.firstSpan)) this.#fit();
  }

  get #isLate() { return this.isSubstitute || this.#isCoarse; }

  /** By how much a context time is ahead of the line, us; that of a late moment is behind. */
  #ahead({ time, context }) {
    const line = this.#line;
    const x = time - line.origin;
    return (context - line.start - x) * 1e6 - (line.offset + line.slope * (x - line.center));
  }

  #isOff(point) {
    const off = this.#ahead(point);
    const { noise } = this.#line;
    // Late ones lie between the line and one burst behind it: `noise` is that burst.
    const limit = this.#isLate ? (off < 0 ? 1.5 : 1) * noise : CARD.stepDeviations * noise;
    return Math.abs(off) > Math.max(CARD.stepMicroseconds, limit);
  }

  #isStep(time) {
    const isDoubtful = this.#isLate || time - this.#lastFalseAlarm < CARD.window;
    const suspects = this.#suspects.slice(isDoubtful ? -CARD.doubtfulStepPoints : -CARD.stepPoints);
    if (suspects.length < (isDoubtful ? CARD.doubtfulStepPoints : CARD.stepPoints)) return false;
    const offs = suspects.map((point) => this.#ahead(point));
    const width = Math.max(...offs) - Math.min(...offs);
    const deviations = this.#isLate ? 1.5 : CARD.stepDeviations;
    if (width < Math.max(CARD.stepMicroseconds, deviations * this.#line.noise)) return true;
    // What never agrees is no line any more.
    return this.#suspects.length >= 4 * CARD.doubtfulStepPoints;
  }

  /** Begins anew at once, with the rate that was known, from what lies on the new line. */
  #stepped() {
    const held = this.#suspects.slice(-CARD.doubtfulStepPoints).slice(1);
    this.#forget();
    this.steps += 1;
    this.#points = held;
    this.#fit();
  }

  #fit() {
    const points = this.#points;
    const [origin, start] = [points[0].time, points[0].context];
    const xs = points.map((point) => point.time - origin);
    const ys = points.map((point, i) => (point.context - start - xs[i]) * 1e6);
    const line = this.#leastSquares(xs, ys);
    // A few pairs tell little of their deviation, and are bent by a slope that is not known yet.
    const limit = Math.max(CARD.coarse, CARD.coarseSteps * 1e3 * this.#step) * (1 + 8 / points.length);
    this.#isCoarse = line.spread > limit * (this.#isCoarse ? 0.8 : 1);
    this.#line = { origin, start, ...(this.#isLate ? this.#envelope(xs, ys) : line) };
  }

  /** The line under what is late, as offset (us) over time (s), with a prior on the slope. */
  #envelope(xs, ys) {
    const center = xs[xs.length - 1];
    const late = xs.map((x, i) => ({ x: x - center, y: -ys[i] }));
    const fit = fitLower(late, { slope: -this.#prior.slope, deviation: this.#prior.deviation });
    const by = late.map(({ x, y }) => y - fit.height - fit.slope * x);
    const burst = Math.max(1, quantile(by, 0.95));
    return {
      center, offset: -fit.height, slope: -fit.slope, noise: burst, offsetDeviation: fit.heightDeviation,
      slopeDeviation: fit.slopeDeviation, doubt: burst * Math.max(CARD.lateDoubt, 1 - center / CARD.beat),
    };
  }

  /** The line of least squares, by which far points weigh little, with a prior on the slope. */
  #leastSquares(xs, ys) {
    const span = xs[xs.length - 1];
    const ages = xs.map((x) => 0.5 ** ((span - x) / CARD.halfLife));
    // Few pairs may agree by chance.
    const floor = Math.max(5, this.#step * 300, CARD.coarse / xs.length);
    let slope = this.#line?.slope ?? this.#prior.slope;
    let center = span / 2;
    let offset = quantile(ys.map((y, i) => y - slope * (xs[i] - center)), 0.5);
    // That of a normal distribution with outliers, or of a flat one without: whichever is less.
    const deviation = () => {
      const off = ys.map((y, i) => y - offset - slope * (xs[i] - center));
      const squares = off.reduce((sum, value) => sum + value * value, 0);
      return Math.min(1.48 * quantile(off.map(Math.abs), 0.5), Math.sqrt(squares / off.length));
    };
    let spread = deviation();
    let noise = Math.max(floor, spread);
    let [sum, squares] = [0, 0];
    for (let round = 0; round < 6; round += 1) {
      let [w0, w1, v1] = [0, 0, 0];
      const weights = ys.map((y, i) => {
        const residual = y - offset - slope * (xs[i] - center);
        const weight = ages[i] / (1 + (residual / (3 * noise)) ** 2);
        [w0, w1, v1] = [w0 + weight, w1 + weight * xs[i], v1 + weight * y];
        return weight;
      });
      const [middle, mean] = [w1 / w0, v1 / w0];
      // The prior weighs as a measurement of the slope whose noise is that of the points.
      let [xx, xy] = [(noise / this.#prior.deviation) ** 2, 0];
      xy = xx * this.#prior.slope;
      for (let i = 0; i < xs.length; i += 1) {
        xx += weights[i] * (xs[i] - middle) ** 2;
        xy += weights[i] * (xs[i] - middle) * (ys[i] - mean);
      }
      [center, offset, slope, sum, squares] = [middle, mean, xy / xx, w0, xx];
      spread = deviation();
      noise = Math.max(floor, spread);
    }
    // A deviation that few points show may be larger.
    const few = 1 + 2 / xs.length;
    return {
      center, offset, slope, noise, spread, doubt: 0,
      offsetDeviation: few * noise / Math.sqrt(sum), slopeDeviation: few * noise / Math.sqrt(squares),
    };
  }
}

function quantile(values, fraction) {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))];
}
