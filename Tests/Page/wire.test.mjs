import assert from "node:assert/strict";
import { test } from "node:test";
import * as wire from "../../Sources/App/WebPage/page/wire.js";
import { random } from "./fakes/random.mjs";

const bytes = (...parts) => Uint8Array.from(parts.flatMap((part) => (
  typeof part === "string" ? [...Buffer.from(part.replaceAll(" ", ""), "hex")] : part)));
const text = (value) => [...Buffer.from(value)];
/** A message of this type, whose length is that of its payload. */
const message = (type, ...payload) => {
  const body = bytes(...payload);
  return bytes(type, [0, 0, body.length >> 8, body.length & 255], [...body]);
};
const hex = (value) => Buffer.from(value).toString("hex");

const PREAMBLE = bytes("54 55 54 54 49 0a 02 00");
const GREETING = message("0001", "01", "000102030405460788090a0b0c0d0e0f", "fffffffffffffff0", "0000000000000005",
  "0001", text("K"), "01", "6c70636d");

// Written by hand from the tables of WireProtocol.
const MESSAGES = [
  [message("0002", "0006", "0003", text("bye")), { type: "refusal", reason: 6, text: "bye" }],
  [message("0003"), { type: "keepAlive" }],
  [message("0010", "1f90", new Array(24).fill(9)), { type: "welcome" }],
  [message("0011", "01", "0002", text("ok")), { type: "broadcastEnd", kind: "stopped", text: "ok" }],
  [message("0013", "32 01"), { type: "groupVolume", volume: { level: 50, isMuted: true } }],
  [message("0021", "00000007", "0000000000000064", "00002d79883d2000", "40e5888000000000"),
    { type: "anchor", epoch: 7, frame: 100, session: 50_000_000, framesPerSecond: 44_100 }],
  [message("0023", "00000007", "00000000000f4240"), { type: "streamEnd", epoch: 7, frame: 1_000_000 }],
  [message("0025", "00000007", "000000000000ffff"), { type: "cut", epoch: 7, frame: 65_535 }],
  [message("0024", "00000007", "fffffffffffffff6", "00000003"), { type: "entry", epoch: 7, frame: -10, lost: 3 }],
  [message("0040", new Array(16).fill(1), "0020", "00", "0000", "00", "00000028"),
    { type: "volume", change: "level", value: 40 }],
  [message("0040", new Array(16).fill(1), "0021", "01", "0001", text("K"), "fffffffffffffa24"),
    { type: "offset", offset: -1.5 }],
  [message("0040", new Array(16).fill(1), "0022", "00", "0000", "01", "00"), { type: "role", role: "left" }],
  [message("0040", new Array(16).fill(1), "0022", "00", "0000", "04", "03"), { type: "role", role: "3" }],
  [message("0020", "00000007",
    "0001 00000024", "6c70636d", "40e5888000000000", "00000004", "00000004", "00000001", "00000004", "00000002", "00000010",
    "0006 00000005", "00", "0002", text("Hm"), "00ff 00000003", "010203", "0007 00000004", "3f000000"),
  {
    type: "stream", epoch: 7, gain: 0.5, info: { title: "Hm" },
    format: { codec: wire.LINEAR_PCM, rate: 44_100, flags: 4, bytesPerFrame: 4, channels: 2, bits: 16 },
  }],
];
const PACKETS = message("0022", "00000007", "ffffffffffffffff", "0002", "00000002 0001", "00000002 0001", "0102 0304");

function parse(pieces) {
  const parser = new wire.WireParser();
  const messages = [];
  for (const piece of pieces) {
    parser.parse(piece, (message) => messages.push(message.data ? { ...message, data: [...message.data] } : message));
  }
  return messages;
}

function joined(list) {
  const all = new Uint8Array(list.reduce((sum, one) => sum + one.length, 0));
  list.reduce((at, one) => { all.set(one, at); return at + one.length; }, 0);
  return all;
}

test("every message of a listener's side, whole, byte by byte and in random pieces", () => {
  const all = joined([PREAMBLE, GREETING, bytes("0099 00000004", "01020304"), ...MESSAGES.map(([raw]) => raw), PACKETS,
    bytes("0005 00000002", "0000"), bytes("0051 00000001", "00")]);
  const wanted = [
    {
      type: "greeting", roles: 1, peer: bytes("000102030405460788090a0b0c0d0e0f"), instance: 0xfffffffffffffff0n, started: 5,
      name: "K",
    },
    ...MESSAGES.map(([, message]) => message),
    { type: "packets", epoch: 7, position: -1, frameCount: 2, packetCount: 2, data: [1, 2, 3, 4] },
  ];
  assert.deepEqual(parse([all]), wanted);
  assert.deepEqual(parse([...all].map((byte) => Uint8Array.of(byte))), wanted);
  for (let seed = 1; seed <= 50; seed += 1) {
    const uniform = random(seed);
    const pieces = [];
    for (let at = 0; at < all.length;) {
      const end = at + 1 + Math.floor(uniform() * 60);
      pieces.push(all.subarray(at, end));
      at = end;
    }
    assert.deepEqual(parse(pieces), wanted);
  }
});

