import assert from "node:assert/strict";
import test from "node:test";
import { queueView } from "../../Sources/App/WebPage/page/queue.js";
import { Programme } from "../../Sources/App/WebPage/page/state.js";
import { ROW, fakeDocument } from "./fakes/dom.mjs";

const item = (id) => ({ id, title: `Song ${id}`, artist: null, seconds: 200, live: false, failed: false });

/** The queue of a page, with songs 1 to `count`, as the broadcaster has it. */
class Scene {
  commands = [];
  requests = [];
  refuses = false;

  static async make(t, count = 5, rights = ["listen", "command"]) {
    const scene = new Scene();
    scene.document = fakeDocument(t);
    scene.songs = Array.from({ length: count }, (_, i) => item(i + 1));
    const programme = new Programme();
    programme.takeState(scene.state(), 0);
    scene.tutti = {
      programme, may: (right) => rights.includes(right), tell() {}, scrolling: () => "auto",
      connection: { isOpen: true, request: async (request) => {
        scene.requests.push(request);
        const { from, count: wanted } = request.queue;
        return { queue: { from, count: scene.songs.length, items: scene.songs.slice(from, from + wanted) } };
      } },
      command: async (command) => {
        scene.commands.push(command);
        return !scene.refuses;
      },
    };
    scene.view = queueView(scene.tutti);
    scene.list = scene.document.getElementById("queue-list");
    await scene.update();
    return scene;
  }

  state(more = {}) {
    return {
      sequence: 1, sent: 0, items: this.songs.length, listeners: [],
      status: { transport: "playing", current: this.songs[0] ?? null, next: null, position: null }, ...more,
    };
  }

  async update() {
    this.view.update();
    await new Promise((resolve) => { setImmediate(resolve); });
  }

  get titles() { return this.list.children.map((row) => Number(row.querySelector(".song").textContent.slice(5))); }
  grip(index) { return this.list.children[index].querySelector(".grip"); }
}

for (const pointer of ["mouse", "touch"]) {
  const more = pointer === "touch" ? { pointerId: 7, button: 0 } : {};
  test(`a song is dragged by ${pointer}, and is where it was dropped`, async (t) => {
    const scene = await Scene.make(t);
    const grip = scene.grip(0);
    grip.point("down", 25, more);
    assert.ok(grip.captured.size === 1 && scene.list.children[0].classList.contains("dragged"));
    grip.point("move", 25 + 1.2 * ROW, more);
    scene.document.frame();
    assert.deepEqual(scene.list.children.map((row) => row.style.transform),
      [60, -50, 0, 0, 0].map((shift) => `translateY(${shift}px)`));
    grip.point("move", 25 + 3.2 * ROW, more);
    scene.document.frame();
    grip.point("up", 25 + 3.2 * ROW, more);
    assert.deepEqual(scene.titles, [2, 3, 4, 1, 5]);
    assert.deepEqual(scene.commands, [{ move: { item: 1, position: 3 } }]);
    assert.ok(scene.list.children.every((row) => !row.style.transform && !row.classList.contains("dragged")));
  });
}

test("a drag that is over before anything was drawn counts", async (t) => {
  const scene = await Scene.make(t);
  scene.grip(4).point("down", 225);
  scene.grip(4).point("up", 20);
  assert.deepEqual([scene.titles, scene.commands], [[5, 1, 2, 3, 4], [{ move: { item: 5, position: 0 } }]]);
});

test("a drag that is taken away, or comes back, moves nothing", async (t) => {
  const scene = await Scene.make(t);
  for (const [kind, at] of [["cancel", 190], ["up", 27]]) {
    const grip = scene.grip(0);
    grip.point("down", 25);
    grip.point("move", 190);
    scene.document.frame();
    grip.point(kind, at);
    assert.equal(scene.list.children[0].style.transform, "");
  }
  assert.deepEqual([scene.titles, scene.commands], [[1, 2, 3, 4, 5], []]);
});

test("a second finger, another button and another pointer do not disturb a drag", async (t) => {
  const scene = await Scene.make(t);
  scene.grip(1).point("down", 75, { button: 2 });
  const grip = scene.grip(0);
  grip.point("down", 25);
  scene.grip(2).point("down", 125, { pointerId: 2 });
  grip.point("move", 225, { pointerId: 2 });
  grip.point("up", 225, { pointerId: 2 });
  assert.deepEqual(scene.list.children.filter((row) => row.classList.contains("dragged")).length, 1);
  grip.point("move", 25 + 1.2 * ROW);
  grip.point("up", 25 + 1.2 * ROW);
  assert.deepEqual(scene.commands, [{ move: { item: 1, position: 1 } }]);
});

test("at an edge of the window dragging scrolls, and the song goes with it", async (t) => {
  const scene = await Scene.make(t, 60);
  globalThis.innerHeight = 400;
  const grip = scene.grip(2);
  grip.point("down", 125);
  grip.point("move", 390);
  for (let frame = 0; frame < 50; frame += 1) scene.document.frame();
  assert.equal(globalThis.scrollY, 600);
  grip.point("up", 390);
  assert.deepEqual(scene.commands, [{ move: { item: 3, position: 19 } }]);
});

test("what others change while a song is dragged is shown when it is dropped", async (t) => {
  const scene = await Scene.make(t);
  const grip = scene.grip(3);
  grip.point("down", 175);
  scene.songs.shift();
  scene.tutti.programme.takeChange({ sequence: 2, queue: { edit: "removed(at: 0)", items: 4 } });
  await scene.update();
  assert.deepEqual(scene.titles, [1, 2, 3, 4, 5]);
  grip.point("move", 175 - 1.2 * ROW);
  grip.point("up", 175 - 1.2 * ROW);
  assert.deepEqual([scene.titles, scene.commands], [[2, 4, 3, 5], [{ move: { item: 4, position: 1 } }]]);
});

test("a move that is refused is taken back", async (t) => {
  const scene = await Scene.make(t);
  scene.refuses = true;
  scene.grip(0).point("down", 25);
  scene.grip(0).point("up", 25 + 2.2 * ROW);
  assert.deepEqual(scene.titles, [2, 3, 1, 4, 5]);
  for (let turn = 0; turn < 3; turn += 1) await scene.update();
  assert.deepEqual(scene.titles, [1, 2, 3, 4, 5]);
});

test("who may not command has nothing to drag by", async (t) => {
  const scene = await Scene.make(t, 3, ["listen"]);
  assert.deepEqual([scene.titles, scene.grip(0)], [[1, 2, 3], null]);
});
