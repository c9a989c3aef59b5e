// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) in plain JavaScript: a page that came by plain http has no crypto.subtle.

/** The first 32 bits of the fractional parts of `root`-th roots of the first primes: FIPS 180-4, 4.2.2 and 5.3.3. */
function fractions(count, root) {
  const primes = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((p) => n % p)) primes.push(n);
  return Uint32Array.from(primes, (p) => (p ** (1 / root) % 1) * 2 ** 32);
}

const ROUNDS = fractions(64, 3);
const START = fractions(8, 2);
const encoder = new TextEncoder();

/** The bytes of a text (UTF-8), or the bytes themselves. */
const bytesOf = (data) => (typeof data === "string" ? encoder.encode(data) : data);

/**
 * @param {Uint8Array|string} data
 * @returns {Uint8Array} 32 bytes
 */
export function sha256(data) {
  const bytes = bytesOf(data);
  // Padding (5.1.1): a one, zeros, the length in bits as 64 bits.
  const padded = new Uint8Array(((bytes.length + 8) >> 6 << 6) + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const hash = START.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) compress(hash, words, view, at);
  const result = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => result.setUint32(4 * i, word));
  return new Uint8Array(result.buffer);
}

const turned = (x, n) => (x >>> n) | (x << (32 - n));

/** One block: 6.2.2. */
function compress(hash, w, view, at) {
  for (let t = 0; t < 16; t++) w[t] = view.getUint32(at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const a = w[t - 15], b = w[t - 2];
    const s0 = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
    const s1 = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let t = 0; t < 64; t++) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + w[t]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
}

/**
 * @param {Uint8Array} key
 * @param {Uint8Array|string} data
 * @returns {Uint8Array} HMAC-SHA-256, 32 bytes
 */
export function hmac(key, data) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(joined(block.map((b) => b ^ 0x36), bytesOf(data)));
  return sha256(joined(block.map((b) => b ^ 0x5c), inner));
}

function joined(a, b) {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

/** @returns {string} lower case */
export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

/**
 * Decodes base64url without padding (RFC 4648, 5).
 * @returns {Uint8Array|null} null if the text is none
 */
export function fromBase64URL(text) {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null;
  try {
    return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/** @returns {string} so many random bytes, in hex */
export const randomHex = (count) => hex(crypto.getRandomValues(new Uint8Array(count)));
