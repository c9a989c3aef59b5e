/**
 * Two parallel lines, one under all ceilings and one over all floors of an offset, as far apart as their slope allows.
 *
 * Each exchange with a clock gives a ceiling (too high by the delay of the request) and a floor (too low by that of the
 * reply), so the noise is one-sided, and only the lowest count. The distance of the lines in units of their spacing is
 * the log-likelihood of the slope; the mean over all slopes, weighted by it, moves smoothly and gives deviations, too.
 * Old points are loosened by what crystals may have wandered since. Times are in seconds, offsets in microseconds, so
 * slopes are in ppm.
 */

/** No clock is further off: ppm. */
const STEEPEST = 2500;
/** The best precision of stamps, in microseconds. */
const SPACING_FLOOR = 0.04;
/** How fast the rate of two clocks may walk, us/s per root second; and the factor of that walk's integral. */
const WANDER = 0.08 * 0.577;
/** Lowest residuals that give the spacing. */
const LOWEST_COUNT = 10;
/** Divides the log-likelihood: delays are neither exactly exponential nor independent. */
const TEMPER = 2;
/** Deviation of the correction for a path that is busier one way, as a fraction of it. */
const MISSED_DOUBT = 0.3;
const GOLDEN = 0.61803398875;

/** Points (x, y) in order of x, reduced to their lower convex hull. */
class LowerHull {
  xs = [];
  ys = [];

  add(x, y) {
    const { xs, ys } = this;
    for (let n = xs.length; n >= 2; n = xs.length) {
      const turn = (xs[n - 1] - xs[n - 2]) * (y - ys[n - 2]) - (ys[n - 1] - ys[n - 2]) * (x - xs[n - 2]);
      if (turn > 0) break;
      xs.pop();
      ys.pop();
    }
    xs.push(x);
    ys.push(y);
  }

  /** Height at x = 0 of the highest line of this slope that no point is below. */
  support(slope) {
    let lowest = Infinity;
    for (let i = 0; i < this.xs.length; i += 1) lowest = Math.min(lowest, this.ys[i] - slope * this.xs[i]);
    return lowest;
  }
}

/** @param {(slope: number) => number} merit concave @returns {number} the slope of greatest merit */
function bestSlope(merit) {
  let [low, high] = [-STEEPEST, STEEPEST];
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let [leftMerit, rightMerit] = [merit(left), merit(right)];
  for (let i = 0; i < 44; i += 1) {
    if (leftMerit > rightMerit) {
      [high, right, rightMerit] = [right, left, leftMerit];
      left = high - GOLDEN * (high - low);
      leftMerit = merit(left);
    } else {
      [low, left, leftMerit] = [left, right, rightMerit];
      right = low + GOLDEN * (high - low);
      rightMerit = merit(right);
    }
  }
  return 0.5 * (low + high);
}

/** The slope beyond which the merit is more than 6 below the best. */
function edge(best, direction, top, line) {
  let [inside, outside] = [0, 0.001];
  while (outside < 2 * STEEPEST && line(best + direction * outside).merit > top - 6) {
    inside = outside;
    outside *= 4;
  }
  for (let i = 0; i < 8; i += 1) {
    const middle = 0.5 * (inside + outside);
    if (line(best + direction * middle).merit > top - 6) inside = middle; else outside = middle;
  }
  return best + direction * outside;
}

/** Means and variances of slope and height over all slopes, weighted by their likelihood. */
function average(best, line) {
  const top = line(best);
  const low = edge(best, -1, top.merit, line);
  const high = edge(best, 1, top.merit, line);
  let [sum, s1, s2, h1, h2] = [0, 0, 0, 0, 0];
  for (let i = 0; i <= 24; i += 1) {
    const slope = low + (high - low) * i / 24;
    const { merit, height } = line(slope);
    const weight = Math.exp(Math.min(30, merit - top.merit));
    const rise = height - top.height;
    sum += weight;
    s1 += weight * (slope - best);
    s2 += weight * (slope - best) ** 2;
    h1 += weight * rise;
    h2 += weight * rise * rise;
  }
  [s1, h1] = [s1 / sum, h1 / sum];
  return {
    slope: best + s1, slopeVariance: Math.max(0, s2 / sum - s1 * s1),
    height: top.height + h1, heightVariance: Math.max(0, h2 / sum - h1 * h1),
  };
}

