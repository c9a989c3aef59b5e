import assert from "node:assert/strict";
import { test } from "node:test";
import { Resampler, moved } from "../../Sources/App/WebPage/page/resampler.js";

/** Resamples a sine in blocks whose steps may differ; returns the output and each frame's position. */
function resample({ from, to, hertz, steps, blocks = 12, size = 4000 }) {
  const filter = new Resampler(from, to);
  let position = { whole: 1000, fraction: 0.25 };
  const [output, positions] = [new Float32Array(blocks * size), new Float64Array(blocks * size)];
  for (let b = 0; b < blocks; b += 1) {
    const step = from / to * (1 + steps(b) * 1e-6);
    const [first, count] = filter.needs(position.fraction, step, size);
    const input = Float32Array.from({ length: count }, (_, i) =>
      0.9 * Math.sin(2 * Math.PI * hertz * (position.whole + first + i) / from));
    filter.render([input], position.fraction, step, [output], b * size, size);
    for (let i = 0; i < size; i += 1) positions[b * size + i] = position.whole + position.fraction + i * step;
    position = moved(position, size * step);
  }
  return { output, positions };
}

/** What is not the sine at its positions, in dB below it. */
function noise({ output, positions }, { from, hertz }) {
  let sum = 0;
  for (let i = 0; i < output.length; i += 1) {
    sum += (output[i] - 0.9 * Math.sin(2 * Math.PI * hertz * positions[i] / from)) ** 2;
  }
  return 10 * Math.log10(sum / output.length / (0.405));
}

for (const [from, to, hertz, least] of [
  [44_100, 48_000, 997, -110], [44_100, 48_000, 15_000, -95], [48_000, 44_100, 997, -110], [96_000, 48_000, 997, -110],
  [48_000, 48_000, 997, -110], [8_000, 48_000, 997, -110], [192_000, 44_100, 997, -110], [44_100, 48_000, 19_500, -90],
]) {
  test(`${hertz} Hz from ${from} to ${to} Hz, the step changing by ppm in each block`, (t) => {
    const sine = { from, to, hertz, steps: (block) => 40 * Math.sin(block) + 100 };
    const result = noise(resample(sine), sine);
    t.diagnostic(`THD+N ${result.toFixed(1)} dB`);
    assert.ok(result < least, `THD+N is ${result} dB`);
  });
}

test("what lies above the output's half rate is not heard", (t) => {
  const { output } = resample({ from: 96_000, to: 48_000, hertz: 27_000, steps: () => 0 });
  const loudest = 20 * Math.log10(Math.max(...output.map(Math.abs)));
  t.diagnostic(`${loudest.toFixed(1)} dB`);
  assert.ok(loudest < -90);
});

test("a whole position at step 1 is a copy", () => {
  const filter = new Resampler(48_000, 48_000);
  const [, count] = filter.needs(0, 1, 500);
  const input = Float32Array.from({ length: count }, (_, i) => Math.sin(i * i));
  const output = new Float32Array(500);
  filter.render([input], 0, 1, [output], 0, 500);
  for (let i = 0; i < 500; i += 1) assert.ok(Math.abs(output[i] - input[i + filter.reach - 1]) < 1e-7);
});
