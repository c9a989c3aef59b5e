/**
 * Tutti's wire protocol, version 2, as a listener speaks it (in the clear: security 0).
 *
 * Eight bytes of preamble in each direction, then messages: type u16, length of the payload u32, payload. All numbers are
 * big-endian; a text is its length (u16) and UTF-8. Frames and times fit a double: positions are below 2^48; session
 * times are given in milliseconds, to 4 ns after a year of the broadcaster's running.
 */

export const LIMITS = {
  payload: 256 * 1024,
  skipped: 16 * 1024 * 1024,
  packets: 1024,
  packetBytes: 192 * 1024,
  positions: 2 ** 48,
  name: 63,
  title: 256,
  reason: 512,
  codecs: 64,
  channels: 8,
  rates: [8000, 192000],
};

/** Types of the messages that a listener says or hears. */
export const TYPE = {
  greeting: 0x01, refusal: 0x02, keepAlive: 0x03, welcome: 0x10, broadcastEnd: 0x11, groupVolume: 0x13,
  stream: 0x20, anchor: 0x21, packets: 0x22, streamEnd: 0x23, entry: 0x24, cut: 0x25, report: 0x30, settings: 0x31,
  command: 0x40,
};
/** First and last types of each run that belongs to this version: their payloads have the shorter limit. */
const KNOWN = [[0x01, 0x06], [0x10, 0x15], [0x20, 0x25], [0x30, 0x31], [0x40, 0x45], [0x50, 0x55]];

/** Bits of the roles in a greeting. */
export const ROLE = { broadcaster: 1, listener: 2 };
export const STATES = ["connecting", "preparing", "ready", "playing", "starving", "finished", "paused"];
export const LINEAR_PCM = 0x6c70636d;
export const CHANNEL_ROLES = ["stereo", "left", "right", "mono"];
const INFO_KEYS = ["title", "artist", "album", "track", "year"];
const MAGIC = [0x54, 0x55, 0x54, 0x54, 0x49, 0x0a];
const VERSION = 2;

/** What is wrong with the bytes of a peer. */
export class WireError extends Error {}

function require(condition, text) {
  if (!condition) throw new WireError(text);
}

const utf8 = new TextDecoder();
const toUTF8 = new TextEncoder();

/** @param {bigint} nanoseconds @returns {number} */
export const milliseconds = (nanoseconds) => Number(nanoseconds / 1000000n) + Number(nanoseconds % 1000000n) / 1e6;