/** Mean distance of the lowest residuals: the least of n is expected to miss its envelope by one of these. */
function spacing(points, slope) {
  const limit = Math.max(2, Math.min(LOWEST_COUNT, points.length >> 1));
  const lowest = [];
  for (const { x, y } of points) {
    const value = y - slope * x;
    if (lowest.length === limit && value >= lowest[limit - 1]) continue;
    let i = lowest.length;
    while (i > 0 && lowest[i - 1] > value) i -= 1;
    lowest.splice(i, 0, value);
    if (lowest.length > limit) lowest.pop();
  }
  if (lowest.length < 2) return SPACING_FLOOR;
  return Math.max(SPACING_FLOOR, (lowest[lowest.length - 1] - lowest[0]) / (lowest.length - 1));
}

/**
 * The line under points that are too high by chance, and never too low.
 * @param {{ x: number, y: number }[]} points seconds on any scale whose 0 is now, and microseconds; in order of x
 * @param {{ slope: number, deviation: number }} prior ppm
 * @returns height now (us), slope (ppm), and their deviations
 */
export function fitLower(points, prior) {
  const hull = new LowerHull();
  for (const { x, y } of points) hull.add(x, y + WANDER * Math.abs(x) ** 1.5);
  const middle = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  let slope = prior.slope;
  let miss = spacing(points, slope);
  const lineAt = (temper) => (slope) => {
    const height = hull.support(slope);
    const deviation = (slope - prior.slope) / prior.deviation;
    return { merit: (height + slope * middle) / miss / temper - 0.5 * deviation * deviation, height };
  };
  for (let i = 0; i < 2; i += 1) {
    const line = lineAt(1);
    slope = bestSlope((value) => line(value).merit);
    miss = spacing(points, slope);
  }
  const mean = average(slope, lineAt(TEMPER));
  return {
    height: mean.height - miss, slope: mean.slope, heightDeviation: Math.sqrt(mean.heightVariance + miss * miss),
    slopeDeviation: Math.sqrt(mean.slopeVariance),
  };
}

/**
 * @param {{ sent: number, upper: number, received: number, lower: number }[]} samples seconds and microseconds, in order
 * @param {number} now seconds, on the samples' scale
 * @param {{ slope: number, deviation: number }} prior ppm
 * @returns offset now (us), slope (ppm), their deviations, heights and spacings of both envelopes (us)
 */
export function fitEnvelopes(samples, now, prior, start = prior.slope) {
  const [above, below] = [[], []];
  const [aboveHull, belowHull] = [new LowerHull(), new LowerHull()];
  for (const sample of samples) {
    const age = Math.max(0, now - sample.sent);
    const loosened = WANDER * age * Math.sqrt(age);
    const upper = { x: sample.sent - now, y: sample.upper + loosened };
    const lower = { x: sample.received - now, y: loosened - sample.lower };
    above.push(upper);
    below.push(lower);
    aboveHull.add(upper.x, upper.y);
    belowHull.add(lower.x, lower.y);
  }
  let slope = start;
  let [up, down] = [0, 0];
  // Each side counts by its own spacing, and from the middle of its points: replies are often much busier than requests.
  const [middleAbove, middleBelow] = [above, below].map((side) => side.reduce((sum, { x }) => sum + x, 0) / side.length);
  const lineAt = (temper) => (slope) => {
    const upper = aboveHull.support(slope);
    const lower = -belowHull.support(-slope);
    const deviation = (slope - prior.slope) / prior.deviation;
    return {
      merit: ((upper + slope * middleAbove) / up - (lower + slope * middleBelow) / down) / temper - 0.5 * deviation * deviation,
      height: 0.5 * (upper + lower),
    };
  };
  for (let i = 0; i < 2; i += 1) {
    [up, down] = [spacing(above, slope), spacing(below, -slope)];
    const line = lineAt(1);
    slope = bestSlope((value) => line(value).merit);
  }
  [up, down] = [spacing(above, slope), spacing(below, -slope)];
  const mean = average(slope, lineAt(TEMPER));
  const missed = 0.5 * (up - down);
  return {
    offset: mean.height - missed, slope: mean.slope,
    offsetDeviation: Math.sqrt(mean.heightVariance + 0.25 * (up * up + down * down)) + MISSED_DOUBT * Math.abs(missed),
    slopeDeviation: Math.sqrt(mean.slopeVariance),
    upper: aboveHull.support(mean.slope), lower: -belowHull.support(-mean.slope), upperSpacing: up, lowerSpacing: down,
  };
}
