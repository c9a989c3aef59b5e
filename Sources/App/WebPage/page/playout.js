/**
 * Plays epochs on an AudioContext so that each frame is heard when its anchor says.
 *
 * Blocks are rendered up to 2 s ahead and begin on whole context frames, each where the one before ends: frames are
 * counted as integers, and a blocked page changes nothing. A sink plays them (see sink.js). What was planned can be taken
 * back from any frame that is not due at once: the plan goes on from the same position of the song, so only what should
 * change does. So a cut fades in the blocks themselves, exactly where it should, and a better estimate of a clock takes
 * effect at once.
 *
 * Errors are removed by a step that is some ppm off. Above 2 ms that would take too long (7 s at 300 ppm, and two
 * loudspeakers in one room are heard as two from there on): the sound fades out, and in where it is due.
 */
import { Resampler, moved } from "./resampler.js";
import { BufferSink } from "./sink.js";
import { Epoch } from "./song.js";

/** Seconds unless said otherwise. */
export const PLAYOUT = {
  /** How far ahead blocks are rendered, and the length of each. */
  lead: 2,
  block: 0.25,
  /** The first blocks of a plan are shorter: they are rendered in a fraction of the time that is left. */
  firstBlock: 0.06,
  /** How soon a change that is urgent takes effect, at first and at most; and one that is not. */
  margin: 0.06,
  greatestMargin: 0.25,
  calmMargin: 0.35,
  /** Least song for a start, and the shortest block while song is awaited; below this lead what is held is played out. */
  least: 0.1,
  shortest: 0.02,
  critical: 0.35,
  /** Fades: before a cut and behind a start within a song; around a re-placement. */
  fade: 0.01,
  replaceFade: 0.006,
  ramp: 0.05,
  /** An error above this is a jump, below it a slew. */
  jump: 0.002,
  /** In the first seconds after a start, and later: time constant, greatest correction (ppm), its change (ppm/s). */
  young: { age: 10, constant: 2, greatest: 300, change: 100 },
  steady: { constant: 3, greatest: 100, change: 30 },
  /** Estimates that move the end of the plan by this much make it anew, at most so often. */
  revision: 40e-6,
  revisionPause: 0.4,
  /** Song that is kept behind what is heard, and that is held in all. */
  behind: 1.5,
  held: 12,
  epochs: 4,
};

/** A block that begins within so many frames may be late: two of the quanta in which contexts render. */
const QUANTA = 256;

export class Playout {
  /** @type {Epoch[]} oldest first */
  epochs = [];
  counters = { xruns: 0, underruns: 0, replacements: 0, timelineSteps: 0, deviceRestarts: 0, lostPackets: 0 };
  /** Added to every frame's time, ms. */
  offset = 0;
  role = "stereo";
  /** The last correction, ppm. */
  correction = 0;
  /** Frames of context time that a change takes at least. */
  margin;
  #context;
  #rate;
  #map;
  #gain;
  #sink;
  #cursor = 0;
  #voices = [];
  #blocks = [];
  #fades = [];
  #filters = new Map();
  #predicted = 0;
  #revised = -Infinity;
  #isDirty = false;
  #ramp = { from: 1, to: 1, start: 0 };
  #isStarving = false;
  #lowWater = null;

  /**
   * @param {{ context: BaseAudioContext, output: AudioNode,
   *   map: { session: (frame: number) => number | null, frame: (session: number) => number | null } }} parts
   *   `map`: session time (ms) at which a context frame is heard, and the reverse; null while unknown
   */
  constructor({ context, output, map }) {
    this.#context = context;
    this.#rate = context.sampleRate;
    this.#map = map;
    this.#gain = context.createGain();
    this.#gain.connect(output);
    this.#sink = new BufferSink(context, this.#gain);
    this.margin = this.#frames(PLAYOUT.margin + Math.min(context.baseLatency || 0.01, 0.1));
  }

