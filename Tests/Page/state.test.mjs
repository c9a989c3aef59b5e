import assert from "node:assert/strict";
import test from "node:test";
import { lineAt, parseLyrics, Programme, Queue, worstPair } from "../../Sources/App/WebPage/page/state.js";

const song = (id, seconds = 200) => ({ id, title: `Song ${id}`, seconds, live: false, failed: false });
const listener = (instance, errorMicroseconds, boundMicroseconds, state = "playing") =>
  ({ name: `L${instance}`, instance, state, volume: null, errorMicroseconds, boundMicroseconds });

const state = () => ({
  broadcaster: "Kitchen", sequence: 10, sent: 1000, items: 4,
  status: {
    transport: "playing", current: song(1), next: song(2),
    position: { seconds: 30, at: 990, rate: 1, frame: 0, sampleRate: 44100 },
  },
  modes: { repeat: "off", shuffle: false }, volume: { level: 70, muted: false }, listeners: [listener("a", 10, 5)],
});

const known = (count) => {
  const queue = new Queue();
  queue.forget(count);
  queue.take({ from: 0, count, items: Array.from({ length: count }, (_, i) => song(i + 1)) }, queue.version);
  return queue;
};
const ids = (queue) => Array.from({ length: queue.count }, (_, i) => queue.at(i)?.id ?? null);

test("changes are folded into the state", () => {
  const programme = new Programme();
  programme.takeState(state(), 0);
  assert.equal(programme.takeChange({ sequence: 11, effect: 1, modes: { repeat: "all", shuffle: true } }), "modes");
  assert.equal(programme.takeChange({ sequence: 12, effect: 1, volume: { level: 3, muted: true } }), "volume");
  assert.equal(programme.takeChange({ sequence: 13, effect: 1, listener: listener("b", 1, 1) }), "listener");
  assert.equal(programme.takeChange({ sequence: 14, effect: 1, listener: listener("a", 99, 1) }), "listener");
  assert.equal(programme.takeChange({ sequence: 15, effect: 1, item: { ...song(2), title: "New" } }), "item");
  assert.deepEqual(programme.state.modes, { repeat: "all", shuffle: true });
  assert.deepEqual(programme.state.volume, { level: 3, muted: true });
  assert.deepEqual(programme.state.listeners.map((l) => [l.instance, l.errorMicroseconds]), [["a", 99], ["b", 1]]);
  assert.equal(programme.state.status.next.title, "New");
  assert.equal(programme.takeChange({ sequence: 16, effect: 1, gone: "a" }), "gone");
  assert.deepEqual(programme.state.listeners.map((l) => l.instance), ["b"]);
});

test("an old change, and one of a later version, change nothing", () => {
  const programme = new Programme();
  assert.equal(programme.takeChange({ sequence: 1, effect: 1, volume: { level: 1 } }), "");
  programme.takeState(state(), 0);
  assert.equal(programme.takeChange({ sequence: 10, effect: 1, volume: { level: 1 } }), "");
  assert.equal(programme.takeChange({ sequence: 11, effect: 1, unknown: null }), "");
  assert.deepEqual(programme.state.volume, { level: 70, muted: false });
});

test("the position is calculated from (seconds, session time, rate)", () => {
  const programme = new Programme();
  programme.takeState(state(), 5_000);
  // Sent ten seconds behind the anchor.
  assert.equal(programme.elapsed(5_000), 40);
  assert.equal(programme.elapsed(7_500), 42.5);
  assert.equal(programme.elapsed(5_000_000), 200, "not beyond the end");
  assert.equal(programme.elapsed(-60_000), 0, "not before the beginning");
  programme.takeChange({
    sequence: 11, effect: 1001,
    status: { transport: "paused", current: song(1), next: null, position: { seconds: 41, at: 1001, rate: 0 } },
  });
  assert.equal(programme.elapsed(90_000), 41);
  programme.takeChange({
    sequence: 12, effect: 1001, status: { transport: "idle", current: null, next: null, position: null },
  });
  assert.equal(programme.elapsed(90_000), null);
});

