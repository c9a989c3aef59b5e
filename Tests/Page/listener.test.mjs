import assert from "node:assert/strict";
import { test } from "node:test";
import "./fakes/crypto.mjs";
import { Listener } from "../../Sources/App/WebPage/page/listener.js";
import { MessageWriter, ROLE, TYPE, preamble } from "../../Sources/App/WebPage/page/wire.js";
import { sine } from "./fakes/broadcast.mjs";
import { FakePage } from "./fakes/page.mjs";
import { exponential, random } from "./fakes/random.mjs";
import { FakeWorkletNode } from "./fakes/worklet.mjs";

const RATE = 44_100;
const SESSION = 3.6e6;

/** A broadcaster in the middle of a song of 16-bit stereo, with a clock of its own (25 ppm off the page's). */
class FakeBroadcaster {
  reports = [];
  settings = [];
  greetings = [];
  volumes = [];
  #page;
  #uniform = random(5);

  constructor(page, { instance = 77n, from = 441_000 } = {}) {
    this.#page = page;
    this.instance = instance;
    this.from = from;
    page.onsocket = (socket) => (socket.url.includes("/clock?") ? this.#answer(socket) : this.#serve(socket));
  }

  session(time) { return SESSION + time * (1 + 25e-6); }
  wave(frame) { return sine(RATE)(frame) + sine(RATE, 47, 0.3)(frame); }
  /** The frame due at a session time: frame 441,000 was due as the page's clock said 0. */
  due(session) { return 441_000 + (session - SESSION) / 1e3 * RATE; }

  #answer(socket) {
    socket.onsend = (bytes, now) => {
      const read = now + 0.4 + exponential(this.#uniform, 0.1);
      const reply = new DataView(new ArrayBuffer(24));
      new Uint8Array(reply.buffer).set(bytes);
      reply.setBigInt64(8, BigInt(Math.round(this.session(read) * 1e6)));
      reply.setBigInt64(16, BigInt(Math.round(this.session(read) * 1e6)));
      socket.give(new Uint8Array(reply.buffer), read - now + 0.4 + exponential(this.#uniform, 0.2));
    };
  }

  #serve(socket) {
    this.socket = socket;
    let sent = Math.max(this.from, Math.floor(this.due(this.session(this.#page.now))));
    let isGreeted = false;
    const first = sent;
    const feed = () => {
      if (socket.readyState !== 1) return;
      const due = Math.floor(this.due(this.session(this.#page.now)));
      if (isGreeted && sent < due) {
        // What is late is not sent.
        sent = due;
        socket.give(new MessageWriter(TYPE.entry).u32(3).i64(sent).u32(9).message());
      }
      const goal = Math.min(this.due(this.session(this.#page.now)) + 9 * RATE, Math.max(due, this.received ?? first) + RATE);
      while (isGreeted && sent < goal) {
        socket.give(this.packets(sent, 4096));
        sent += 4096;
      }
      this.#page.at(this.#page.now + 50, feed);
    };
    socket.onsend = (bytes) => {
      const type = bytes[1];
      if (bytes[0] === 0x54) return;
      if (type === TYPE.greeting && bytes[0] === 0) {
        this.greetings.push(bytes);
        socket.give(preamble());
        for (const message of this.opening(first)) socket.give(message);
        isGreeted = true;
        feed();
      }
      if (type === TYPE.settings) this.settings.push(bytes);
      if (type === TYPE.groupVolume) this.volumes.push(bytes);
      if (type === TYPE.report) {
        const view = new DataView(bytes.buffer);
        this.received = Number(view.getBigInt64(11));
        this.reports.push({
          time: this.#page.now, state: bytes[6], received: this.received, hasTiming: bytes[43] === 1,
          error: bytes[43] ? Number(view.getBigInt64(44)) / 1e6 : null, bound: bytes[43] ? Number(view.getBigInt64(52)) / 1e6 : null,
        });
      }
    };
  }

  *opening(first) {
    yield new MessageWriter(TYPE.greeting).u8(ROLE.broadcaster).raw(new Uint8Array(16)).u64(this.instance).i64(0)
      .text("Kitchen", 63).u8(0).message();
    yield new MessageWriter(TYPE.welcome).u16(0).raw(new Uint8Array(24)).message();
    yield new MessageWriter(TYPE.stream).u32(3)
      .u16(1).u32(36).u32(0x6c70636d).f64(RATE).u32(4).u32(4).u32(1).u32(4).u32(2).u32(16)
      .u16(6).u32(8).u8(0).text("Hello", 256).message();
    yield new MessageWriter(TYPE.entry).u32(3).i64(first).u32(0).message();
    yield new MessageWriter(TYPE.anchor).u32(3).i64(441_000).time(SESSION).f64(RATE).message();
  }

  packets(position, count) {
    const writer = new MessageWriter(TYPE.packets).u32(3).i64(position).u16(1).u32(4 * count).u16(count);
    const view = new DataView(new ArrayBuffer(4 * count));
    for (let i = 0; i < count; i += 1) {
      const value = Math.round(32_767 * this.wave(position + i));
      view.setInt16(4 * i, value, true);
      view.setInt16(4 * i + 2, value, true);
    }
    return writer.raw(new Uint8Array(view.buffer)).message();
  }

  /** By how many ms the output is late around a frame of it: the phase of its sine against what was due. */
  error(page, frame, count = 2048, hertz = 997) {
    let [re, im] = [0, 0];
    for (let f = frame; f < frame + count; f += 1) {
      const phase = 2 * Math.PI * hertz / RATE * this.due(this.session(page.heard(f)));
      re += page.context.output[0][f] * Math.sin(phase);
      im += page.context.output[0][f] * Math.cos(phase);
    }
    if (Math.hypot(re, im) < 0.05 * count) return null;
    return -Math.atan2(im, re) / (2 * Math.PI * hertz) * 1e3;
  }
}

const access = { ticket: "a1", instance: "00000000000000ff", name: "Anna's phone" };

test("from the tap to sound in step, with a blocked page, a lost connection and a sleep", async (t) => {
  const page = new FakePage();
  const broadcaster = new FakeBroadcaster(page);
  const listener = new Listener(access, page);
  await page.run(1000);
  const starting = listener.start();
  await page.run(2000);
  await starting;
  const first = page.context.output[0].findIndex((value) => value !== 0);
  const heard = page.heard(first) - 1000;
  t.diagnostic(`first sound ${heard.toFixed(0)} ms after the tap`);
  assert.ok(first >= 0 && heard < 1000);

  for (let second = 2; second < 26; second += 1) {
    page.blockedUntil = second * 1e3 + 200;
    if (second === 14) broadcaster.socket.close();
    await page.run((second + 1) * 1e3);
  }
  const errors = { early: [], late: [] };
  let worst = 0;
  let silent = 0;
  for (let frame = first + 4800; page.heard(frame) < 25_500; frame += 2400) {
    const error = broadcaster.error(page, frame);
    if (error === null) silent += 1;
    else if (page.heard(frame) < 11_000) errors.early.push(Math.abs(error));
    else errors.late.push(Math.abs(error));
    worst = Math.max(worst, Math.abs(error ?? 0));
  }
  const quantile = (values, q) => values.sort((a, b) => a - b)[Math.floor((values.length - 1) * q)] * 1e3;
  t.diagnostic(`first 10 s: p50 ${quantile(errors.early, 0.5).toFixed(0)}, p99 ${quantile(errors.early, 0.99).toFixed(0)} us; `
    + `later: p50 ${quantile(errors.late, 0.5).toFixed(0)}, p99 ${quantile(errors.late, 0.99).toFixed(0)} us; worst ${worst.toFixed(2)} ms`);
  assert.ok(worst < 3);
  assert.ok(quantile(errors.late, 0.5) < 100 && quantile(errors.late, 0.99) < 300);
  assert.equal(silent, 0);
  // 997 Hz tells no more than 1 ms: ten periods of 47 Hz tell the rest.
  for (let frame = first + 4800; page.heard(frame) < 25_000; frame += 48_000) {
    assert.ok(Math.abs(broadcaster.error(page, frame, 10_213, 47)) < 1.5);
  }
  assert.equal(page.context.lateStarts, 0);

  assert.equal(broadcaster.greetings.length, 2);
  const last = broadcaster.reports.at(-1);
  assert.equal(last.state, 3);
  assert.ok(last.hasTiming && Math.abs(last.error) < 0.3 && last.bound < 3, JSON.stringify(last));
  assert.ok(listener.status.state === "playing" && listener.status.title === "Hello" && listener.status.buffered > 5000);
  assert.equal(listener.status.counters.replacements, 0);
});

for (const [name, frozen] of [["a context that is interrupted for 3 s", 0], ["a sleep of 30 s", 30_000]]) {
  test(`${name} is followed by sound in step within a second`, async (t) => {
    const page = new FakePage();
    const broadcaster = new FakeBroadcaster(page);
    const listener = new Listener(access, page);
    await Promise.all([listener.start(), page.run(6000)]);
    page.isAsleep = true;
    page.context.suspend("interrupted");
    assert.equal(listener.status.state, "tap");
    page.blockedUntil = page.now + frozen;
    await page.run(page.now + frozen + 3000);
    const woke = page.now;
    const before = page.context.frame;
    page.isAsleep = false;
    page.onVisibility();
    await page.run(woke + 4000);
    // Two periods of 47 Hz tell an error to 10 ms, 997 Hz the rest.
    const isRight = (frame) => {
      const [coarse, fine] = [broadcaster.error(page, frame, 2042, 47), broadcaster.error(page, frame, 2042)];
      return coarse !== null && Math.abs(coarse) < 2 && fine !== null && Math.abs(fine) < 0.3;
    };
    let frame = page.context.frame - 4096;
    while (frame > before && isRight(frame)) frame -= 480;
    t.diagnostic(`in step ${(page.heard(frame) - woke).toFixed(0)} ms after waking`);
    assert.ok(page.heard(frame) - woke < 1000);
    assert.equal(listener.status.state, "playing");
    listener.stop();
  });
}

test("over https a processor plays, in step, and takes what is late of a page that is blocked", async () => {
  let node = null;
  const page = new FakePage({ AudioWorkletNode: class extends FakeWorkletNode {
    constructor(...parts) {
      super(...parts);
      node = this;
    }
  } });
  page.onsource = () => assert.fail("a source was used");
  const broadcaster = new FakeBroadcaster(page);
  const listener = new Listener(access, page);
  await Promise.all([listener.start(), page.run(2000)]);
  assert.ok(node && page.sockets.every(({ url }) => url.startsWith("wss://")));
  const first = page.context.output[0].findIndex((value) => value !== 0);
  assert.ok(first >= 0 && page.heard(first) < 1000, `${page.heard(first)}`);
  page.blockedUntil = 3200;
  await page.run(6000);
  for (let frame = first + 4800; page.heard(frame) < 5500; frame += 4800) {
    const error = broadcaster.error(page, frame);
    assert.ok(error !== null && Math.abs(error) < 1, `${error}`);
  }
  assert.deepEqual([listener.status.state, listener.status.counters.xruns], ["playing", 0]);
  // A page that stands still for longer than what was planned.
  page.blockedUntil = 9500;
  await page.run(12_000);
  const { xruns, deviceRestarts } = listener.status.counters;
  assert.ok(xruns >= 1 && xruns <= 3 && deviceRestarts === 1, `${xruns} ${deviceRestarts}`);
  listener.stop();
});

test("the screen is kept on while it listens in the foreground", async () => {
  const locks = [];
  const wakeLock = { request: async (kind) => {
    if (page.document.hidden) throw new Error("a page that is hidden gets none");
    locks.push({ kind, released: false, async release() { this.released = true; } });
    return locks.at(-1);
  } };
  const page = new FakePage({ wakeLock });
  new FakeBroadcaster(page);
  const listener = new Listener(access, page);
  await page.run(100);
  assert.equal(locks.length, 0);
  await Promise.all([listener.start(), page.run(500)]);
  page.onVisibility();
  await page.run(600);
  assert.deepEqual(locks.map(({ kind, released }) => [kind, released]), [["screen", false]]);
  // Browsers take it back from a page that is hidden.
  [page.document.hidden, locks[0].released] = [true, true];
  page.onVisibility();
  await page.run(1000);
  assert.equal(locks.length, 1);
  page.document.hidden = false;
  page.onVisibility();
  page.onVisibility();
  await page.run(1100);
  assert.deepEqual(locks.map(({ released }) => released), [true, false]);
  listener.stop();
  await page.run(1200);
  assert.deepEqual(locks.map(({ released }) => released), [true, true]);
  page.onVisibility();
  await page.run(1300);
  assert.equal(locks.length, 2);
});

test("settings are told, obeyed and remembered", async () => {
  const page = new FakePage();
  const broadcaster = new FakeBroadcaster(page);
  const listener = new Listener(access, page);
  await Promise.all([listener.start(), page.run(500)]);
  const command = (code, ...fields) => {
    const writer = new MessageWriter(TYPE.command).raw(new Uint8Array(16)).u16(code).u8(0).text("", 63);
    for (const [kind, value] of fields) writer[kind](value);
    broadcaster.socket.give(writer.message());
  };
  command(32, ["u8", 0], ["u32", 40]);
  command(33, ["i64", -1500]);
  command(34, ["u8", 1], ["u8", 0]);
  broadcaster.socket.give(new MessageWriter(TYPE.groupVolume).u8(50).u8(0).message());
  await page.run(1000);
  listener.nudge(-1);
  const { volume, offset, role, groupVolume } = listener.status;
  assert.deepEqual({ volume, offset, role, groupVolume }, { volume: 40, offset: -2.5, role: "left", groupVolume: 50 });
  await page.run(1100);
  assert.equal(Buffer.from(broadcaster.settings.at(-1)).toString("hex"), "00310000000c2800fffffffffffff63c0100");
  assert.equal(broadcaster.volumes.length, 1);
  listener.stop();
  await page.run(1500);
  assert.equal(listener.status.state, "off");
  const again = new Listener(access, page).status;
  assert.deepEqual([again.volume, again.offset, again.role], [40, -2.5, "left"]);
});

test("a broadcaster that speaks something else is said, and is not asked again at once", async () => {
  const page = new FakePage();
  let count = 0;
  page.onsocket = (socket) => { if (socket.url.includes("listen")) { count += 1; socket.give(Buffer.from("HTTP/1.1 200 OK")); } };
  const listener = new Listener(access, page);
  await Promise.all([listener.start(), page.run(3000)]);
  assert.match(listener.status.message, /does not speak Tutti/);
  assert.equal(count, 2);
  listener.stop();
});

test("the broadcaster's clock is told while it is measured, and the card is given back", async () => {
  const page = new FakePage();
  const broadcaster = new FakeBroadcaster(page);
  const listener = new Listener(access, page);
  assert.equal(listener.session(0), null);
  await Promise.all([listener.start(), page.run(3000)]);
  assert.ok(Math.abs(listener.session(3000) - broadcaster.session(3000) / 1e3) < 0.002);
  listener.close();
  await page.run(4000);
  assert.deepEqual([listener.session(4000), page.context.state, page.onVisibility], [null, "closed", null]);
});

test("a clock that does not answer any more is asked through new connections", async () => {
  const page = new FakePage();
  const broadcaster = new FakeBroadcaster(page);
  const listener = new Listener(access, page);
  await Promise.all([listener.start(), page.run(2000)]);
  const clock = page.sockets.find(({ url }) => url.includes("/clock?"));
  clock.onsend = null;
  await page.run(11_000);
  assert.equal(broadcaster.greetings.length, 1);
  await page.run(14_000);
  assert.deepEqual([broadcaster.greetings.length, clock.readyState], [2, 3]);
  listener.stop();
});

test("a broadcaster that closes each connection at once is asked ever more rarely", async () => {
  const page = new FakePage();
  const broadcaster = new FakeBroadcaster(page);
  const listener = new Listener(access, page);
  const timer = () => { if (broadcaster.greetings.length) broadcaster.socket.close(); page.at(page.now + 40, timer); };
  timer();
  await Promise.all([listener.start(), page.run(20_000)]);
  assert.ok(broadcaster.greetings.length <= 8, `${broadcaster.greetings.length}`);
  listener.stop();
});

test("a site that takes no more listeners for the moment is asked again, and its reason is shown", async () => {
  const page = new FakePage();
  new FakeBroadcaster(page);
  const serve = page.onsocket;
  page.onsocket = (socket) => {
    if (socket.url.includes("/listen?")) socket.close({ code: 1013, reason: "24 browsers listen already" });
    else serve(socket);
  };
  const listener = new Listener(access, page);
  await Promise.all([listener.start(), page.run(1500)]);
  assert.equal(listener.status.message, "24 browsers listen already");
  page.onsocket = serve;
  await page.run(9000);
  assert.deepEqual([listener.status.state, listener.status.message], ["playing", ""]);
  listener.stop();
});

test("a browser without Web Audio says so", async () => {
  const page = new FakePage();
  page.AudioContext = undefined;
  const listener = new Listener(access, page);
  await listener.start();
  assert.deepEqual([listener.status.state, page.sockets.length], ["off", 0]);
  assert.match(listener.status.message, /no Web Audio/);
});
