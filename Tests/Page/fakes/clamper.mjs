/**
 * Chromium's coarse time (TimeClamper): a time within a step becomes its beginning, or its end if it is behind a
 * threshold, which is random for each step and the same whenever that step is asked for.
 */
export function clamper(seed, step = 0.1) {
  return (time) => {
    const index = Math.floor(time / step);
    let hash = Math.imul(index, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b);
    for (const [shift, factor] of [[16, 0x85ebca6b], [13, 0xc2b2ae35]]) hash = Math.imul(hash ^ (hash >>> shift), factor);
    hash ^= hash >>> 16;
    return (time / step - index >= (hash >>> 0) / 2 ** 32 ? index + 1 : index) * step;
  };
}
