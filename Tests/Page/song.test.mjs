import assert from "node:assert/strict";
import test from "node:test";
import { Epoch } from "../../Sources/App/WebPage/page/song.js";
import { LINEAR_PCM, WireError } from "../../Sources/App/WebPage/page/wire.js";

const [FLOAT, BIG_ENDIAN, SIGNED] = [1, 2, 4];

const epoch = (flags, size, channels) => new Epoch({
  epoch: 1, info: {}, gain: 1,
  format: { codec: LINEAR_PCM, rate: 8_000, flags, bytesPerFrame: size * channels, channels, bits: 8 * size },
});

/** Bytes of samples, each a whole number of `size` bytes or a float. */
function bytes(samples, flags, size) {
  const all = samples.map((sample) => {
    const view = new DataView(new ArrayBuffer(8));
    if (flags & FLOAT) {
      if (size === 4) view.setFloat32(4, sample); else view.setFloat64(0, sample);
    } else view.setBigInt64(0, BigInt(sample));
    const big = [...new Uint8Array(view.buffer)].slice(8 - size);
    return flags & BIG_ENDIAN ? big : big.reverse();
  });
  return Uint8Array.from(all.flat());
}

test("linear PCM of every layout becomes samples of full scale 1", () => {
  for (const size of [1, 2, 3, 4]) {
    const half = 2 ** (8 * size - 1);
    for (const order of [0, BIG_ENDIAN]) {
      for (const sign of [0, SIGNED]) {
        const zero = sign ? 0 : half;
        const left = [-half, 0, half / 2, half - 1].map((value) => value + zero);
        const right = [1, -1, -half / 4, 0].map((value) => value + zero);
        const song = epoch(order | sign, size, 2);
        const data = bytes(left.flatMap((value, i) => [value, right[i]]), order | sign, size);
        song.add({ position: 0, frameCount: 4, data });
        const read = song.read(0, 4, "stereo").map((channel) => [...channel]);
        const expected = [left, right].map((channel) => channel.map((value) => Math.fround((value - zero) / half)));
        assert.deepEqual(read, expected, `${size} bytes, flags ${order | sign}`);
      }
    }
  }
});

test("floats are taken as they are, and what is no sound is silence", () => {
  for (const size of [4, 8]) {
    for (const order of [0, BIG_ENDIAN]) {
      const song = epoch(FLOAT | order, size, 1);
      song.add({ position: 0, frameCount: 5, data: bytes([0.5, -1, NaN, Infinity, 17], FLOAT | order, size) });
      assert.deepEqual([...song.read(0, 5, "stereo")[0]], [0.5, -1, 0, 0, 0]);
    }
  }
});

test("a layout that is none, and data that do not fill it, are refused", () => {
  for (const [flags, size] of [[SIGNED, 5], [SIGNED, 1.5], [FLOAT, 2], [FLOAT, 3]]) {
    assert.throws(() => epoch(flags, size, 2), WireError);
  }
  assert.throws(() => epoch(SIGNED, 2, 1).add({ position: 0, frameCount: 2, data: new Uint8Array(3) }), WireError);
});
