import assert from "node:assert/strict";
import test from "node:test";
import "./fakes/crypto.mjs";
import { fakeTimers } from "./fakes/timers.mjs";
import { Connection, Guest } from "../../Sources/App/WebPage/page/connection.js";

// Values by Python's hmac: the key is 00 01 ... 0f, the server's nonce 11..., the client's 22..., the ticket 33...
const CODE = "AAECAwQFBgcICQoLDA0ODw";
const TICKET = "33".repeat(16);
const OPEN = { version: 1, name: "Kitchen", nonce: "11".repeat(16), isOpen: true, rights: ["listen", "command"] };
const HOUSEHOLD = { ...OPEN, isOpen: false, rights: [] };
const JOINED_MAC = "03207629cda2c96c91746f8e6de91243ce40a927599e25f18a7934b4ad03af38";

/** A server's end of sockets, and what the page was told. */
function setUp(t, code = "") {
  const timers = fakeTimers(t);
  t.mock.method(Math, "random", () => 1);
  t.mock.method(globalThis.crypto, "getRandomValues", (array) => array.fill(0x22));
  const it = { timers, sockets: [], phases: [], events: [], joined: [] };
  const open = (url) => {
    const socket = {
      url, sent: [], isClosed: false,
      send(text) { this.sent.push(JSON.parse(text)); },
      close() { this.isClosed = true; },
      says(message) { this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) }); },
      ends(code = 1006, reason = "") { this.onclose({ code, reason }); },
    };
    it.sockets.push(socket);
    return socket;
  };
  it.connection = new Connection({
    url: "ws://host/api/v1/events", name: "Phone", code, open,
    onphase: (phase) => it.phases.push(phase.name), onevent: (...event) => it.events.push(event),
    onjoined: (joined) => it.joined.push(joined),
  });
  it.connection.restart();
  it.join = (hello = OPEN, mac = undefined) => {
    const socket = it.sockets.at(-1);
    socket.says({ hello });
    socket.says({ joined: { rights: hello.rights, ticket: TICKET, instance: "a", mac } });
    socket.says({ state: { sequence: 1 } });
    return socket;
  };
  return it;
}

test("joins by name where no code is needed, and is told what happens", (t) => {
  const it = setUp(t);
  const socket = it.join();
  assert.equal(socket.url, "ws://host/api/v1/events");
  assert.deepEqual(socket.sent, [{ join: { name: "Phone" } }]);
  assert.equal(it.joined[0].ticket, TICKET);
  assert.deepEqual(it.phases, ["open"]);
  socket.says({ change: { sequence: 2 } });
  socket.says("no JSON");
  socket.says("null");
  socket.says({ later: {} });
  assert.deepEqual(it.events, [["state", { sequence: 1 }], ["change", { sequence: 2 }]]);
});

test("who comes back says who it was", (t) => {
  const it = setUp(t);
  it.join().ends();
  it.timers.tick(500);
  const again = it.sockets.at(-1);
  again.says({ hello: OPEN });
  assert.deepEqual(again.sent, [{ join: { name: "Phone", former: TICKET } }]);
});

test("requests are answered by their ids, in any order", async (t) => {
  const it = setUp(t);
  const socket = it.join();
  const queue = it.connection.request({ queue: { from: 0, count: 100 } });
  const pause = it.connection.command({ pause: {} });
  const refused = it.connection.command({ next: {} });
  const failed = it.connection.request({ lyrics: { item: 5 } });
  assert.deepEqual(socket.sent.slice(1, 3), [
    { id: 1, queue: { from: 0, count: 100 } }, { id: 2, command: { pause: {} } },
  ]);
  socket.says({ id: 2, outcome: { done: true, text: "paused" } });
  socket.says({ id: 1, queue: { from: 0, count: 0, items: [] } });
  socket.says({ id: 3, outcome: { done: false, text: "nothing follows" } });
  socket.says({ id: 4, error: "no such item" });
  socket.says({ id: 99, error: "nobody asked" });
  assert.equal((await queue).queue.count, 0);
  assert.equal(await pause, "paused");
  await assert.rejects(refused, /nothing follows/);
  await assert.rejects(failed, /no such item/);
});

test("a request without an answer ends", async (t) => {
  const it = setUp(t);
  it.join();
  const request = it.connection.request({ lyrics: { item: 5 } });
  it.timers.tick(15_000);
  await assert.rejects(request, /No answer/);
});

test("a guest proves the code, checks who answers, and signs each request", (t) => {
  const it = setUp(t, CODE);
  const socket = it.join(HOUSEHOLD, JOINED_MAC);
  assert.deepEqual(socket.sent, [{
    join: {
      name: "Phone", guest: "be45cb2605bf", nonce: "22".repeat(16),
      mac: "9ffffa4150d68c706407bd2900f0708949cbcb6c92419a41381e33563b0d94c4",
    },
  }]);
  assert.deepEqual(it.phases, ["open"]);
  it.connection.command({ pause: {} });
  it.connection.request({ songs: { query: 'Bjö"rk', limit: 50 } });
  assert.deepEqual(socket.sent.slice(1), [
    {
      n: 1, mac: "9d8ebde84587851dcbd883a91afaf9267cff4e3e6c9e499726feabbeedba1295",
      text: '{"id":1,"command":{"pause":{}}}',
    },
    {
      n: 2, mac: "8b76631868e61ef8a601985f2cab8537ebcab24c8ae9747160075e959b1f80b0",
      text: '{"id":2,"songs":{"query":"Bjö\\"rk","limit":50}}',
    },
  ]);
  assert.ok(!JSON.stringify(socket.sent).includes(CODE));
});

