import assert from "node:assert/strict";
import { test } from "node:test";
import { CardClock } from "../../Sources/App/WebPage/page/card.js";
import { exponential, random } from "./fakes/random.mjs";

const RATE = 48_000;

/**
 * A card whose frames are heard at (time - 2000 ms) x (1 + ppm). One stamp is made for each buffer, true but for `jitter`
 * (ms), what makes it `late` (ms, for the number of the buffer), and the coarseness of the page's clock: a step up or
 * down by chance. Those of the first 100 ms are wrong. The page reads them each 50 ms; now and then it is blocked.
 */
function simulate({
  seed, skew = 40, seconds = 40, buffer = 2048, jitter = 0, late: lateness = () => 0, step = 0.1, outliers = 0,
  substitute = false, boundFrom = 0,
}) {
  const uniform = random(seed);
  const heard = (time) => (time - 2000) / 1e3 * (1 + skew * 1e-6);
  const card = new CardClock(RATE, step);
  const [early, late] = [[], []];
  let first = null;
  let stamp = { contextTime: 0, performanceTime: 0 };
  let written = 0;
  for (let time = 2000; time < 2000 + seconds * 1e3; time += 1) {
    const buffers = Math.floor(heard(time) * RATE / buffer);
    if (buffers > written) {
      written = buffers;
      const contextTime = buffers * buffer / RATE;
      const exact = 2000 + contextTime / (1 + skew * 1e-6) * 1e3;
      let shown = exact + (uniform() - 0.5) * 2 * jitter + lateness(buffers, uniform);
      if (uniform() < outliers) shown += exponential(uniform, 20);
      if (contextTime < 0.1) shown -= 2.6 + 2.4 * uniform();
      stamp = { contextTime, performanceTime: step ? Math.floor(shown / step + uniform()) * step : shown };
    }
    if (time % 50 || (time > 3000 && time % 1000 < 200)) continue;
    const currentTime = written * buffer / RATE + 0.04;
    card.note(substitute ? { contextTime: 0, performanceTime: 0 } : stamp, currentTime, time, 0.04);
    if (!card.isKnown) continue;
    first ??= time - 2000;
    const error = Math.abs(card.frame(time) / RATE - heard(time)) * 1e6;
    const isBound = error < 1e3 * card.bound(time) || substitute || time < boundFrom;
    assert.ok(isBound, `${error.toFixed(0)} us at ${time}, bound ${card.bound(time)} ms`);
    assert.ok(Math.abs(card.frame(card.time(12_345.5)) - 12_345.5) < 1e-4);
    (time < 12_000 ? early : late).push(error);
  }
  return { early, late, card, first };
}

const quantile = (values, q) => values.sort((a, b) => a - b)[Math.floor((values.length - 1) * q)];
/** Late by 0 to one burst (ms): by chance, or in a slow beat of so many buffers. */
const chance = (burst) => (_, uniform) => burst * uniform();
const beat = (burst, period) => (index) => burst * (index / period % 1);

for (const [name, options, early, late] of [
  ["true stamps in steps of 0.1 ms", {}, 70, 20],
  ["true stamps of a card 500 ppm fast", { skew: 500 }, 90, 20],
  ["true stamps of a card 500 ppm slow", { skew: -500 }, 90, 20],
  ["true stamps each 10 ms, of a fine clock with 35 us of noise", { buffer: 480, step: 0, jitter: 0.06 }, 70, 25],
  ["steps of 1 ms", { step: 1 }, 700, 200],
  ["one in ten late by 20 ms", { outliers: 0.1 }, 110, 25],
  ["late by 0 to 5 ms by chance", { late: chance(5) }, 1500, 300],
  ["late by 0 to 21 ms by chance", { late: chance(21) }, 7000, 800],
  ["late by 0 to 10 ms in a beat of 4 s", { late: beat(10, 94), boundFrom: 10_000 }, 3000, 600],
]) {
  test(`the card by stamps: ${name}`, (t) => {
    const all = { early: [], late: [] };
    for (let seed = 1; seed <= 6; seed += 1) {
      const result = simulate({ ...options, seed });
      all.early.push(...result.early);
      all.late.push(...result.late);
      assert.equal(result.card.steps, 0);
      assert.ok(result.first < 450, `${result.first}`);
      assert.ok(Math.abs(result.card.skew - (options.skew ?? 40)) < (options.late ? 80 : 15), `${result.card.skew}`);
    }
    const text = `until 10 s: p50 ${quantile(all.early, 0.5).toFixed(0)}, p99 ${quantile(all.early, 0.99).toFixed(0)} us; `
      + `10 to 40 s: p50 ${quantile(all.late, 0.5).toFixed(0)}, p99 ${quantile(all.late, 0.99).toFixed(0)} us`;
    t.diagnostic(text);
    assert.ok(quantile(all.early, 0.99) < early && quantile(all.late, 0.99) < late, text);
  });
}