  /**
   * Plays by another sink from now on; what was planned is void.
   * @param {(output: AudioNode) => object} make gives it, for its output
   */
  use(make) {
    if (this.#blocks.length) this.interrupt();
    this.#sink.close();
    this.#sink = make(this.#gain);
    this.#sink.onfail = () => this.use((output) => new BufferSink(this.#context, output));
    this.#sink.onlate = (frames) => {
      this.counters.xruns += 1;
      // A little too late, and not because the page stood still.
      if (frames < this.#frames(PLAYOUT.greatestMargin)) this.#widen();
    };
  }

  /** The newest epoch; undefined if there is none. */
  get newest() { return this.epochs[this.epochs.length - 1]; }

  // What the broadcaster says

  stream(message) {
    const { newest } = this;
    if (newest && message.epoch <= newest.id) {
      const known = this.epochs.find((epoch) => epoch.id === message.epoch);
      if (known) known.info = message.info;
      return;
    }
    this.epochs = this.epochs.filter((epoch) => epoch.from !== null);
    if (this.epochs.length >= PLAYOUT.epochs) this.epochs.shift();
    this.epochs.push(new Epoch(message));
  }

  entry({ epoch: id, frame, lost }) {
    const epoch = this.#newest(id);
    this.counters.lostPackets += lost;
    if (!epoch || epoch.from !== null) return;
    epoch.from = Math.max(0, frame);
    epoch.received = epoch.from;
    this.#isDirty = true;
  }

  /** Takes packets; what would be held beyond the limit is dropped, and so lost. */
  packets(message) {
    const epoch = this.#newest(message.epoch);
    if (!epoch || epoch.from === null) return;
    // A network that was slow for a while delivers what cannot be heard any more.
    const due = epoch.cut === null ? this.#due(epoch, this.#context.currentTime * this.#rate) : null;
    const end = message.position + message.frameCount;
    if (due !== null && end < due - PLAYOUT.behind * epoch.rate) {
      epoch.received = Math.max(epoch.received, end);
      return;
    }
    const held = this.epochs.reduce((sum, one) => sum + one.held, 0);
    if (held > PLAYOUT.held + PLAYOUT.behind) {
      if (this.#voices.length) {
        this.counters.lostPackets += message.packetCount;
        return;
      }
      // While nothing sounds (a clock is learned after a sleep), the newest song is worth more than the oldest.
      for (const one of this.epochs) one.trim(one === epoch ? message.position - PLAYOUT.held * epoch.rate : Infinity);
    }
    epoch.add(message);
  }

  anchor(message) {
    const epoch = this.epochs.find((one) => one.id === message.epoch);
    if (!epoch) return;
    const isNew = epoch.anchor === null || epoch.cut !== null;
    epoch.anchor = message;
    if (epoch.cut !== null) [epoch.from, epoch.cut, epoch.isResumed] = [Math.max(epoch.from, epoch.cut), null, true];
    if (isNew) this.#isDirty = true; else this.#revised = -Infinity;
  }

  cut({ epoch: id, frame }) {
    const index = this.epochs.findIndex((epoch) => epoch.id === id);
    if (index < 0) return;
    this.epochs.length = index + 1;
    this.epochs[index].cut = Math.min(frame, this.epochs[index].cut ?? Infinity);
    this.#isDirty = true;
  }

  streamEnd({ epoch: id, frame }) {
    const epoch = this.epochs.find((one) => one.id === id);
    if (!epoch) return;
    epoch.end = frame;
    this.#isDirty = true;
  }

  #newest(id) {
    return this.newest?.id === id ? this.newest : null;
  }

  /** Fades out and forgets everything. */
  clear() {
    this.epochs = [];
    this.#isDirty = true;
    this.pump();
  }

  // What people set

