import assert from "node:assert/strict";
import { test } from "node:test";
import { Playout } from "../../Sources/App/WebPage/page/playout.js";
import { BufferSink, WorkletSink, workletSink } from "../../Sources/App/WebPage/page/sink.js";
import { FakeContext } from "./fakes/audio.mjs";
import { FakeSong, sine } from "./fakes/broadcast.mjs";
import { FakeWorkletNode } from "./fakes/worklet.mjs";

const RATE = 48_000;

/** A context of `seconds`, with a sink, and a processor's node where it has one. */
function make(kind, seconds = 2) {
  const context = new FakeContext(RATE, seconds);
  const gain = context.createGain();
  if (kind === "buffers") return { context, gain, sink: new BufferSink(context, gain) };
  const node = new FakeWorkletNode(context, "tutti", { outputChannelCount: [2] });
  return { context, gain, node, sink: new WorkletSink(node, gain) };
}

/** Two channels of `count` frames, of which none is 0. */
const block = (count, first = 1) => [1, -1].map((sign) =>
  Float32Array.from({ length: count }, (_, i) => sign * (first + i) / 65_536));

/** What is heard of the left channel at a frame, in the units of `block`. */
const heard = ({ context }, frame) => context.output[0][Math.round(frame)] * 65_536;

for (const kind of ["buffers", "a processor"]) {
  test(`${kind}: blocks begin at their exact frames and follow each other without a seam`, () => {
    const scene = make(kind);
    scene.sink.play(1003, block(777));
    scene.sink.play(1780, block(5000, 778), true);
    scene.context.advance(1);
    for (let frame = 0; frame < 8000; frame += 1) {
      const wanted = frame >= 1003 && frame < 6780 ? frame - 1002 : 0;
      assert.equal(heard(scene, frame), wanted);
      assert.equal(scene.context.output[1][frame] + scene.context.output[0][frame], 0);
    }
  });

  test(`${kind}: a cut drops all from its frame on, and a block may follow there`, () => {
    const scene = make(kind);
    scene.sink.play(1000, block(4000));
    scene.sink.play(5000, block(4000));
    scene.context.advance(0.05);
    scene.sink.cut(3001);
    // A later cut brings nothing back.
    scene.sink.cut(4000);
    scene.sink.play(3001, block(500, 9000), true);
    scene.context.advance(1);
    const frames = [2999, 3000, 3001, 3500, 3501, 5000];
    assert.deepEqual(frames.map((frame) => heard(scene, frame)), [2000, 2001, 9000, 9499, 0, 0]);
  });

  test(`${kind}: a cut of what is due already takes effect at once`, () => {
    const scene = make(kind);
    scene.sink.play(0, block(20_000));
    scene.context.advance(0.1);
    const { frame } = scene.context;
    scene.sink.cut(0);
    scene.context.advance(1);
    assert.deepEqual([heard(scene, frame - 1), heard(scene, frame)], [frame, 0]);
  });

  test(`${kind}: nothing is heard of a sink that was closed`, () => {
    const scene = make(kind);
    scene.sink.play(1000, block(4000));
    scene.sink.close();
    scene.context.advance(1);
    assert.equal(heard(scene, 2000), 0);
  });
}

test("a block that comes late is heard where it is due, and what was missing is told", () => {
  const scene = make("a processor", 6);
  const absent = [];
  scene.sink.onlate = (frames) => absent.push(frames);
  scene.sink.play(1000, block(2000));
  scene.node.hold(true);
  scene.context.advance(2048 / RATE);
  scene.node.hold(false);
  scene.context.advance(4);
  assert.deepEqual([2047, 2048, 2999].map((frame) => heard(scene, frame)), [0, 1049, 2000]);
  // The block was not the last: all behind it is due as well, until one comes or a cut says that none will.
  assert.equal(absent[0], 1048);
  const { frame } = scene.context;
  scene.sink.cut(frame);
  scene.context.advance(6);
  assert.ok(absent.length >= 4 && absent.length <= 6, `${absent}`);
  assert.equal(absent.reduce((sum, value) => sum + value), 1048 + frame - 3000);
});

test("silence that is meant, behind the last block and behind a cut, is not missing", () => {
  const scene = make("a processor", 6);
  scene.sink.onlate = () => assert.fail("nothing was missing");
  scene.sink.play(1000, block(2000));
  scene.sink.play(3000, block(2000), true);
  scene.sink.play(9000, block(2000));
  scene.sink.play(11_000, block(2000));
  scene.context.advance(0.2);
  scene.sink.cut(11_000);
  scene.context.advance(5);
});

test("a processor holds some seconds of sound at most", () => {
  const scene = make("a processor", 12);
  for (let frame = 0; frame < 10 * RATE; frame += 4800) scene.sink.play(frame, block(4800));
  scene.context.advance(11);
  assert.notEqual(heard(scene, 3.9 * RATE), 0);
  assert.equal(heard(scene, 4.1 * RATE), 0);
});

test("a processor that renders makes no arrays", () => {
  const scene = make("a processor", 30);
  const output = [new Float32Array(128), new Float32Array(128)];
  scene.sink.play(0, block(4 * RATE - 512));
  scene.context.advance(512 / RATE);
  const outputs = [output];
  const render = () => {
    for (let i = 0; i < 100_000; i += 1) {
      globalThis.currentFrame = 512 + i % 1000 * 128;
      scene.node.processor.process([], outputs);
    }
  };
  render();
  const before = process.memoryUsage().heapUsed;
  render();
  // One array of two numbers each time would be 3 MB and more, unless it is collected meanwhile.
  assert.ok(process.memoryUsage().heapUsed - before < 1e6, `${process.memoryUsage().heapUsed - before}`);
});