test("edits of the queue are folded, and only what is new is asked for", () => {
  const queue = known(5);
  queue.edit("moved(from: 0, to: 3)", 5);
  assert.deepEqual(ids(queue), [2, 3, 4, 1, 5]);
  queue.edit("removed(at: 1)", 4);
  assert.deepEqual(ids(queue), [2, 4, 1, 5]);
  assert.equal(queue.lacking(0, 100), null);
  queue.edit("inserted(at: 1, count: 2)", 6);
  assert.deepEqual(ids(queue), [2, null, null, 4, 1, 5]);
  assert.deepEqual(queue.lacking(0, 100), { from: 0, count: 100 });
  queue.edit("cleared", 0);
  assert.deepEqual(ids(queue), []);
});

test("an edit that does not fit makes everything old, and shown until it is known again", () => {
  const edits = [["removed(at: 9)", 4], ["removed(at: 1)", 5], ["turned(at: 1)", 5], [null, 6], [{}, 2]];
  for (const [edit, count] of edits) {
    const queue = known(5);
    const { version } = queue;
    queue.edit(edit, count);
    assert.deepEqual([queue.lacking(0, 100), queue.count], [{ from: 0, count: 100 }, count]);
    assert.notEqual(queue.version, version);
    assert.equal(queue.at(0).id, 1);
  }
});

test("a state that says nothing new of the queue leaves it known", () => {
  const programme = new Programme();
  const { queue } = programme;
  const take = (more) => programme.takeState({ ...state(), ...more }, 0);
  const know = () => queue.take({ from: 0, count: 4, items: [1, 2, 3, 4].map((id) => song(id)) }, queue.version);
  const isKnown = () => queue.lacking(0, 100) === null;
  take({ queueSequence: 8 });
  assert.equal(isKnown(), false);
  know();
  // Changes of listeners came between, which pages are not told one by one.
  take({ sequence: 90, queueSequence: 8 });
  assert.equal(isKnown(), true);
  programme.takeChange({ sequence: 91, queue: { edit: "moved(from: 0, to: 3)", items: 4 } });
  take({ sequence: 95, queueSequence: 91 });
  assert.deepEqual([isKnown(), ids(queue)], [true, [2, 3, 4, 1]]);
  // One that this page was not told of.
  take({ sequence: 99, queueSequence: 97 });
  assert.equal(isKnown(), false);
  know();
  take({ sequence: 100, queueSequence: 97, items: 5 });
  assert.deepEqual([isKnown(), queue.count], [false, 5]);
  queue.forget(4);
  know();
  // A broadcaster that does not say, and another connection.
  for (const unknown of [{}, { queueSequence: null }]) {
    know();
    take({ sequence: 101, ...unknown });
    assert.equal(isKnown(), false);
  }
  know();
  programme.lose();
  take({ sequence: 102, queueSequence: 97 });
  assert.equal(isKnown(), false);
});

test("a piece that was asked for before an edit is not taken", () => {
  const queue = known(3);
  const { version } = queue;
  queue.edit("removed(at: 0)", 2);
  queue.take({ from: 0, count: 3, items: [song(1), song(2), song(3)] }, version);
  assert.deepEqual(ids(queue), [2, 3]);
});

test("a long queue is asked for in pieces", () => {
  const queue = new Queue();
  queue.forget(10_000);
  assert.deepEqual(queue.lacking(250, 350), { from: 200, count: 100 });
  queue.take({ from: 200, count: 10_000, items: Array.from({ length: 100 }, (_, i) => song(i)) }, queue.version);
  assert.deepEqual(queue.lacking(250, 350), { from: 300, count: 100 });
  assert.equal(queue.lacking(200, 300), null);
  assert.deepEqual(queue.lacking(9_990, 10_090), { from: 9_900, count: 100 });
  queue.forget(4_000_000_000);
  assert.equal(queue.count, Queue.limit, "no memory sized by a number that came");
});