test("another machine that answers is found out, and nothing is sent to it", async (t) => {
  for (const mac of [undefined, "00".repeat(32)]) {
    await t.test(`${mac}`, (t) => {
      const it = setUp(t, CODE);
      const socket = it.join(HOUSEHOLD, mac);
      assert.deepEqual(it.phases, ["impostor"]);
      assert.equal(socket.isClosed, true);
      assert.deepEqual([it.joined, it.events], [[], []]);
      it.timers.tick(60_000);
      assert.equal(it.sockets.length, 1);
    });
  }
});

test("who says joined before hello is not believed", (t) => {
  const it = setUp(t, CODE);
  it.sockets[0].says({ joined: { rights: ["command"], ticket: TICKET } });
  it.sockets[0].says({ state: { sequence: 1 } });
  assert.deepEqual([it.joined, it.events, it.phases], [[], [], []]);
});

test("an upload's header proves the code", () => {
  const guest = new Guest(CODE);
  const target = "/api/v1/songs?name=a%20b.mp3";
  assert.equal(
    guest.authorization("POST", target, 1_700_000_000_000),
    "Tutti-Guest be45cb2605bf 1700000000000 03f5496a07800dd9934b46c70be7ed18995a66bc31bd8d15a3e2d00ad7ce63b5");
  assert.match(guest.authorization("POST", target, 1_600_000_000_000), / 1700000000001 /, "numbers only grow");
});

test("a household without a code is asked nothing more", (t) => {
  const it = setUp(t);
  it.sockets[0].says({ hello: HOUSEHOLD });
  assert.deepEqual(it.phases, ["code"]);
  assert.equal(it.connection.phase.text, "Kitchen");
  assert.deepEqual(it.sockets[0].sent, []);
  it.timers.tick(60_000);
  assert.equal(it.sockets.length, 1);
  it.connection.restart({ code: CODE });
  it.join(HOUSEHOLD, JOINED_MAC);
  assert.deepEqual(it.phases, ["code", "open"]);
});

test("a damaged code is said before anything is sent", (t) => {
  for (const code of ["short", "AAECAwQFBgcICQoLDA0O*w", `${CODE}AA`]) {
    const it = setUp(t, code);
    assert.deepEqual([it.phases, it.sockets], [["refused"], []]);
    it.timers.reset();
    t.mock.restoreAll();
  }
});

test("a code that ends while the page is open stays refused, with the reason", (t) => {
  const it = setUp(t, CODE);
  const socket = it.join(HOUSEHOLD, JOINED_MAC);
  socket.says({ refused: { reason: "this code has ended" } });
  assert.deepEqual(it.phases, ["open", "refused"]);
  assert.equal(it.connection.phase.text, "this code has ended");
  it.timers.tick(60_000);
  assert.equal(it.sockets.length, 1);
});

test("comes back by itself, slower and slower up to ten seconds", (t) => {
  const it = setUp(t);
  it.join().ends();
  assert.deepEqual(it.phases, ["open", "lost"]);
  for (const delay of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
    const { length } = it.sockets;
    it.timers.tick(delay - 1);
    assert.equal(it.sockets.length, length);
    it.timers.tick(1);
    assert.equal(it.sockets.length, length + 1);
    it.sockets.at(-1).ends();
  }
  it.timers.tick(10_000);
  it.join().ends();
  assert.deepEqual(it.phases, ["open", "lost", "open", "lost"]);
  it.timers.tick(500);
  assert.equal(it.sockets.length, 10, "soon again");
});

test("what was asked when the connection was lost is refused, and so is what is asked then", async (t) => {
  const it = setUp(t);
  const socket = it.join();
  const request = it.connection.command({ next: {} });
  socket.ends();
  await assert.rejects(request, /lost/);
  await assert.rejects(it.connection.command({ next: {} }), /Not connected/);
});

test("connects at once when it is woken", (t) => {
  const it = setUp(t);
  it.join().ends();
  it.connection.wake();
  assert.equal(it.sockets.length, 2);
  it.timers.tick(5_999);
  assert.equal(it.sockets.length, 2, "and not a second time");
});

test("a machine that says nothing more is left and tried again", (t) => {
  const it = setUp(t);
  it.timers.tick(6_000);
  assert.equal(it.sockets[0].isClosed, true);
  assert.deepEqual(it.phases, ["lost"]);
  it.timers.tick(500);
  const socket = it.join();
  it.timers.tick(20_000);
  assert.deepEqual(socket.sent.at(-1), { id: 1, ping: {} });
  socket.says({ id: 1, pong: {} });
  it.timers.tick(20_000);
  assert.deepEqual(socket.sent.at(-1), { id: 2, ping: {} });
  assert.equal(it.sockets.length, 2);
  it.timers.tick(5_000);
  assert.equal(it.sockets.length, 3);
  assert.equal(socket.isClosed, true);
});

test("when the broadcast is over it says so, and looks for the next one", (t) => {
  const it = setUp(t);
  const socket = it.join();
  socket.says({ ended: { reason: "the broadcast is over" } });
  socket.ends();
  assert.deepEqual(it.phases, ["open", "over"]);
  assert.equal(it.connection.phase.text, "the broadcast is over");
  it.timers.tick(500);
  it.sockets.at(-1).ends();
  it.timers.tick(1_000);
  assert.deepEqual(it.phases, ["open", "over"]);
  it.join();
  assert.deepEqual(it.phases, ["open", "over", "open"]);
});
