/**
 * What is held of an epoch: its linear PCM as samples of each channel, and where it begins, ends and is cut.
 *
 * Channel matrices are those of native listeners (WAVE's channel order): many channels to two keep left and right, and
 * add surrounds on their side and centres on both at -3 dB, scaled so that no sample exceeds full scale.
 */
import { LINEAR_PCM, LIMITS, WireError } from "./wire.js";

/** Flags of linear PCM. */
const [FLOAT, BIG_ENDIAN, SIGNED] = [1, 2, 4];

export class Epoch {
  /** First frame that may be heard; null before the entry mark. After a pause, the frame that goes on. */
  from = null;
  /** Whether sound at `from` follows a pause, so that it is faded in. */
  isResumed = false;
  /** The frame after the last one received; the one after the last of all; the one before which the sound ends. */
  received = 0;
  end = null;
  cut = null;
  anchor = null;
  #chunks = [];
  #rows = null;
  #rowsRole = "";

  /** @param {object} stream the stream message */
  constructor(stream) {
    this.id = stream.epoch;
    this.info = stream.info;
    this.gain = stream.gain;
    this.format = checked(stream.format);
    this.rate = this.format.rate;
  }

  get last() { return Math.min(this.end ?? Infinity, this.cut ?? Infinity); }

  /** Seconds of song that are held. */
  get held() { return this.#chunks.reduce((sum, chunk) => sum + chunk.count, 0) / this.rate; }

  /** Takes frames that are not held yet. */
  add({ position, frameCount, data }) {
    const { channels, bytesPerFrame } = this.format;
    if (data.length !== frameCount * bytesPerFrame) throw new WireError("linear PCM does not fill its packets");
    const skipped = Math.max(0, Math.max(0, this.#heldEnd) - position);
    this.received = Math.max(this.received, position + frameCount);
    if (skipped >= frameCount) return;
    const samples = decode(this.format, data.subarray(skipped * bytesPerFrame), frameCount - skipped, channels);
    this.#chunks.push({ start: position + skipped, count: frameCount - skipped, samples });
  }

  get #heldEnd() {
    const last = this.#chunks[this.#chunks.length - 1];
    return last ? last.start + last.count : -Infinity;
  }

  /** Drops what lies before a frame. */
  trim(frame) {
    let count = 0;
    while (count < this.#chunks.length && this.#chunks[count].start + this.#chunks[count].count <= frame) count += 1;
    if (count) this.#chunks.splice(0, count);
  }

  /** The frame after the last one that is held without a gap from `frame` on; null if that one is not held. */
  heldFrom(frame) {
    let end = null;
    for (const { start, count } of this.#chunks) {
      if (end === null ? start <= frame && frame < start + count : start === end) end = start + count;
      else if (end !== null) break;
    }
    return end;
  }

  /** The first frame held at or behind this one; null if there is none. */
  nextHeld(frame) {
    const chunk = this.#chunks.find(({ start, count }) => start + count > frame);
    return chunk ? Math.max(frame, chunk.start) : null;
  }

  /**
   * Frames mixed to the loudspeakers: one array if both play the same, else two. Zero where nothing is held, and
   * behind the song's end.
   */
  read(first, count, role) {
    const outputs = this.#rowsFor(role).map(() => new Float32Array(count));
    const limit = Math.min(first + count, this.end ?? Infinity);
    for (const chunk of this.#chunks) {
      const [low, high] = [Math.max(first, chunk.start), Math.min(limit, chunk.start + chunk.count)];
      if (low >= high) continue;
      outputs.forEach((output, index) => {
        this.#rows[index].forEach((gain, channel) => {
          if (gain === 0) return;
          const samples = chunk.samples[channel];
          const shift = low - chunk.start;
          for (let i = 0; i < high - low; i += 1) output[low - first + i] += gain * samples[shift + i];
        });
      });
    }
    return outputs;
  }

  #rowsFor(role) {
    if (this.#rowsRole !== role) {
      this.#rows = matrix(this.format.channels, role).map((row) => row.map((gain) => gain * this.gain));
      this.#rowsRole = role;
    }
    return this.#rows;
  }
}

/** The place of each channel by their count: left, right, both, neither. */
const PLACES = { 3: "LRC", 4: "LRLR", 5: "LRCLR", 6: "LRC-LR", 7: "LRC-CLR", 8: "LRC-LRLR" };

/** Gains from each song channel to the two loudspeakers; one row if both play the same. */
export function matrix(channels, role) {
  const sides = channels === 1 ? [[1], [1]] : channels === 2 ? [[1, 0], [0, 1]] : fold(PLACES[channels]);
  switch (role) {
    case "stereo": return channels === 1 ? [[1]] : sides;
    case "left": return [sides[0]];
    case "right": return [sides[1]];
    case "mono": return [sides[0].map((gain, channel) => (gain + sides[1][channel]) / 2)];
    default: {
      const number = Number(role);
      return [sides[0].map((_, channel) => (channel + 1 === number || (channels === 1 && number === 2) ? 1 : 0))];
    }
  }
}

function fold(places) {
  const rows = ["L", "R"].map((side) =>
    [...places].map((place, channel) => (place === side || place === "C" ? (channel < 2 ? 1 : Math.SQRT1_2) : 0)));
  const loudest = Math.max(...rows.map((row) => row.reduce((sum, gain) => sum + gain, 0)));
  return rows.map((row) => row.map((gain) => gain / loudest));
}

function checked(format) {
  if (!format || format.codec !== LINEAR_PCM) throw new WireError("the song does not come as linear PCM");
  const size = format.bytesPerFrame / format.channels;
  const isFloat = (format.flags & FLOAT) !== 0;
  if (format.channels > LIMITS.channels || !(isFloat ? [4, 8] : [1, 2, 3, 4]).includes(size)) {
    throw new WireError("the song's PCM has an unknown layout");
  }
  return format;
}

/** Samples of each channel, full scale 1. */
function decode(format, data, frameCount, channels) {
  const size = format.bytesPerFrame / channels;
  const isLittle = (format.flags & BIG_ENDIAN) === 0;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const scale = 2 ** (1 - 8 * size);
  const bias = format.flags & SIGNED ? 0 : 1;
  let sample;
  if (format.flags & FLOAT) {
    const raw = size === 4 ? (at) => view.getFloat32(at, isLittle) : (at) => view.getFloat64(at, isLittle);
    sample = (at) => { const value = raw(at); return value >= -16 && value <= 16 ? value : 0; };
  } else if (size === 1) {
    sample = bias ? (at) => view.getUint8(at) * scale - 1 : (at) => view.getInt8(at) * scale;
  } else if (size === 2) {
    sample = bias ? (at) => view.getUint16(at, isLittle) * scale - 1 : (at) => view.getInt16(at, isLittle) * scale;
  } else if (size === 3) {
    const [low, high] = isLittle ? [0, 2] : [2, 0];
    sample = bias
      ? (at) => (view.getUint8(at + high) * 65536 + view.getUint8(at + 1) * 256 + view.getUint8(at + low)) * scale - 1
      : (at) => (view.getInt8(at + high) * 65536 + view.getUint8(at + 1) * 256 + view.getUint8(at + low)) * scale;
  } else {
    sample = bias ? (at) => view.getUint32(at, isLittle) * scale - 1 : (at) => view.getInt32(at, isLittle) * scale;
  }
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frameCount);
    for (let i = 0, at = channel * size; i < frameCount; i += 1, at += format.bytesPerFrame) samples[i] = sample(at);
    return samples;
  });
}
