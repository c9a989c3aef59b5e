import assert from "node:assert/strict";
import { test } from "node:test";
import { Playout } from "../../Sources/App/WebPage/page/playout.js";
import { FakeContext } from "./fakes/audio.mjs";
import { FakeSong, sine } from "./fakes/broadcast.mjs";

const RATE = 48_000;

/** A context whose card has a skew (ppm) and a latency (ms), with session time = its own + 5,000,000 ms. */
class World {
  constructor({ seconds = 12, rate = RATE, skew = 0, latency = 30 } = {}) {
    this.context = new FakeContext(rate, seconds);
    this.skew = skew;
    this.latency = latency;
    /** An error of the estimate, ms. */
    this.mistake = 0;
    this.isKnown = true;
    const map = {
      session: (frame) => (this.isKnown ? this.session(frame) + this.mistake : null),
      frame: (session) => (this.isKnown ? this.frame(session - this.mistake) : null),
    };
    this.playout = new Playout({ context: this.context, output: this.context.destination, map });
    this.time = 0;
  }

  /** The session time at which a frame is truly heard, ms. */
  session(frame) { return 5e6 + this.latency + frame / this.context.sampleRate / (1 + this.skew * 1e-6) * 1e3; }
  frame(session) { return (session - 5e6 - this.latency) / 1e3 * (1 + this.skew * 1e-6) * this.context.sampleRate; }

  /** Runs up to a time (s); each 10 ms `step(time)`, and the playout unless the page is blocked. */
  run(to, step = () => {}, isBlocked = () => false) {
    while (this.time < to - 1e-9) {
      this.time += 0.01;
      this.context.advance(this.time * (1 + this.skew * 1e-6));
      step(this.time);
      if (!isBlocked(this.time)) this.playout.pump();
    }
  }

  /** The greatest deviation from what a song should give at the frames [from, to) of the output. */
  deviation(song, from, to, channel = 0) {
    let worst = 0;
    for (let f = Math.round(from); f < to; f += 1) {
      const position = song.anchor.frame
        + (this.session(f) - song.anchor.session) / 1e3 * song.rate * (1 + song.skew * 1e-6);
      const wanted = position >= song.from && position <= song.length - 1 ? song.wave(position, channel) : null;
      if (wanted !== null) worst = Math.max(worst, Math.abs(this.context.output[channel][f] - wanted));
    }
    return worst;
  }

  loudest(from, to) {
    let worst = 0;
    for (let f = Math.round(from); f < to; f += 1) worst = Math.max(worst, Math.abs(this.context.output[0][f]));
    return worst;
  }

  /** The greatest second difference: a click stands out. */
  roughest(from, to) {
    const out = this.context.output[0];
    let worst = 0;
    for (let f = Math.round(from); f < to; f += 1) worst = Math.max(worst, Math.abs(out[f + 1] - 2 * out[f] + out[f - 1]));
    return worst;
  }

  check() {
    assert.equal(this.context.lateStarts, 0, "a source was started late");
    assert.equal(this.context.fractionalTimes, 0, "a source was started between frames");
  }
}

/** The greatest second difference of a 997 Hz sine of 0.5 at 48 kHz. */
const SINE_ROUGHNESS = 0.5 * (2 * Math.PI * 997 / RATE) ** 2 * 1.05;

for (const [rate, skew] of [[44_100, 0], [48_000, 0], [44_100, 40], [96_000, -60]]) {
  test(`a song of ${rate} Hz sounds where it is due on a card of ${skew} ppm, with blocks of 200 ms each second`, () => {
    const world = new World({ skew });
    const song = new FakeSong({ id: 1, rate, wave: sine(rate) });
    song.announce(world.playout);
    song.place(world.playout, { frame: 0, session: 5_000_700 });
    world.run(11, (time) => song.send(world.playout, (time + 4) * rate), (time) => time % 1 < 0.2);
    world.check();
    const start = world.frame(5_000_700);
    assert.equal(world.loudest(0, start - 200), 0);
    assert.ok(world.deviation(song, start + 100, 10.5 * RATE) < 2e-4, `${world.deviation(song, start + 100, 10.5 * RATE)}`);
    assert.ok(world.roughest(start + 200, 10.5 * RATE) < SINE_ROUGHNESS);
    assert.deepEqual([world.playout.counters.underruns, world.playout.counters.replacements], [0, 0]);
  });
}

