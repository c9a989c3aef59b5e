import assert from "node:assert/strict";
import { test } from "node:test";
import { CardClock } from "../../Sources/App/WebPage/page/card.js";
import { SessionClock } from "../../Sources/App/WebPage/page/clock.js";
import { clamper } from "./fakes/clamper.mjs";
import { exponential, random } from "./fakes/random.mjs";

const RATE = 48_000;
const BURST = 2048;

/** A whole delay each way, and how it is spread, ms: of who had to wake for it, and of the further ones of a chain. */
const CHROMIUM = {
  cold: { forward: [0.4, 0.1], backward: [0.1, 0.12] }, warm: { forward: [0.03, 0.08], backward: [0.03, 0.06] },
};

/**
 * What a page in Chromium knows of both clocks, which were measured to behave as this one: all that it sees of time is
 * clamped. Returns the mean error of each from 10 s to 40 s, and of the session time at which frames are heard, us:
 * positive where the page takes it for later than it is.
 */
function simulate(seed, { clamp = clamper(seed), paths = CHROMIUM, isChained = true } = {}) {
  const uniform = random(seed);
  const session = (time) => 5e7 + time * (1 + 50e-6);
  const heard = (time) => (time - 2000) * (1 + 40e-6) / 1e3;
  const [clock, card] = [new SessionClock(0.1), new CardClock(RATE, 0.1)];
  const replies = [];
  const send = (bytes, now, { forward, backward }) => {
    const read = now + forward[0] + exponential(uniform, forward[1]);
    replies.push({ bytes, read, arrival: read + 0.02 + backward[0] + exponential(uniform, backward[1]) });
  };
  const sums = { clock: 0, card: 0, both: 0, count: 0 };
  let [timer, look, written] = [0, 600, 0];
  for (let time = 0; time < 40_000;) {
    replies.sort((one, other) => one.arrival - other.arrival);
    time = Math.max(time, Math.min(timer, look, replies[0]?.arrival ?? Infinity));
    if (replies[0]?.arrival <= time) {
      const { bytes, read } = replies.shift();
      const reply = new DataView(new ArrayBuffer(24));
      new Uint8Array(reply.buffer).set(bytes);
      reply.setBigInt64(8, BigInt(Math.round(session(read) * 1e6)));
      reply.setBigInt64(16, BigInt(Math.round(session(read + 0.02) * 1e6)));
      const next = isChained ? clock.further(clamp(time)) : null;
      if (next) send(next, time, paths.warm);
      clock.receive(reply.buffer, clamp(time));
      continue;
    }
    if (timer <= time) {
      const bytes = clock.request(clamp(time));
      if (bytes) send(bytes, time, paths.cold);
      timer = time + Math.max(1, clock.wait(clamp(time))) + uniform();
      continue;
    }
    look += 20;
    if (time < 2000) continue;
    // The card is asked for its delay when it takes a burst, a little after that was due.
    const burst = Math.floor(heard(time) * RATE / BURST);
    if (burst > written) {
      written = burst;
      const asked = 2000 + burst * BURST / RATE * 1e3 / (1 + 40e-6) + 5 * uniform();
      const stamp = { contextTime: heard(asked), performanceTime: clamp(asked) };
      card.note(stamp, stamp.contextTime + 0.04, clamp(time), 0.04);
    }
    if (time < 10_000) continue;
    sums.count += 1;
    sums.clock += clock.session(time) - session(time);
    sums.card += card.time(heard(time) * RATE) - time;
    sums.both += clock.session(card.time(heard(time) * RATE)) - session(time);
  }
  return ["clock", "card", "both"].map((name) => sums[name] / sums.count * 1e3);
}

const SEEDS = Array.from({ length: 8 }, (_, i) => i + 1);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const text = (values) => values.map((value) => value.toFixed(0)).join(", ");

/** The mean of each of the three over all seeds, and the worst seed of the last. */
function judge(t, options = {}) {
  const all = SEEDS.map((seed) => simulate(seed, options));
  const means = [0, 1, 2].map((i) => mean(all.map((one) => one[i])));
  t.diagnostic(`clock, card, both: ${text(means)} us; both of each seed: ${text(all.map((one) => one[2]))} us`);
  return { means, worst: Math.max(...all.map((one) => Math.abs(one[2]))) };
}

test("coarse time that is clamped at random thresholds leaves no constant error", (t) => {
  const { means, worst } = judge(t);
  for (const value of means) assert.ok(Math.abs(value) < 20, text(means));
  assert.ok(worst < 60, `${worst}`);
});

test("nor does time that is rounded down: what is half a step late in one clock is in the other", (t) => {
  const { means } = judge(t, { clamp: (time) => Math.floor(time / 0.1) * 0.1 });
  // Each alone is half a step off, against true time, which no page sees.
  assert.ok(means[0] > 30 && means[1] < -30 && Math.abs(means[2]) < 20, text(means));
});

test("a path that is longer one way is half of that off, which no exchange can tell; a chain is not cold", (t) => {
  const { means } = judge(t, { isChained: false });
  assert.ok(means[2] > 100, text(means));
});