test("without stamps, the time of the context less its latency", (t) => {
  const { late, card } = simulate({ seed: 3, substitute: true });
  assert.ok(card.isSubstitute);
  t.diagnostic(`p50 ${quantile(late, 0.5).toFixed(0)}, p99 ${quantile(late, 0.99).toFixed(0)} us`);
  assert.ok(quantile(late, 0.99) < 1000);
});

/** Stamps each 42.7 ms in steps of 0.1 ms, read as they are made; `jump(context)` in ms. Calls `look` behind each. */
function follow(card, { from = 0, to, jump, seed = 1, offset = 1000 }, look) {
  const uniform = random(seed);
  for (let context = from + 2048 / RATE; context < to; context += 2048 / RATE) {
    const heard = offset + context * 1e3 + jump(context);
    const performanceTime = Math.floor(heard / 0.1 + uniform()) * 0.1;
    card.note({ contextTime: context, performanceTime }, context + 0.04, heard, 0);
    look(context, card.isKnown ? (card.time(context * RATE) - heard) * 1e3 : null);
  }
}

test("an underrun of the card is followed after three stamps, with the rate that was known", () => {
  for (const size of [-30, 1.5, 80]) {
    const card = new CardClock(RATE, 0.1);
    follow(card, { to: 30, jump: (context) => context * 0.2 + (context > 15 ? size : 0) }, (context, error) => {
      if (context > 12 && context < 15) assert.ok(Math.abs(error) < 30, `${error}`);
      if (context > 15 + 0.13) assert.ok(Math.abs(error) < 200, `${size}: ${error} us at ${context}`);
      if (context > 20) assert.ok(Math.abs(error) < 40, `${error}`);
      if (context > 1) assert.ok(card.isKnown);
    });
    assert.equal(card.steps, 1);
    assert.ok(Math.abs(card.skew + 200) < 5, `${card.skew}`);
  }
});

test("a single stamp off the line, and two that disagree, are no step", () => {
  const card = new CardClock(RATE, 0.1);
  const jump = (context) => ({ 200: 9, 300: 5, 301: 30 }[Math.round(context * RATE / 2048)] ?? 0);
  follow(card, { to: 20, jump }, (context, error) => {
    if (context > 5) assert.ok(Math.abs(error + jump(context) * 1e3) < 40, `${error}`);
  });
  assert.equal(card.steps, 0);
});

test("behind a pause, the first stamps are not believed, nor is that of before", () => {
  const card = new CardClock(RATE, 0.1);
  follow(card, { to: 10, jump: () => 0 }, () => {});
  card.restart();
  assert.equal(card.isKnown, false);
  card.note({ contextTime: 10, performanceTime: 11_000 }, 10.04, 12_400, 0);
  const wrong = (context) => 1500 - (context < 10.1 ? 4 : 0);
  follow(card, { from: 10, to: 12, jump: wrong }, (context, error) => {
    if (context > 10.3) assert.ok(Math.abs(error) < 150, `${error}`);
  });
  assert.equal(card.steps, 0);
});

test("a burst that grows is followed", () => {
  const card = new CardClock(RATE, 0.1);
  const uniform = random(9);
  const jump = (context) => 5 * uniform() + (context > 40 ? 20 : 0);
  const errors = [];
  let context = 0;
  follow(card, { to: 80, jump }, () => {
    context += 2048 / RATE;
    const early = 1000 + context * 1e3 + (context > 40 ? 20 : 0);
    if ((context > 25 && context < 40) || context > 65) errors.push(Math.abs(card.time(context * RATE) - early));
  });
  assert.equal(card.steps, 1);
  assert.ok(Math.max(...errors) < 0.5, `${Math.max(...errors)}`);
});