test("two songs without a gap between them, of different rates", () => {
  const world = new World();
  const wave = (rate) => (frame) => sine(rate, 440)(frame);
  const first = new FakeSong({ id: 1, rate: 44_100, wave: wave(44_100), length: 3 * 44_100 });
  const second = new FakeSong({ id: 2, rate: 48_000, wave: wave(48_000) });
  first.announce(world.playout);
  first.place(world.playout, { frame: 0, session: 5_000_500 });
  world.run(9, (time) => {
    first.send(world.playout, (time + 4) * first.rate);
    if (first.sent === first.length && !second.anchor) {
      second.announce(world.playout);
      second.send(world.playout, 48_000);
      second.place(world.playout, { frame: 0, session: 5_003_500 });
    }
    if (second.anchor) second.send(world.playout, (time + 1) * second.rate);
  });
  world.check();
  const joint = world.frame(5_003_500);
  assert.ok(world.deviation(first, world.frame(5_000_500) + 100, joint - 40) < 2e-4);
  assert.ok(world.deviation(second, joint + 40, 8.5 * RATE) < 2e-4);
  // 440 Hz for 3 s are whole periods: the sine goes on through the joint, so no click may be there.
  assert.ok(world.roughest(joint - 500, joint + 500) < SINE_ROUGHNESS, `${world.roughest(joint - 500, joint + 500)}`);
  assert.equal(world.playout.counters.replacements, 0);
});

test("a cut fades out before its frame, and an anchor lets it go on there", () => {
  const world = new World();
  const song = new FakeSong({ id: 1, rate: 44_100, wave: sine(44_100) });
  song.announce(world.playout);
  song.place(world.playout, { frame: 0, session: 5_000_500 });
  const cut = 3 * 44_100 + 17;
  let isCut = false;
  let isResumed = false;
  world.run(9, (time) => {
    song.send(world.playout, (Math.min(time, 4) + 3) * song.rate);
    // 80 ms and the latency before the frame is heard, beside the margin.
    if (!isCut && time > 3.5 + cut % 44_100 / 44_100 - 0.03 - 0.12) {
      isCut = true;
      world.playout.cut({ epoch: 1, frame: cut });
    }
    if (!isResumed && time > 5) {
      isResumed = true;
      assert.ok(world.deviation(song, world.frame(5_000_500) + 100, world.frame(5_003_500) - 490) < 2e-4);
      song.place(world.playout, { frame: cut, session: 5_006_000 });
    }
  });
  world.check();
  const end = world.frame(5_003_500 + 17 / 44.1);
  assert.equal(world.loudest(end + 1, world.frame(5_006_000) - 1), 0);
  assert.ok(world.loudest(end - 1000, end - 480) > 0.4);
  assert.ok(world.roughest(end - 1000, end + 500) < 2 * SINE_ROUGHNESS);
  assert.ok(world.deviation(song, world.frame(5_006_000) + 500, 8 * RATE) < 2e-4);
  assert.equal(world.playout.counters.replacements, 0);
});

test("a seek: cut, and a newer epoch that begins within a song", () => {
  const world = new World();
  const song = new FakeSong({ id: 1, rate: 44_100, wave: sine(44_100) });
  const later = new FakeSong({ id: 2, rate: 44_100, wave: sine(44_100, 600), from: 1_000_000 });
  song.announce(world.playout);
  song.place(world.playout, { frame: 0, session: 5_000_500 });
  world.run(7, (time) => {
    if (!later.anchor) song.send(world.playout, (time + 3) * song.rate);
    if (time > 3 && !later.anchor) {
      world.playout.cut({ epoch: 1, frame: Math.round((time - 0.5 + 0.2) * song.rate) });
      later.announce(world.playout);
      later.send(world.playout, 1_000_000 + 44_100);
      later.place(world.playout, { frame: 1_000_000, session: 5e6 + time * 1e3 + 220 });
    }
    if (later.anchor) later.send(world.playout, 1_000_000 + (time - 1) * song.rate);
  });
  world.check();
  const begin = world.frame(later.anchor.session);
  assert.ok(world.deviation(later, begin + 100, 6.5 * RATE) < 2e-4, `${world.deviation(later, begin + 100, 6.5 * RATE)}`);
  assert.ok(world.deviation(song, world.frame(5_000_500) + 100, begin - 1500) < 2e-4);
});

test("song that comes too late is silence, and the sound is placed anew, once", () => {
  const world = new World({ seconds: 14 });
  const song = new FakeSong({ id: 1, rate: 48_000, wave: sine(48_000) });
  song.announce(world.playout);
  song.place(world.playout, { frame: 0, session: 5_000_500 });
  world.run(12, (time) => song.send(world.playout, (time > 4 && time < 7 ? 4 : time + 2) * song.rate));
  world.check();
  assert.equal(world.playout.counters.underruns, 1);
  assert.ok(world.deviation(song, world.frame(5_000_500) + 100, world.frame(5_005_500)) < 2e-4);
  assert.equal(world.loudest(6.7 * RATE, 7 * RATE), 0);
  assert.ok(world.deviation(song, 7.6 * RATE, 11.5 * RATE) < 2e-4);
  assert.ok(world.roughest(world.frame(5_000_500) + 200, 11.5 * RATE) < 2 * SINE_ROUGHNESS);
});