  /** @param {number} gain 0 to 1; reached linearly within 50 ms */
  setGain(gain) {
    const { from, to, start } = this.#ramp;
    if (gain === to) return;
    const [param, now] = [this.#gain.gain, this.#context.currentTime];
    // Not every browser tells of a parameter how far its ramp has come.
    const value = from + (to - from) * Math.min(1, Math.max(0, (now - start) / PLAYOUT.ramp));
    param.cancelScheduledValues(now);
    param.setValueAtTime(value, now);
    param.linearRampToValueAtTime(gain, now + PLAYOUT.ramp);
    this.#ramp = { from: value, to: gain, start: now };
  }

  setRole(role) {
    if (role === this.role) return;
    this.#replace(() => { this.role = role; });
  }

  /** @param {number} offset ms */
  setOffset(offset) {
    if (offset === this.offset) return;
    this.#replace(() => { this.offset = offset; });
  }

  // What is heard

  /** The song position heard at a context frame: `{ epoch, position, frames }`; null if there is silence. */
  heard(frame) {
    const block = this.#blocks.find((one) => one.frame <= frame && frame < one.frame + one.count);
    const voice = block?.voices[block.voices.length - 1];
    if (!voice) return null;
    return { epoch: voice.epoch, position: voice.whole + voice.fraction + (frame - block.frame) * voice.step };
  }

  /** Distance from the timeline at a context frame, ms, positive if late; null where nothing sounds. */
  error(frame) {
    const heard = this.heard(frame);
    const due = heard && this.#due(heard.epoch, frame);
    return due === null ? null : (due - heard.position) / heard.epoch.rate * 1e3;
  }

  /** Whether the newest epoch's last frame was due at a context frame. */
  isOver(frame) {
    const { newest } = this;
    if (!newest || newest.end === null || newest.from === null) return false;
    const due = this.#due(newest, frame);
    return due !== null && due >= newest.end && !this.heard(frame);
  }

  /** Milliseconds of song held ahead of what is heard at a context frame (null while that is unknown). */
  buffered(frame) {
    const heard = frame === null ? null : this.heard(frame);
    let sum = 0;
    for (const epoch of this.epochs) {
      if (epoch.from === null || (heard && epoch.id < heard.epoch.id)) continue;
      const due = heard || frame === null || epoch.cut !== null ? null : this.#due(epoch, frame);
      const first = heard?.epoch === epoch ? heard.position : Math.max(epoch.from, due ?? 0);
      sum += Math.max(0, Math.min(epoch.received, epoch.last) - first) / epoch.rate * 1e3;
    }
    return sum;
  }

  /** Drops the plan at once: the context stood still, so what was planned is void. */
  interrupt() {
    this.#sink.cut(0);
    [this.#blocks, this.#voices, this.#fades, this.#cursor] = [[], [], [], 0];
    this.counters.deviceRestarts += 1;
  }

  get isStarving() { return this.#isStarving; }
  /** Least song held ahead since the sound began, ms; null before. */
  get lowWater() { return this.#lowWater; }

  // The plan

  /** Goes on with the plan. Call it often: 10 times a second, and when something changed. */
  pump() {
    const now = Math.ceil(this.#context.currentTime * this.#rate);
    const earliest = now + this.margin;
    this.#blocks = this.#blocks.filter((block) => block.frame + block.count > now - 2 * this.#rate);
    if (this.#cursor < earliest) {
      // The page stood still for longer than what was planned.
      if (this.#voices.length && this.#cursor <= now) {
        this.counters.deviceRestarts += 1;
        this.counters.replacements += 1;
        this.#voices = [];
      }
      if (!this.#voices.length || this.#cursor <= now) {
        this.#voices = [];
        this.#cursor = earliest;
      }
    }
    if (this.#isDirty) {
      this.#isDirty = false;
      this.#rewind(Math.min(this.#cursor, earliest));
    } else {
      this.#revise(now);
    }
    this.#fill(now, earliest);
    this.#trim(now);
  }

  #fill(now, earliest) {
    const until = now + Math.round(PLAYOUT.lead * this.#rate);
    for (let turn = 0; turn < 64 && this.#cursor < until; turn += 1) {
      if (!(this.#voices.length ? this.#goOn(now, earliest) : this.#begin(until))) break;
    }
  }

  /** The song position due at a context frame; null while unknown. */
  #due(epoch, frame) {
    const session = this.#map.session(frame);
    const anchor = epoch.anchor;
    if (session === null || !anchor) return null;
    return anchor.frame + (session - this.offset - anchor.session) / 1e3 * anchor.framesPerSecond;
  }

  /** The context frame at which a position is due, fractional. */
  #dueFrame(epoch, position) {
    const anchor = epoch.anchor;
    return anchor && this.#map.frame(anchor.session + this.offset + (position - anchor.frame) / anchor.framesPerSecond * 1e3);
  }

  #filter(epoch) {
    let filter = this.#filters.get(epoch.rate);
    if (!filter) {
      if (this.#filters.size >= PLAYOUT.epochs) this.#filters.clear();
      filter = new Resampler(epoch.rate, this.#rate);
      this.#filters.set(epoch.rate, filter);
    }
    return filter;
  }

  /** Begins the epoch that is due, or the first that will be. Returns false if nothing begins soon. */
  #begin(until) {
    let first = null;
    for (const epoch of [...this.epochs].reverse()) {
      if (epoch.from === null || !epoch.anchor || epoch.cut !== null) continue;
      const due = this.#due(epoch, this.#cursor);
      if (due === null) return false;
      if (due >= epoch.last) continue;
      const start = this.#startOf(epoch, due);
      if (start && (first === null || start.frame < first.frame)) first = start;
      // An epoch that has begun ends all older ones, whether its song is there or not.
      if (due >= epoch.from) break;
    }
    if (!first || first.frame >= until) return false;
    const { epoch, frame, isFaded } = first;
    const due = this.#due(epoch, frame);
    const step = this.#feedForward(epoch, frame);
    if (due === null || step === null) return false;
    this.#cursor = frame;
    const whole = Math.floor(due);
    this.#voices = [{ epoch, whole, fraction: due - whole, step, correction: 0, age: 0, stopAt: Infinity }];
    this.#fades.push(isFaded ? { at: frame, count: this.#frames(PLAYOUT.fade), from: 0, to: 1 } : { at: frame, count: 0, from: 1, to: 1 });
    this.#isStarving = false;
    this.#lowWater = null;
    return true;
  }

  /** Where rendering of an epoch begins if it is to sound as soon as possible; null if its song is not there. */
  #startOf(epoch, due) {
    const isEarly = due < epoch.from;
    const reach = this.#filter(epoch).reach;
    const wanted = isEarly ? epoch.from : Math.floor(due);
    const position = epoch.nextHeld(wanted);
    const end = position === null ? null : epoch.heldFrom(position);
    if (end === null || position >= epoch.last) return null;
    if (end < epoch.last && end - position < PLAYOUT.least * epoch.rate + 2 * reach) return null;
    if (!isEarly && position === wanted) return { epoch, frame: this.#cursor, isFaded: true };
    const at = this.#dueFrame(epoch, position);
    if (at === null) return null;
    const isBeginning = isEarly && position === wanted && !epoch.isResumed;
    // A beginning is rendered from where its filter first reaches it; what lies before the first frame is silence.
    const lead = isBeginning ? Math.ceil(reach * this.#rate / epoch.rate) : 0;
    const frame = Math.ceil(at) - lead;
    return { epoch, frame: Math.max(this.#cursor, frame), isFaded: !isBeginning || Math.ceil(at) < this.#cursor };
  }

  /** Song frames per context frame that hold the error as it is; null while unknown. */
  #feedForward(epoch, frame) {
    const [first, last] = [this.#due(epoch, frame), this.#due(epoch, frame + this.#rate)];
    return first === null ? null : (last - first) / this.#rate;
  }

  /** Of what sounds at the cursor the last to begin; undefined in silence. */
  get #main() { return this.#voices[this.#voices.length - 1]; }

  #frames(seconds) { return Math.round(seconds * this.#rate); }

  /** Renders the next block of what sounds. Returns false if song must come first. */
  #goOn(now, earliest) {
    const main = this.#main;
    const { epoch } = main;
    const filter = this.#filter(epoch);
    const position = main.whole + main.fraction;
    const at = (songFrame) => this.#cursor + (songFrame - position) / main.step;
    let stop = { frame: main.stopAt, fade: this.#frames(PLAYOUT.replaceFade), isEnd: false };
    const sooner = (frame, seconds, isEnd) => { if (frame < stop.frame) stop = { frame, fade: this.#frames(seconds), isEnd }; };
    const isGone = !this.epochs.includes(epoch);
    if (isGone) sooner(this.#cursor, PLAYOUT.fade, false);
    if (epoch.cut !== null) sooner(Math.ceil(at(epoch.cut)), PLAYOUT.fade, false);
    const next = this.#successor(epoch);
    let join = Infinity;
    if (next?.isJoined) join = Math.floor(at(epoch.end)) - Math.ceil(this.#filter(next.epoch).reach * this.#rate / next.epoch.rate);
    else if (next) sooner(Math.floor(next.frame), PLAYOUT.fade, false);
    if (epoch.end !== null) sooner(Math.ceil(at(epoch.end + filter.reach)), 0, true);

    let count = this.#frames(this.#cursor - now < this.#frames(PLAYOUT.critical) ? PLAYOUT.firstBlock : PLAYOUT.block);
    if (join < Infinity && join < this.#cursor + count) {
      if (join > this.#cursor) {
        count = join - this.#cursor;
      } else if (epoch.cut === null && main.stopAt === Infinity) {
        if (this.#join(main, next.epoch)) return true;
        sooner(Math.ceil(at(epoch.end + filter.reach)), 0, true);
      }
    }
    // What is held, less what the filter needs behind the last frame.
    const held = epoch.heldFrom(Math.max(main.whole, epoch.from ?? 0)) ?? main.whole;
    if (held < (epoch.end ?? Infinity)) {
      const last = this.#cursor + Math.floor((held - filter.reach - 1 - position) / main.step);
      if (last < Math.min(this.#cursor + count, stop.frame)) {
        const fade = this.#frames(PLAYOUT.replaceFade);
        const isGap = epoch.nextHeld(held) !== null;
        if (!isGap && this.#cursor - now >= this.#frames(PLAYOUT.critical)) {
          count = last - this.#cursor;
          if (count < this.#frames(PLAYOUT.shortest)) return false;
        } else {
          if (last - this.#cursor < fade && this.#cursor > earliest) this.#rewind(Math.max(earliest, last - fade));
          const voice = this.#main;
          if (voice?.stopAt === Infinity) {
            this.counters.underruns += 1;
            this.counters.replacements += 1;
            this.#isStarving = !isGap;
          }
          if (voice) voice.stopAt = Math.max(last, this.#cursor);
          if (voice && voice.stopAt <= this.#cursor) this.#voices = [];
          return true;
        }
      }
    }
    if (stop.frame < this.#cursor + count + stop.fade) {
      // Too late for a whole fade, it ends later.
      const end = Math.max(stop.frame, stop.isEnd ? this.#cursor : this.#cursor + (this.#isOpen() ? stop.fade : 0));
      if (end > this.#cursor) {
        if (!stop.isEnd) this.#fades.push({ at: end - stop.fade, count: stop.fade, from: 1, to: 0 });
        this.#render(end - this.#cursor, main, true);
      }
      this.#silence();
      return true;
    }
    this.#render(count, main);
    return true;
  }

  /** Nothing sounds on from the cursor. */
  #silence() {
    this.#voices = [];
    const last = this.#blocks[this.#blocks.length - 1];
    if (last && last.frame + last.count === this.#cursor) last.after = [];
  }

  /** Whether anything is heard at the cursor. */
  #isOpen() {
    const last = this.#fades[this.#fades.length - 1];
    return !last || last.to > 0 || last.at + last.count > this.#cursor;
  }

  /** The epoch behind this one, if it has a place on the clock, and whether it follows without a gap. */
  #successor(epoch) {
    const next = this.epochs.find((one) => one.id > epoch.id && one.from !== null && one.anchor && one.cut === null);
    if (!next) return null;
    const frame = this.#dueFrame(next, next.from);
    if (frame === null) return null;
    const end = epoch.end === null || epoch.cut !== null || !epoch.anchor ? null : this.#dueFrame(epoch, epoch.end);
    const isJoined = end !== null && Math.abs(frame - end) < 1.5 && next.from >= 0 && !next.isResumed
      && next.heldFrom(next.from) !== null;
    return { epoch: next, frame, isJoined };
  }

  /** Adds the next song, at the position that the end of this one gives it: both filters ring through the joint. */
  #join(main, epoch) {
    const ratio = epoch.rate / main.epoch.rate;
    const offset = (main.whole + main.fraction - main.epoch.end) * ratio;
    const whole = Math.floor(offset);
    const voice = { ...main, epoch, whole: epoch.from + whole, fraction: offset - whole, step: main.step * ratio };
    this.#voices = [main, voice];
    return true;
  }

  /** Renders one block from the cursor on, and has it played; `isLast`: silence follows. */
  #render(count, main, isLast = false) {
    this.#steer(main, count);
    const frame = this.#cursor;
    const outputs = [new Float32Array(count), new Float32Array(count)];
    for (const voice of this.#voices) {
      const filter = this.#filter(voice.epoch);
      const [first, needed] = filter.needs(voice.fraction, voice.step, count);
      const inputs = voice.epoch.read(voice.whole + first, needed, this.role);
      const targets = inputs.length === 2 ? outputs : [new Float32Array(count)];
      filter.render(inputs, voice.fraction, voice.step, targets, 0, count);
      if (inputs.length === 1) outputs.forEach((output) => targets[0].forEach((value, i) => { output[i] += value; }));
    }
    this.#applyFades(outputs, frame, count);
    this.#sink.play(frame, outputs, isLast);
    if (this.#context.currentTime * this.#rate + QUANTA > frame) {
      this.#missed(frame);
      return;
    }
    const voices = this.#voices.map((voice) => ({ ...voice }));
    this.#voices = this.#voices
      .map((voice) => ({ ...voice, ...moved(voice, count * voice.step), age: voice.age + count / this.#rate }))
      .filter((voice, i, all) => i === all.length - 1 || voice.whole < voice.epoch.end + this.#filter(voice.epoch).reach);
    this.#blocks.push({ frame, count, voices, after: this.#voices.map((voice) => ({ ...voice })) });
    this.#cursor = frame + count;
  }

  /** Rendering took longer than there was time: what would begin late begins anew, with more time from now on. */
  #missed(frame) {
    this.#sink.cut(frame);
    this.#widen();
    this.counters.deviceRestarts += 1;
    this.counters.replacements += 1;
    this.#voices = [];
    this.#cursor = Math.ceil(this.#context.currentTime * this.#rate) + this.margin;
  }

  #widen() { this.margin = Math.min(2 * this.margin, this.#frames(PLAYOUT.greatestMargin)); }

  /** Chooses the step of the next block by the error at its beginning. */
  #steer(main, count) {
    const due = this.#due(main.epoch, this.#cursor);
    const forward = this.#feedForward(main.epoch, this.#cursor);
    if (due === null || forward === null) return;
    const seconds = count / this.#rate;
    const error = (main.whole + main.fraction - due) / main.epoch.rate;
    const law = main.age < PLAYOUT.young.age ? PLAYOUT.young : PLAYOUT.steady;
    const wanted = Math.min(Math.max(-error * 1e6 / law.constant, -law.greatest), law.greatest);
    const change = law.change * Math.max(seconds, PLAYOUT.block);
    main.correction = Math.min(Math.max(wanted, main.correction - change), main.correction + change);
    const step = forward * (1 + main.correction * 1e-6);
    for (const voice of this.#voices) voice.step = step * voice.epoch.rate / main.epoch.rate;
    this.correction = main.correction;
    this.#predicted = error + main.correction * 1e-6 * seconds;
  }

  #applyFades(outputs, frame, count) {
    let gain = 1;
    let fades = [];
    for (const fade of this.#fades) {
      if (fade.at + fade.count <= frame) gain = fade.to;
      else if (fade.at < frame + count) fades.push(fade);
    }
    if (!fades.length) {
      if (gain === 0) outputs.forEach((output) => output.fill(0));
      return;
    }
    for (let i = 0, index = 0; i < count; i += 1) {
      while (index < fades.length && frame + i >= fades[index].at + fades[index].count) gain = fades[index++].to;
      const fade = fades[index];
      let value = gain;
      if (fade && frame + i >= fade.at) {
        const x = (frame + i - fade.at + 0.5) / fade.count;
        value = fade.from + (fade.to - fade.from) * (0.5 - 0.5 * Math.cos(Math.PI * x));
      }
      if (value !== 1) for (const output of outputs) output[i] *= value;
    }
  }

  /** Takes back what was planned from this frame on. */
  #rewind(frame) {
    this.#voices = [];
    this.#sink.cut(frame);
    this.#blocks = this.#blocks.filter((block) => block.frame < frame);
    const last = this.#blocks[this.#blocks.length - 1];
    if (last && last.frame + last.count > frame) {
      const passed = frame - last.frame;
      last.count = passed;
      this.#voices = last.voices.map((voice) => (
        { ...voice, ...moved(voice, passed * voice.step), age: voice.age + passed / this.#rate, stopAt: Infinity }));
    } else if (last && last.frame + last.count === frame) {
      this.#voices = last.after.map((voice) => ({ ...voice, stopAt: Infinity }));
    }
    this.#fades = this.#fades.filter((fade) => fade.at < frame);
    const spanning = this.#fades[this.#fades.length - 1];
    // A fade out that had begun is turned into a fade in, so that the plan may go on.
    if (this.#voices.length && spanning && spanning.to === 0 && spanning.count > 0) {
      const done = Math.min(1, Math.max(0, (frame - spanning.at) / spanning.count));
      const from = 0.5 + 0.5 * Math.cos(Math.PI * done);
      spanning.count = Math.max(0, frame - spanning.at);
      spanning.to = from;
      this.#fades.push({ at: frame, count: this.#frames(PLAYOUT.replaceFade), from, to: 1 });
    }
    if (this.#fades.length > 32) this.#fades.splice(0, this.#fades.length - 32);
    this.#cursor = frame;
  }

  /** Fades out as soon as possible, changes something, and lets the sound begin where it is due then. */
  #replace(change) {
    const earliest = Math.ceil(this.#context.currentTime * this.#rate) + this.margin;
    this.#rewind(Math.min(Math.max(earliest, 0), Math.max(this.#cursor, earliest)));
    const main = this.#main;
    if (main) {
      const fade = this.#frames(PLAYOUT.replaceFade);
      this.#fades.push({ at: this.#cursor, count: fade, from: 1, to: 0 });
      this.#render(fade, main, true);
      this.#silence();
    }
    change();
    this.#revised = Math.ceil(this.#context.currentTime * this.#rate);
    this.pump();
  }

  /** Makes the plan anew if clocks are known better now, or the timeline moved. That is not urgent. */
  #revise(now) {
    const earliest = now + Math.max(this.margin, this.#frames(PLAYOUT.calmMargin));
    if (this.#cursor <= earliest || now - this.#revised < PLAYOUT.revisionPause * this.#rate) return;
    const main = this.#main;
    const heard = this.heard(earliest);
    if (!heard) {
      // Nothing sounds yet: what is planned may be moved freely.
      if (this.#blocks.some((block) => block.frame >= earliest)) {
        this.#revised = now;
        this.#rewind(earliest);
      }
      return;
    }
    const error = this.error(earliest);
    if (error === null) return;
    if (Math.abs(error) > PLAYOUT.jump * 1e3) {
      this.#revised = now;
      this.counters.replacements += 1;
      this.counters.timelineSteps += 1;
      this.#replace(() => {});
      return;
    }
    const due = main && this.#due(main.epoch, this.#cursor);
    if (!main || due === null) return;
    const end = (main.whole + main.fraction - due) / main.epoch.rate;
    if (Math.abs(end - this.#predicted) > PLAYOUT.revision) {
      this.#revised = now;
      this.#rewind(earliest);
    }
  }

  /** Drops song that was heard, and epochs that are over. */
  #trim(now) {
    const heard = this.heard(now);
    if (!heard) {
      for (const epoch of this.epochs) {
        const due = epoch.cut === null && epoch.from !== null ? this.#due(epoch, now) : null;
        if (due !== null) epoch.trim(Math.floor(due - PLAYOUT.behind * epoch.rate));
      }
      return;
    }
    heard.epoch.trim(Math.floor(heard.position - PLAYOUT.behind * heard.epoch.rate));
    const late = this.heard(now - this.#rate);
    if (late?.epoch === heard.epoch) {
      const index = this.epochs.indexOf(heard.epoch);
      for (const old of this.epochs.splice(0, Math.max(0, index))) old.trim(Infinity);
    }
    const held = heard.epoch.heldFrom(Math.floor(heard.position));
    if (held !== null && held < (heard.epoch.end ?? Infinity)) {
      const ahead = (held - heard.position) / heard.epoch.rate * 1e3;
      this.#lowWater = Math.min(this.#lowWater ?? Infinity, ahead);
    }
  }
}
