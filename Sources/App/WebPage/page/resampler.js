/**
 * Continuous resampling: a windowed sinc as a pure function of the position in the song.
 *
 * A position is a whole frame (exact) and a fraction, a step is song frames per frame of output; both may be any number,
 * so a start falls between frames, a part can be rendered again, and the step changes by ppm without a seam. The filter
 * is the same for all steps; at step 1 on a whole frame it is a copy by itself. It is tabulated at PHASES places between
 * two frames, and interpolated linearly between those: an error of (pi f / rate / PHASES)^2 / 2, -105 dB at most.
 */

/** Zero crossings on either side, at the lower of the two rates: 100 dB from 0.9 to 1.1 of its half. */
const CROSSINGS = 32;
const PHASES = 512;
/** Kaiser's window for 100 dB (0.1102 (A - 8.7)). */
const BETA = 10.06;

/** Modified Bessel function of the first kind and order 0. */
function bessel(x) {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-17; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

export class Resampler {
  /** Song frames on either side of a position that its sample depends on. */
  reach;
  #table;
  #taps;

  /**
   * @param {number} from the song's rate @param {number} to the rate of the output; Hz
   */
  constructor(from, to) {
    const scale = Math.min(1, to / from);
    this.reach = Math.ceil(CROSSINGS / scale);
    this.#taps = 2 * this.reach;
    const taps = this.#taps;
    this.#table = new Float32Array((PHASES + 1) * taps);
    const norm = bessel(BETA);
    for (let phase = 0; phase <= PHASES; phase += 1) {
      const row = new Float64Array(taps);
      let sum = 0;
      for (let tap = 0; tap < taps; tap += 1) {
        // Distance of the tap's frame from the position.
        const x = (tap - this.reach + 1 - phase / PHASES) * scale;
        const edge = x / CROSSINGS;
        if (Math.abs(edge) >= 1) continue;
        const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
        row[tap] = sinc * bessel(BETA * Math.sqrt(1 - edge * edge)) / norm;
        sum += row[tap];
      }
      // Each phase passes a constant unchanged.
      for (let tap = 0; tap < taps; tap += 1) this.#table[phase * taps + tap] = row[tap] / sum;
    }
  }

  /** Song frames that `render` needs, as `[first, count]` from the whole frame of its position. */
  needs(fraction, step, count) {
    const last = Math.floor(fraction + step * Math.max(0, count - 1));
    return [1 - this.reach, last + 2 * this.reach];
  }

  /**
   * Adds `count` frames to the outputs.
   * @param {Float32Array[]} inputs of each channel, beginning with the first frame that `needs` says
   * @param {number} fraction of the position, 0 to below 1
   * @param {number} step song frames per output frame
   * @param {Float32Array[]} outputs @param {number} at index of the first frame there
   */
  render(inputs, fraction, step, outputs, at, count) {
    const [table, taps] = [this.#table, this.#taps];
    const row = new Float32Array(taps);
    const [in0, in1] = inputs;
    const [out0, out1] = outputs;
    for (let i = 0; i < count; i += 1) {
      const position = fraction + i * step;
      const whole = Math.floor(position);
      const phase = (position - whole) * PHASES;
      const lower = Math.floor(phase);
      const weight = phase - lower;
      const base = lower * taps;
      let [left, right] = [0, 0];
      if (in1) {
        for (let tap = 0; tap < taps; tap += 1) {
          const a = table[base + tap];
          row[tap] = a + weight * (table[base + taps + tap] - a);
        }
        for (let tap = 0; tap < taps; tap += 1) {
          left += row[tap] * in0[whole + tap];
          right += row[tap] * in1[whole + tap];
        }
        out1[at + i] += right;
      } else {
        for (let tap = 0; tap < taps; tap += 1) {
          const a = table[base + tap];
          left += (a + weight * (table[base + taps + tap] - a)) * in0[whole + tap];
        }
      }
      out0[at + i] += left;
    }
  }
}

/** Moves a position by `frames`, keeping its whole part exact. @returns {{ whole: number, fraction: number }} */
export function moved({ whole, fraction }, frames) {
  const sum = fraction + frames;
  const floor = Math.floor(sum);
  return { whole: whole + floor, fraction: sum - floor };
}