test("a page that stands still for 4 s is silent, and in step within 0.2 s", () => {
  const world = new World();
  const song = new FakeSong({ id: 1, rate: 48_000, wave: sine(48_000) });
  song.announce(world.playout);
  song.place(world.playout, { frame: 0, session: 5_000_500 });
  const isBlocked = (time) => time > 4 && time < 8;
  world.run(11, (time) => { if (!isBlocked(time)) song.send(world.playout, (time + 3) * song.rate); }, isBlocked);
  world.check();
  assert.equal(world.playout.counters.deviceRestarts, 1);
  assert.ok(world.deviation(song, 8.2 * RATE, 10.5 * RATE) < 2e-4);
});

test("what is rendered too slowly to begin in time begins anew where it is due, and then there is more time", () => {
  const world = new World();
  const song = new FakeSong({ id: 1, rate: 48_000, wave: sine(48_000) });
  song.announce(world.playout);
  song.place(world.playout, { frame: 0, session: 4_999_500 });
  world.context.costs = [0.1, 0.02, 0.1];
  world.run(6, (time) => song.send(world.playout, (time + 4) * song.rate));
  assert.deepEqual([world.playout.counters.deviceRestarts, world.playout.counters.replacements], [1, 1]);
  assert.ok(world.deviation(song, 0.9 * RATE, 5.5 * RATE) < 2e-4, `${world.deviation(song, 0.9 * RATE, 5.5 * RATE)}`);
});

test("a small error is slewed away without a seam, a large one is one fade", () => {
  for (const [mistake, count] of [[0.4, 0], [5, 1]]) {
    const world = new World({ seconds: 22 });
    const song = new FakeSong({ id: 1, rate: 44_100, wave: sine(44_100) });
    song.announce(world.playout);
    song.place(world.playout, { frame: 0, session: 5_000_500 });
    world.mistake = mistake;
    world.run(20, (time) => {
      song.send(world.playout, (time + 3) * song.rate);
      if (time > 5) world.mistake = 0;
    });
    world.check();
    assert.equal(world.playout.counters.replacements, count);
    // 2 pi 997 Hz x 20 us x 0.5 is 0.06.
    const deviation = world.deviation(song, 19 * RATE, 19.5 * RATE);
    assert.ok(deviation < 0.03, `${deviation}`);
    assert.ok(world.roughest(2 * RATE, 19.5 * RATE) < 2 * SINE_ROUGHNESS);
  }
});

test("who joins within a song, an offset, and a role", () => {
  const world = new World({ seconds: 10 });
  const wave = (frame, channel) => sine(48_000, channel ? 600 : 997)(frame);
  const song = new FakeSong({ id: 3, rate: 48_000, wave, channels: 2, from: 96_000 });
  song.announce(world.playout);
  song.place(world.playout, { frame: 0, session: 4_998_500 });
  world.run(3, (time) => song.send(world.playout, (time + 6) * song.rate));
  assert.ok(world.deviation(song, 1.2 * RATE, 2.9 * RATE, 0) < 2e-4);
  assert.ok(world.deviation(song, 1.2 * RATE, 2.9 * RATE, 1) < 2e-4);
  world.playout.setOffset(-12.5);
  world.run(6, (time) => song.send(world.playout, (time + 6) * song.rate));
  song.anchor.session -= 12.5;
  assert.ok(world.deviation(song, 3.3 * RATE, 5.9 * RATE, 1) < 2e-4);
  world.playout.setRole("right");
  world.run(9, (time) => song.send(world.playout, (time + 6) * song.rate));
  world.check();
  song.wave = (frame) => sine(48_000, 600)(frame);
  assert.ok(world.deviation(song, 6.3 * RATE, 8.9 * RATE, 0) < 2e-4);
  assert.equal(world.playout.counters.replacements, 0);
});

test("the end of a song is heard to its last frame, and then there is silence", () => {
  const world = new World();
  const song = new FakeSong({ id: 1, rate: 44_100, wave: sine(44_100, 441), length: 2 * 44_100 });
  song.announce(world.playout);
  song.place(world.playout, { frame: 0, session: 5_000_500 });
  world.run(5, (time) => song.send(world.playout, (time + 3) * song.rate));
  const end = world.frame(5_002_500);
  assert.ok(world.deviation(song, end - 2000, end - 60) < 2e-4);
  assert.equal(world.loudest(end + 60, 4.5 * RATE), 0);
});

test("fades that were planned before an interruption are not those of the sound behind it", () => {
  const world = new World();
  const song = new FakeSong({ id: 1, rate: 48_000, wave: sine(48_000) });
  song.announce(world.playout);
  song.place(world.playout, { frame: 0, session: 5_000_500 });
  world.run(3, (time) => song.send(world.playout, (time + 4) * song.rate));
  world.playout.cut({ epoch: 1, frame: 3.5 * 48_000 });
  world.playout.pump();
  world.playout.interrupt();
  const next = new FakeSong({ id: 2, rate: 48_000, wave: sine(48_000) });
  next.announce(world.playout);
  next.place(world.playout, { frame: 0, session: 5_003_300 });
  world.run(8, (time) => next.send(world.playout, time * next.rate));
  assert.ok(world.deviation(next, 4.5 * RATE, 7.5 * RATE) < 2e-4);
});
