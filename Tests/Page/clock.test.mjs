import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionClock, measureStep } from "../../Sources/App/WebPage/page/clock.js";
import { exponential, random } from "./fakes/random.mjs";

const ORIGIN = 86_400_000_123_456_789n;

/**
 * Runs exchanges for `seconds`, and gives the errors (ms) from 0.6 s, 10 s on.
 * `path`: base delays (ms) and means of queues each way; `step`: of the page's clock; `blocked`: ms of each second.
 */
function simulate({ seed, skew = 40, seconds = 60, path, step = 0.1, blocked = 0, jitter = false }) {
  const uniform = random(seed);
  const quantised = (time) => {
    if (!step) return time;
    const low = Math.floor(time / step) * step;
    // Chromium and Firefox round at a random threshold within the step; Safari rounds down.
    return jitter && time - low > step * ((Math.sin(Math.round(low / step) * 12.9898) * 43758.5453 % 1 + 1) % 1) ? low + step : low;
  };
  const session = (time) => 5e7 + time * (1 + skew * 1e-6);
  const free = (time) => (blocked && time % 1000 < blocked ? Math.floor(time / 1000) * 1000 + blocked : time);
  const clock = new SessionClock(step);
  const replies = [];
  const errors = { early: [], late: [], misses: 0, count: 0 };
  let [timer, tick] = [0, 600];
  const send = (bytes, now) => {
    const read = now + 0.03 + path.forward + exponential(uniform, path.forwardQueue);
    replies.push({ bytes, read, arrival: read + 0.02 + path.backward + exponential(uniform, path.backwardQueue) });
    replies.sort((one, other) => one.arrival - other.arrival);
  };
  for (let time = 0; time < seconds * 1e3;) {
    time = Math.max(time, Math.min(timer, tick, replies[0]?.arrival ?? Infinity));
    const now = free(time);
    if (replies.length && replies[0].arrival <= time) {
      const { bytes, read } = replies.shift();
      const reply = new DataView(new ArrayBuffer(24));
      new Uint8Array(reply.buffer).set(bytes);
      reply.setBigInt64(8, BigInt(Math.round(session(read) * 1e6)));
      reply.setBigInt64(16, BigInt(Math.round(session(read + 0.02) * 1e6)));
      // A task that runs delays the event a little, now and then much.
      const heard = now + exponential(uniform, uniform() < 0.1 ? 3 : 0.03);
      const shown = quantised(heard);
      const next = clock.further(shown);
      if (next) send(next, heard);
      clock.receive(reply.buffer, shown);
    } else if (timer <= time) {
      const bytes = clock.request(quantised(now));
      if (bytes) send(bytes, now);
      // Timers are late by a part of a millisecond.
      timer = now + Math.max(1, clock.wait(quantised(now))) + uniform();
    } else {
      // By the page's clock the moment `time` is, on the average, half a step earlier where it is rounded down.
      const shown = clock.session(jitter || !step ? time : time - step / 2);
      const error = Math.abs(shown - session(time));
      errors.count += 1;
      if (error > clock.bound(time)) errors.misses += 1;
      (time < 10_000 ? errors.early : errors.late).push(error);
      tick += 20;
    }
  }
  return errors;
}

const sorted = (values) => values.sort((a, b) => a - b);
const quantile = (values, q) => sorted(values)[Math.floor((values.length - 1) * q)];

const LAN = { forward: 0.3, forwardQueue: 0.1, backward: 0.3, backwardQueue: 0.2 };
const RADIO = { forward: 1.5, forwardQueue: 2, backward: 1.5, backwardQueue: 4 };
for (const [name, options, early, late] of [
  ["a LAN, steps of 0.1 ms", { path: LAN, step: 0.1, jitter: true }, 0.2, 0.1],
  ["a LAN, steps of 1 ms", { path: LAN, step: 1 }, 0.6, 0.25],
  ["a LAN, steps of 1 ms at random thresholds", { path: LAN, step: 1, jitter: true }, 0.8, 0.5],
  ["a LAN, the page blocked for 200 ms each second", { path: LAN, step: 0.1, jitter: true, blocked: 200 }, 0.2, 0.15],
  ["radio, steps of 1 ms, blocked", { path: RADIO, step: 1, blocked: 200 }, 2, 0.8],
  ["radio, steps of 0.1 ms", { path: RADIO, step: 0.1, jitter: true }, 1.5, 0.4],
]) {
  test(`session time over ${name}`, (t) => {
    const all = { early: [], late: [], misses: 0, count: 0 };
    for (let seed = 1; seed <= 10; seed += 1) {
      const errors = simulate({ ...options, seed });
      all.early.push(...errors.early);
      all.late.push(...errors.late);
      all.misses += errors.misses;
      all.count += errors.count;
    }
    const text = `0.6 to 10 s: p50 ${(quantile(all.early, 0.5) * 1e3).toFixed(0)}, p99 ${(quantile(all.early, 0.99) * 1e3).toFixed(0)} us; `
      + `10 to 60 s: p50 ${(quantile(all.late, 0.5) * 1e3).toFixed(0)}, p99 ${(quantile(all.late, 0.99) * 1e3).toFixed(0)} us; `
      + `outside of the bound ${(all.misses / all.count * 100).toFixed(2)} %`;
    t.diagnostic(text);
    assert.ok(quantile(all.early, 0.99) < early && quantile(all.late, 0.99) < late, text);
    assert.ok(all.misses / all.count < 0.002, text);
  });
}