/** Reads fields; throws a WireError past the end. */
export class FieldReader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  get left() { return this.bytes.length - this.at; }

  #take(count) {
    require(count <= this.left, "a message is shorter than its fields");
    this.at += count;
    return this.at - count;
  }

  u8() { return this.view.getUint8(this.#take(1)); }
  u16() { return this.view.getUint16(this.#take(2)); }
  u32() { return this.view.getUint32(this.#take(4)); }
  i32() { return this.view.getInt32(this.#take(4)); }
  u64() { return this.view.getBigUint64(this.#take(8)); }
  i64() { return this.view.getBigInt64(this.#take(8)); }
  f32() { return this.view.getFloat32(this.#take(4)); }
  raw(count) { return this.bytes.subarray(this.#take(count), this.at); }

  f64() {
    const value = this.view.getFloat64(this.#take(8));
    require(Number.isFinite(value), "a number is not finite");
    return value;
  }

  /** Session time or a span, nanoseconds on the wire, in milliseconds. */
  time() { return milliseconds(this.i64()); }

  /** A position on the timeline, in frames. */
  position() {
    const value = Number(this.i64());
    require(Math.abs(value) < LIMITS.positions, "a position is out of range");
    return value;
  }

  text(limit) {
    const count = this.u16();
    require(count <= limit, "a text is too long");
    return utf8.decode(this.raw(count));
  }
}

/** Builds one message. */
export class MessageWriter {
  /** @param {number} type */
  constructor(type) {
    this.bytes = new Uint8Array(256);
    this.view = new DataView(this.bytes.buffer);
    this.at = 0;
    this.u16(type).u32(0);
  }

  #room(count) {
    while (this.at + count > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    this.at += count;
    return this.at - count;
  }

  #put(size, setter, value) {
    const at = this.#room(size);
    this.view[setter](at, value);
    return this;
  }

  u8(value) { return this.#put(1, "setUint8", value); }
  u16(value) { return this.#put(2, "setUint16", value); }
  u32(value) { return this.#put(4, "setUint32", Math.min(Math.max(value, 0), 0xffffffff)); }
  u64(value) { return this.#put(8, "setBigUint64", value); }
  i64(value) { return this.#put(8, "setBigInt64", BigInt(Math.round(value))); }
  f64(value) { return this.#put(8, "setFloat64", value); }
  /** Milliseconds, as nanoseconds. */
  time(value) { return this.i64(value * 1e6); }

  raw(bytes) {
    const at = this.#room(bytes.length);
    this.bytes.set(bytes, at);
    return this;
  }

  /** A text, cut between two characters to at most `limit` bytes. */
  text(text, limit) {
    let bytes = toUTF8.encode(text);
    let end = Math.min(limit, bytes.length);
    while (end < bytes.length && (bytes[end] & 0xc0) === 0x80) end -= 1;
    bytes = bytes.subarray(0, end);
    return this.u16(bytes.length).raw(bytes);
  }

  /** @returns {Uint8Array} */
  message() {
    this.view.setUint32(2, this.at - 6);
    return this.bytes.slice(0, this.at);
  }
}

/** The first bytes of this side. */
export const preamble = () => Uint8Array.from([...MAGIC, VERSION, 0]);

export const keepAlive = () => new MessageWriter(TYPE.keepAlive).message();

/**
 * @param {{ peer: Uint8Array, instance: bigint, started: number, name: string }} self 16 bytes; u64; seconds since 1970
 */
export function greeting({ peer, instance, started, name }) {
  return new MessageWriter(TYPE.greeting).u8(ROLE.listener).raw(peer).u64(instance).i64(started)
    .text(name, LIMITS.name).u8(1).u32(LINEAR_PCM).message();
}

/** @param {number} reason see Refusal: 6 leaving, 7 protocol error */
export const refusal = (reason, text) =>
  new MessageWriter(TYPE.refusal).u16(reason).text(text, LIMITS.reason).message();

/** @param {{ level: number, isMuted: boolean }} volume */
export const groupVolume = ({ level, isMuted }) =>
  new MessageWriter(TYPE.groupVolume).u8(level).u8(isMuted ? 1 : 0).message();

/** @param {{ volume: { level: number, isMuted: boolean }, offset: number, role: string }} settings offset in ms */
export function settings({ volume, offset, role }) {
  const named = CHANNEL_ROLES.indexOf(role);
  return new MessageWriter(TYPE.settings).u8(volume.level).u8(volume.isMuted ? 1 : 0).i64(offset * 1e3)
    .u8(named < 0 ? 4 : named).u8(named < 0 ? Number(role) : 0).message();
}

/**
 * @param {object} report state (one of STATES), epoch, received (frame), buffered (ms), counters, timing (null, or ms and
 *   ppm), lowWater (ms or null), irrevocable (ms)
 */
export function report({ state, epoch, received, buffered, counters, timing, lowWater, irrevocable }) {
  const writer = new MessageWriter(TYPE.report).u8(STATES.indexOf(state)).u32(epoch).i64(received).time(buffered)
    .u32(counters.xruns).u32(counters.underruns).u32(counters.replacements).u32(counters.lostPackets)
    .u8(timing ? 1 : 0);
  if (timing) {
    writer.time(timing.error).time(timing.bound).time(timing.asymmetry).time(timing.roundTrip)
      .f64(timing.clockSkew).f64(timing.deviceSkew).f64(timing.correction);
  }
  if (lowWater === null) writer.i64(-1); else writer.time(Math.max(0, lowWater));
  return writer.u32(counters.timelineSteps).u32(counters.deviceClockSteps).u32(counters.deviceRestarts)
    .time(Math.min(Math.max(irrevocable, 0), 10_000)).message();
}

/**
 * The push parser of a connection: bytes in pieces of any size in, messages out. It holds no more than one message.
 * After an error it gives that again.
 */
export class WireParser {
  #held = new Uint8Array(0);
  #skip = 0;
  #hasPreamble = false;
  #isGreeted = false;
  #failure = null;

  /**
   * @param {Uint8Array} bytes
   * @param {(message: object) => void} give called for each message: `{ type: name, ... }`; it may keep `data`
   */
  parse(bytes, give) {
    if (this.#failure) throw this.#failure;
    try {
      this.#parse(bytes, give);
    } catch (error) {
      this.#failure = error;
      this.#held = new Uint8Array(0);
      throw error;
    }
  }

  #parse(bytes, give) {
    if (this.#skip) {
      const skipped = Math.min(this.#skip, bytes.length);
      this.#skip -= skipped;
      bytes = bytes.subarray(skipped);
    }
    if (this.#held.length) {
      const joined = new Uint8Array(this.#held.length + bytes.length);
      joined.set(this.#held);
      joined.set(bytes, this.#held.length);
      bytes = joined;
    }
    const rest = this.#messages(bytes, give);
    this.#held = rest.length ? rest.slice() : new Uint8Array(0);
  }

  /** Gives all whole messages; returns what is left. */
  #messages(bytes, give) {
    if (!this.#hasPreamble) {
      bytes = this.#preamble(bytes);
      if (!this.#hasPreamble) return bytes;
    }
    while (bytes.length >= 6) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, 6);
      const type = view.getUint16(0);
      const end = 6 + view.getUint32(2);
      const isKnown = KNOWN.some(([first, last]) => type >= first && type <= last);
      require(this.#isGreeted !== (type === TYPE.greeting), `message ${type} is out of order`);
      require(end - 6 <= (isKnown ? LIMITS.payload : LIMITS.skipped), `message ${type} is too long`);
      if (!isKnown && end > bytes.length) {
        this.#skip = end - bytes.length;
        return bytes.subarray(bytes.length);
      }
      if (end > bytes.length) return bytes;
      if (isKnown) {
        const message = readMessage(type, new FieldReader(bytes.subarray(6, end)));
        this.#isGreeted = true;
        if (message) give(message);
      }
      bytes = bytes.subarray(end);
    }
    return bytes;
  }

  #preamble(bytes) {
    for (let i = 0; i < Math.min(MAGIC.length, bytes.length); i += 1) {
      require(bytes[i] === MAGIC[i], "it does not speak Tutti's protocol");
    }
    if (bytes.length < 8) return bytes;
    require(bytes[6] === VERSION, `it speaks protocol version ${bytes[6]}: reload the page`);
    require(bytes[7] === 0, "it asks for encryption, which a page does not have");
    this.#hasPreamble = true;
    return bytes.subarray(8);
  }
}

/** Reads a payload; null for messages that say nothing to a listener of this kind. Further bytes are ignored. */
function readMessage(type, reader) {
  switch (type) {
    case TYPE.greeting: return readGreeting(reader);
    case TYPE.refusal: return { type: "refusal", reason: reader.u16(), text: reader.text(LIMITS.reason) };
    case TYPE.keepAlive: return { type: "keepAlive" };
    case TYPE.welcome: return { type: "welcome" };
    case TYPE.broadcastEnd: {
      const kind = ["completed", "stopped", "failed"][reader.u8()];
      require(kind, "a broadcast ends in an unknown way");
      return { type: "broadcastEnd", kind, text: reader.text(LIMITS.reason) };
    }
    case TYPE.groupVolume: return { type: "groupVolume", volume: readVolume(reader) };
    case TYPE.stream: return readStream(reader);
    case TYPE.anchor: return readAnchor(reader);
    case TYPE.packets: return readPackets(reader);
    case TYPE.streamEnd: return { type: "streamEnd", epoch: reader.u32(), frame: readFrame(reader) };
    case TYPE.cut: return { type: "cut", epoch: reader.u32(), frame: readFrame(reader) };
    case TYPE.entry: return { type: "entry", epoch: reader.u32(), frame: reader.position(), lost: reader.u32() };
    case TYPE.command: return readCommand(reader);
    default: return null;
  }
}

function readFrame(reader) {
  const frame = reader.position();
  require(frame >= 0, "a position is out of range");
  return frame;
}

function readGreeting(reader) {
  const message = {
    type: "greeting", roles: reader.u8(), peer: reader.raw(16).slice(), instance: reader.u64(), started: Number(reader.i64()),
    name: reader.text(LIMITS.name),
  };
  const count = reader.u8();
  require(count <= LIMITS.codecs, "a greeting lists too many codecs");
  reader.raw(4 * count);
  return message;
}

function readVolume(reader) {
  const [level, muted] = [reader.u8(), reader.u8()];
  require(level <= 100 && muted <= 1, "a volume is out of range");
  return { level, isMuted: muted === 1 };
}

function readAnchor(reader) {
  const anchor = {
    type: "anchor", epoch: reader.u32(), frame: reader.position(), session: reader.time(), framesPerSecond: reader.f64(),
  };
  const [lowest, highest] = LIMITS.rates;
  const rate = anchor.framesPerSecond;
  require(rate >= lowest * 0.99 && rate <= highest * 1.01, "an anchor's rate is impossible");
  return anchor;
}

/**
 * Properties: 1 data format, 2 magic cookie, 3 packet table, 4 bit rate, 5 pre-roll, 6 info, 7 gain; others are skipped.
 */
function readStream(reader) {
  const stream = { type: "stream", epoch: reader.u32(), format: null, gain: 1, info: {} };
  while (reader.left > 0) {
    const [tag, length] = [reader.u16(), reader.u32()];
    const value = new FieldReader(reader.raw(length));
    if (tag === 1) stream.format = readFormat(value);
    if (tag === 6) {
      const key = INFO_KEYS[value.u8()];
      require(key, "an info has an unknown key");
      stream.info[key] = value.text(LIMITS.title);
    }
    if (tag === 7) {
      stream.gain = value.f32();
      require(stream.gain >= 0 && stream.gain <= 16, "a gain is out of range");
    }
  }
  return stream;
}

function readFormat(reader) {
  const [codec, rate, flags] = [reader.u32(), reader.f64(), reader.u32()];
  const fields = [reader.u32(), reader.u32(), reader.u32(), reader.u32(), reader.u32()];
  const [, , bytesPerFrame, channels, bits] = fields;
  const [lowest, highest] = LIMITS.rates;
  require(rate >= lowest && rate <= highest && channels >= 1 && channels <= LIMITS.channels
    && bytesPerFrame <= LIMITS.packetBytes && bits <= 64, "a stream's format is impossible");
  return { codec, rate, flags, bytesPerFrame, channels, bits };
}

/** Packets that follow one another: for linear PCM their bytes are one run of frames. */
function readPackets(reader) {
  const [epoch, position, count] = [reader.u32(), reader.position(), reader.u16()];
  require(count >= 1 && count <= LIMITS.packets, "a message has too many packets, or none");
  let [byteCount, frameCount] = [0, 0];
  for (let i = 0; i < count; i += 1) {
    const size = reader.u32();
    require(size <= LIMITS.packetBytes, "a packet is too long");
    byteCount += size;
    frameCount += reader.u16();
  }
  require(byteCount === reader.left, "packets do not fill their message");
  return { type: "packets", epoch, position, frameCount, packetCount: count, data: reader.raw(byteCount) };
}

/** Commands for a listener's sound: 32 volume, 33 offset, 34 role; null for others. */
function readCommand(reader) {
  reader.raw(16);
  const code = reader.u16();
  if (code < 32 || code > 34) return null;
  reader.u8();
  reader.text(LIMITS.name);
  if (code === 32) {
    const [kind, value] = [reader.u8(), reader.i32()];
    const names = ["level", "step", "mute", "unmute", "toggleMute"];
    return names[kind] ? { type: "volume", change: names[kind], value } : null;
  }
  if (code === 33) return { type: "offset", offset: Number(reader.i64()) / 1e3 };
  const [kind, channel] = [reader.u8(), reader.u8()];
  if (kind === 4 && channel >= 1 && channel <= LIMITS.channels) return { type: "role", role: String(channel) };
  return kind < 4 ? { type: "role", role: CHANNEL_ROLES[kind] } : null;
}
