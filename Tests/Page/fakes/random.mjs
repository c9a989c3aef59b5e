/** Random numbers that a seed repeats (mulberry32), uniform from 0 to 1. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Exponentially distributed with this mean. */
export const exponential = (uniform, mean) => -Math.log(1 - uniform()) * mean;