test("the first estimate is there with the first chain", () => {
  const clock = new SessionClock(0.1);
  let known = null;
  for (let time = 0; time < 100 && known === null; time += 1) {
    const bytes = clock.request(time) ?? clock.further(time);
    if (bytes) {
      const reply = new DataView(new ArrayBuffer(24));
      new Uint8Array(reply.buffer).set(bytes);
      reply.setBigInt64(8, ORIGIN + BigInt(Math.round((time + 0.5) * 1e6)));
      reply.setBigInt64(16, ORIGIN + BigInt(Math.round((time + 0.5) * 1e6)));
      clock.receive(reply.buffer, time + 1);
    }
    if (clock.session(time) !== null) known = time;
  }
  assert.ok(known < 6, `${known}`);
  assert.ok(Math.abs(clock.session(known) - Number(ORIGIN) / 1e6 - known) < 0.01);
});

test("a clock that stepped is learned anew within a second", () => {
  const clock = new SessionClock(0);
  const uniform = random(7);
  let offset = 1e6;
  for (let time = 0; time < 25_000; time += 1) {
    if (time === 20_000) offset += 700;
    const bytes = clock.request(time);
    if (bytes) {
      const read = time + 0.4 + exponential(uniform, 0.2);
      const reply = new DataView(new ArrayBuffer(24));
      new Uint8Array(reply.buffer).set(bytes);
      reply.setBigInt64(8, BigInt(Math.round((read + offset) * 1e6)));
      reply.setBigInt64(16, BigInt(Math.round((read + offset) * 1e6)));
      clock.receive(reply.buffer, read + 0.4 + exponential(uniform, 0.2));
    }
    if (time > 21_000) assert.ok(Math.abs(clock.session(time) - time - offset) < 0.5);
  }
});

test("a reply that is lost does not keep those that came waiting for the next chain", () => {
  const clock = new SessionClock(0);
  const answer = (bytes, time, arrival = time + 1) => {
    const reply = new DataView(new ArrayBuffer(24));
    new Uint8Array(reply.buffer).set(bytes);
    for (const place of [8, 16]) reply.setBigInt64(place, ORIGIN + BigInt(Math.round((time + 0.5) * 1e6)));
    const next = clock.further(arrival);
    clock.receive(reply.buffer, arrival);
    return next;
  };
  let time = 0;
  for (; time < 20_000; time += 1) {
    let [bytes, sent] = [clock.request(time), time];
    for (; bytes; sent += 1) bytes = answer(bytes, sent);
  }
  let first = null;
  for (; !first; time += 1) first = clock.request(time);
  const start = time - 1;
  const second = answer(first, start);
  const lost = answer(second, start + 1);
  const before = clock.estimate.at;
  assert.ok(before < start && lost);
  let woken = start + 2;
  for (let i = 0; i < 3 && clock.estimate.at === before; i += 1) {
    woken += Math.max(1, clock.wait(woken));
    assert.equal(clock.request(woken), null, "no further chain is due");
  }
  assert.ok(Math.abs(clock.estimate.at - (start + 2)) < 1e-6, "known as of the last reply that came");
  assert.ok(woken - start <= 105, `${woken - start}`);
  // What is only late is taken with what follows it, and nothing is held then.
  answer(answer(lost, start + 2, start + 150), start + 150);
  assert.ok(Math.abs(clock.estimate.at - (start + 151)) < 1e-6);
  assert.ok(clock.wait(start + 151) > 50);
});

test("replies that nobody asked for, or of another length, are ignored", () => {
  const clock = new SessionClock(0);
  clock.receive(new ArrayBuffer(24), 1);
  clock.receive(new ArrayBuffer(7), 1);
  assert.equal(clock.session(5), null);
});

test("the step of a clock is found", () => {
  let time = 0;
  assert.equal(measureStep(() => Math.floor((time += 0.001))), 1);
  assert.equal(measureStep(() => (time += 0.001)), 0);
});
