import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import "./fakes/crypto.mjs";
import test from "node:test";
import { fromBase64URL, hex, hmac, randomHex, sha256 } from "../../Sources/App/WebPage/page/hmac.js";

const bytes = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

test("SHA-256 gives the examples of FIPS 180-4", () => {
  const vectors = [
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
    ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
  ];
  for (const [text, digest] of vectors) assert.equal(hex(sha256(text)), digest);
});

test("HMAC-SHA-256 gives the examples of RFC 4231", () => {
  const vectors = [
    ["0b".repeat(20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
    ["4a656665", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
    ["aa".repeat(20), bytes("dd".repeat(50)), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
    [
      "0102030405060708090a0b0c0d0e0f10111213141516171819", bytes("cd".repeat(50)),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
    ],
    [
      "aa".repeat(131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ],
  ];
  for (const [key, data, mac] of vectors) assert.equal(hex(hmac(bytes(key), data)), mac);
});

test("all lengths around a block's border agree with another implementation", () => {
  for (let length = 0; length < 200; length++) {
    const data = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);
    assert.equal(hex(sha256(data)), createHash("sha256").update(data).digest("hex"));
    assert.equal(hex(hmac(data, data)), createHmac("sha256", data).update(data).digest("hex"));
  }
});

test("base64url is decoded, and what is none is refused", () => {
  assert.equal(hex(fromBase64URL("-_8AAQ")), "fbff0001");
  assert.equal(fromBase64URL("AAECAwQFBgcICQoLDA0ODw").length, 16);
  for (const text of ["a", "+/8A", "AA==", "ä234"]) assert.equal(fromBase64URL(text), null);
});

test("random numbers have their length", () => {
  assert.match(randomHex(16), /^[0-9a-f]{32}$/);
  assert.notEqual(randomHex(16), randomHex(16));
});