/** Plays a start, a pause, a seek, another offset, and an end, on a card of 40 ppm; the page is blocked now and then. */
function play(use) {
  const context = new FakeContext(RATE, 14);
  const session = (frame) => 5e6 + frame / RATE / (1 + 40e-6) * 1e3;
  const map = { session, frame: (time) => (time - 5e6) / 1e3 * (1 + 40e-6) * RATE };
  const playout = new Playout({ context, output: context.destination, map });
  const node = use(playout, context);
  const wave = (frame, channel) => sine(44_100, channel ? 600 : 997)(frame);
  const song = new FakeSong({ id: 1, rate: 44_100, wave, channels: 2 });
  const later = new FakeSong({ id: 2, rate: 48_000, wave, channels: 2, from: 96_000, length: 96_000 + 5 * 48_000 });
  song.announce(playout);
  song.place(playout, { frame: 0, session: 5_000_500 });
  const steps = [
    [3, () => playout.cut({ epoch: 1, frame: 2.8 * 44_100 })],
    [4, () => song.place(playout, { frame: 2.8 * 44_100, session: 5_004_400 })],
    [6, () => {
      playout.cut({ epoch: 1, frame: 5 * 44_100 });
      later.announce(playout);
      later.send(playout, 96_000 + 48_000);
      later.place(playout, { frame: 96_000, session: 5_006_600 });
    }],
    [8, () => playout.setOffset(-7.5)],
    [9, () => playout.setRole("left")],
  ];
  for (let time = 0.01; time < 13; time += 0.01) {
    context.advance(time);
    if (steps[0]?.[0] <= time) steps.shift()[1]();
    (later.anchor ? later : song).send(playout, later.anchor ? 96_000 + (time - 4) * 48_000 : (time + 3) * 44_100);
    if (time % 1 > 0.2) playout.pump();
  }
  return { context, playout, node };
}

test("the same plan gives the same samples through both sinks", () => {
  const [buffers, worklet] = [
    play(() => null),
    play((playout, context) => {
      const node = new FakeWorkletNode(context, "tutti", { outputChannelCount: [2] });
      playout.use((output) => new WorkletSink(node, output));
      return node;
    }),
  ];
  const isHeard = buffers.context.output[0].filter((value) => value !== 0).length;
  assert.ok(isHeard > 8 * RATE, `${isHeard}`);
  for (const channel of [0, 1]) assert.deepEqual(worklet.context.output[channel], buffers.context.output[channel]);
  assert.deepEqual(worklet.playout.counters, buffers.playout.counters);
  assert.equal(worklet.playout.counters.xruns, 0);
});

test("a processor that fails is followed by buffers", () => {
  const context = new FakeContext(RATE, 8);
  const playout = new Playout({
    context, output: context.destination,
    map: { session: (frame) => 5e6 + frame / 48, frame: (time) => (time - 5e6) * 48 },
  });
  const node = new FakeWorkletNode(context, "tutti", { outputChannelCount: [2] });
  playout.use((output) => new WorkletSink(node, output));
  const song = new FakeSong({ id: 1, rate: RATE, wave: sine(RATE) });
  song.announce(playout);
  song.place(playout, { frame: 0, session: 5_000_500 });
  for (let time = 0.01; time < 6; time += 0.01) {
    context.advance(time);
    if (Math.abs(time - 3) < 0.005) node.fail();
    song.send(playout, (time + 3) * RATE);
    playout.pump();
  }
  const wanted = (frame) => sine(RATE)(frame - RATE / 2);
  for (const frame of [2 * RATE, 4 * RATE, 5 * RATE + 100]) assert.ok(Math.abs(context.output[0][frame] - wanted(frame)) < 1e-4);
});

test("sound that came late is counted, and planned earlier from then on", () => {
  const context = new FakeContext(RATE, 8);
  const playout = new Playout({ context, output: context.destination, map: { session: () => null, frame: () => null } });
  let sink = null;
  playout.use((output) => { sink = new BufferSink(context, output); return sink; });
  const { margin } = playout;
  sink.onlate(100);
  assert.deepEqual([playout.counters.xruns, playout.margin], [1, 2 * margin]);
  sink.onlate(RATE);
  assert.deepEqual([playout.counters.xruns, playout.margin], [2, 2 * margin]);
});

test("a processor is taken only where there is one, and only if it loads in time", async () => {
  const context = () => Object.assign(new FakeContext(RATE, 1), { audioWorklet: { addModule: async () => {} } });
  const host = { isSecureContext: true, AudioWorkletNode: FakeWorkletNode, setTimeout: (body) => setTimeout(body, 5) };
  assert.equal(typeof await workletSink(host, context()), "function");
  assert.equal(await workletSink({ ...host, isSecureContext: false }, context()), null);
  assert.equal(await workletSink({ ...host, AudioWorkletNode: undefined }, context()), null);
  assert.equal(await workletSink(host, new FakeContext(RATE, 1)), null);
  const failing = [async () => { throw new Error("no such module"); }, () => new Promise(() => {}), () => { throw new Error("x"); }];
  for (const addModule of failing) {
    assert.equal(await workletSink(host, Object.assign(new FakeContext(RATE, 1), { audioWorklet: { addModule } })), null);
  }
});