test("what breaks the protocol is an error, and stays one", () => {
  const broken = {
    "another program": [text("HTTP/1.1")],
    "another version": ["54 55 54 54 49 0a 03 00"],
    "encryption": ["54 55 54 54 49 0a 02 01"],
    "a message before the greeting": [PREAMBLE, "0003 00000000"],
    "a second greeting": [PREAMBLE, GREETING, GREETING],
    "a known message that is too long": [PREAMBLE, GREETING, "0022 00040001"],
    "an unknown message that is too long": [PREAMBLE, GREETING, "0099 01000001"],
    "a short anchor": [PREAMBLE, GREETING, "0021 00000004 00000007"],
    "an impossible rate": [PREAMBLE, GREETING, "0021 0000001c 00000007 0000000000000064 00002d79883d2000 4024000000000000"],
    "packets that are not there": [PREAMBLE, GREETING, "0022 00000014 00000007 0000000000000000 0001 000000ff 0001"],
    "an endless position": [PREAMBLE, GREETING, "0025 0000000c 00000007 7fffffffffffffff"],
    "a property beyond its message": [PREAMBLE, GREETING, "0020 0000000a 00000007 0001 ffffffff"],
    "a volume of 101": [PREAMBLE, GREETING, "0013 00000002 65 00"],
  };
  for (const [name, parts] of Object.entries(broken)) {
    const parser = new wire.WireParser();
    assert.throws(() => parser.parse(bytes(...parts.map((part) => (typeof part === "string" ? part : [...part]))), () => {}),
      wire.WireError, name);
    assert.throws(() => parser.parse(PREAMBLE, () => {}), wire.WireError, name);
  }
});

test("random bytes behind a greeting are errors of the protocol, or messages", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const uniform = random(seed);
    const types = [2, 0x11, 0x13, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x40];
    const noise = [0, types[seed % types.length], 0, 0, 0, 64, ...Array.from({ length: 64 }, () => Math.floor(uniform() * 256))];
    try {
      parse([joined([PREAMBLE, GREETING, Uint8Array.from(noise)])]);
    } catch (error) {
      assert.ok(error instanceof wire.WireError, `seed ${seed}: ${error}`);
    }
  }
});

test("what a listener says, byte for byte", () => {
  assert.equal(hex(wire.preamble()), "545554 54490a 02 00".replaceAll(" ", ""));
  assert.equal(hex(wire.keepAlive()), "000300000000");
  const peer = Uint8Array.from({ length: 16 }, (_, i) => i);
  assert.equal(hex(wire.greeting({ peer, instance: 0x0102030405060708n, started: 1_700_000_000, name: "Ä" })),
    ["0001", "0000002a", "02", hex(peer), "0102030405060708", "000000006553f100", "0002c384", "01", "6c70636d"].join(""));
  assert.equal(hex(wire.settings({ volume: { level: 40, isMuted: true }, offset: -1.5, role: "right" })),
    ["0031", "0000000c", "28", "01", "fffffffffffffa24", "02", "00"].join(""));
  assert.equal(hex(wire.settings({ volume: { level: 1, isMuted: false }, offset: 0, role: "7" })),
    ["0031", "0000000c", "01", "00", "0000000000000000", "04", "07"].join(""));
  assert.equal(hex(wire.groupVolume({ level: 100, isMuted: false })), "0013000000026400");
  const counters = { underruns: 2, replacements: 3, lostPackets: 4, timelineSteps: 5, deviceClockSteps: 6, deviceRestarts: 7 };
  assert.equal(
    hex(wire.report({
      state: "playing", epoch: 9, received: 256, buffered: 2, counters, lowWater: null, irrevocable: 70,
      timing: { error: -0.001, bound: 0.5, asymmetry: 0.25, roundTrip: 1, clockSkew: 1, deviceSkew: -2, correction: 0 },
    })),
    ["0030", "0000007a", "03", "00000009", "0000000000000100", "00000000001e8480", "00000000", "00000002", "00000003", "00000004",
      "01", "fffffffffffffc18", "000000000007a120", "000000000003d090", "00000000000f4240", "3ff0000000000000",
      "c000000000000000", "0000000000000000", "ffffffffffffffff", "00000005", "00000006", "00000007", "00000000042c1d80",
    ].join(""));
  const plain = wire.report({
    state: "connecting", epoch: 0, received: 0, buffered: 0, counters, lowWater: 1, irrevocable: 99_999, timing: null });
  assert.equal(hex(plain).slice(12 + 2 * 37, 12 + 2 * 38), "00");
  assert.equal(hex(plain).slice(-16), "00000002540be400");
  const name = wire.greeting({ peer, instance: 1n, started: 0, name: "x" + "ä".repeat(40) });
  assert.equal(name[6 + 34], 63);
});