test("a move shows at once, and the change that tells of it moves nothing twice", () => {
  const queue = known(4);
  queue.expectMove(0, 2);
  assert.deepEqual(ids(queue), [2, 3, 1, 4]);
  queue.edit("moved(from: 0, to: 2)", 4);
  assert.deepEqual(ids(queue), [2, 3, 1, 4]);
  assert.equal(queue.lacking(0, 4), null);
});

test("where somebody else edits meanwhile, the queue is asked for again", () => {
  const queue = known(4);
  queue.expectMove(0, 2);
  queue.edit("removed(at: 3)", 3);
  assert.deepEqual([queue.lacking(0, 4), queue.count], [{ from: 0, count: 100 }, 3]);
});

test("the worst pair is found as |e1 - e2| + b1 + b2 over all pairs", () => {
  assert.equal(worstPair([]), null);
  assert.equal(worstPair([listener("a", 5, 1), listener("b", 900, 1, "ready"), listener("c", null, null)]), null);
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 200; round++) {
    const all = Array.from({ length: 2 + (round % 6) }, (_, i) => listener(`${i}`, random() * 100 - 50, random() * 40));
    let worst = -1;
    for (const a of all) {
      for (const b of all) {
        if (a === b) continue;
        const apart = Math.abs(a.errorMicroseconds - b.errorMicroseconds) + a.boundMicroseconds + b.boundMicroseconds;
        worst = Math.max(worst, apart);
      }
    }
    assert.ok(Math.abs(worstPair(all).microseconds - worst) < 1e-9);
  }
});

test("LRC is parsed: times, several of a line, offset, words' times, tags", () => {
  const { isTimed, lines } = parseLyrics(
    "[ti:Title]\r\n[offset:+500]\n" +
    "[00:10.50][01:00]Chorus\n[00:05,250]<00:05.25>One <00:06.00>two\n[00:70]late\n more\n");
  assert.equal(isTimed, true);
  assert.deepEqual(lines, [
    { time: 4.75, text: "One two" }, { time: 10, text: "Chorus" }, { time: 59.5, text: "Chorus" },
    { time: 69.5, text: "late" }, { time: null, text: "more" },
  ]);
  assert.deepEqual([0, 4.75, 9.99, 10, 1e6].map((t) => lineAt(lines, t)), [-1, 0, 0, 1, 3]);
});

test("of lines that begin together the first is current", () => {
  const { lines } = parseLyrics("[00:01]Wort\n[00:01]word\n[00:02]next");
  assert.equal(lineAt(lines, 1.5), 0);
});

test("plain text stays as it is", () => {
  const text = "First\n\n[not a time] second\n";
  assert.deepEqual(parseLyrics(text), {
    isTimed: false, lines: ["First", "", "[not a time] second", ""].map((t) => ({ time: null, text: t })),
  });
});

test("who measures the broadcaster's clock places the song, whatever the page's own clock does", () => {
  const programme = new Programme();
  programme.takeState(state(), 5_000);
  programme.measured = (now) => 1000.25 + (now - 5_000) / 1000;
  assert.equal(programme.elapsed(5_000), 40.25);
  programme.measured = () => null;
  assert.equal(programme.elapsed(5_000), 40);
});

test("a piece that comes shorter than it was asked for is gone on with, and one without items is not asked for again", () => {
  const queue = new Queue();
  queue.forget(150);
  const items = (from, count) => Array.from({ length: count }, (_, i) => song(from + i + 1));
  assert.equal(queue.take({ from: 0, count: 150, items: items(0, 60) }, queue.version), true);
  assert.deepEqual(queue.lacking(0, 100), { from: 60, count: 40 });
  assert.equal(queue.take({ from: 60, count: 150, items: items(60, 40) }, queue.version), true);
  assert.deepEqual([queue.lacking(0, 100), queue.lacking(100, 150)], [null, { from: 100, count: 100 }]);
  assert.equal(queue.take({ from: 100, count: 150, items: [] }, queue.version), false);
});
