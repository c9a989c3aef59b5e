/**
 * A browser as a listener in step: the one module that the rest of the page uses for sound.
 *
 *     const listener = new Listener({ ticket, instance, name });   // of the `joined` message
 *     listener.onchange = (status) => show(status);                // at most 4 times a second, and at every change
 *     button.onclick = () => listener.start();                     // in the tap: audio needs it
 *     listener.setAccess({ ticket, instance });                    // after the events' socket has joined again
 *     listener.setVolume(40); listener.setMuted(true); listener.nudge(-1); listener.setOffset(0);
 *     listener.setRole("left"); listener.setTitle({ title, artist, album, artwork }); listener.stop();
 *     listener.session(performance.now());                         // the broadcaster's clock in seconds, while it listens
 *     listener.close();                                            // for good: the sound card is given back
 *     listener.oncommand = (name) => api.send({ [name]: {} });     // "play", "pause", "next", "previous" of a lock screen
 *
 * `status` (also `listener.status`), all times in milliseconds:
 * | member | meaning |
 * |---|---|
 * | state | "off", "connecting", "preparing", "ready", "playing", "starving", "finished", "paused", or "tap": the browser has put audio to sleep and wants a tap (call `start()` in it) |
 * | message | one line for people if something is wrong; else "" |
 * | title | of the song that sounds; "" where unknown |
 * | error, bound | distance from the timeline (positive: late), and its bound; null while unknown |
 * | buffered | song held ahead of what is heard |
 * | offset | what this browser adds to every frame's time; negative sounds earlier |
 * | volume, muted, groupVolume, role | 0 to 100, boolean; "stereo", "left", "right", "mono", or "1" to "8" |
 * | counters | `{ xruns, underruns, replacements, timelineSteps, deviceClockSteps, deviceRestarts, lostPackets }` since the start |
 * | isElement | sound goes through a media element, whose latency no script can see: the offset must be set by ear |
 *
 * Where `listener.canKeepLocked` (iOS, whose screen lock silences an AudioContext), `setKeepsLocked(true)` sends the sound
 * through a media element, which plays on.
 */
import { CardClock } from "./card.js";
import { SessionClock, measureStep } from "./clock.js";
import { Playout } from "./playout.js";
import { workletSink } from "./sink.js";
import * as wire from "./wire.js";

/** Milliseconds: between two looks at the clocks, in the first second and later; between two of the plan; of `onchange`. */
const TICK_EARLY = 20;
const TICK = 50;
const PUMP = 100;
const SHOW = 250;
/** Reports: at least so often; at once for so much new song; after so long for a little of it. As native listeners do. */
const REPORT = 500;
const RECEIPT = 500;
const TRICKLE = 100;
const TRICKLE_PAUSE = 20;
const KEEP_ALIVE = 700;
/** A connection without a byte for this long is dead; pauses before it is tried again. */
const SILENCE = 4000;
/** Without an answer of the clock for this long both connections are opened anew. */
const CLOCK_SILENCE = 10_000;
/** A connection that lasted so long was none of a series of failures. */
const LASTING = 5000;
const BACKOFF = [250, 500, 1000, 2000, 4000];
/** Of a WebSocket that is closed (RFC 6455 section 7.4, and its registry). */
const TRY_AGAIN_LATER = 1013;
/** A first sound waits for a bound below this, but no longer than this after the context runs. */
const START_BOUND = 4;
const START_PATIENCE = 600;
/** A tick so late, or clocks that disagree so much about it, mean that the machine slept. */
const SLEEP = 5000;
const DISAGREEMENT = 500;
const LARGEST_OFFSET = 1000;
const STORED = "tutti.listener";

export class Listener {
  /** @type {((status: object) => void) | null} */
  onchange = null;
  /** @type {((name: string) => void) | null} */
  oncommand = null;
  #access;
  #stored;
  #context = null;
  #output = null;
  #element = null;
  #playout = null;
  #card = null;
  #clock = null;
  #step = 0;
  #link = null;
  #timing = null;
  #parser = null;
  #broadcaster = null;
  #isWelcome = false;
  #failures = 0;
  #retry = null;
  #timer = null;
  #isOn = false;
  #isLive = false;
  /** While it is not known yet by which sink the sound is played. */
  #isChoosing = false;
  #message = "";
  #group = { level: 100, isMuted: false };
  #last = { tick: 0, wall: 0, pump: 0, shown: 0, heard: 0, timed: 0, sent: 0, running: 0, welcome: 0 };
  /** Keeps the screen on, where the browser can (over https). */
  #wakeLock = null;
  #isWaking = false;
  #seen = () => { if (!this.host.document.hidden) this.#wake(); };
  #reported = null;

  /**
   * @param {{ ticket: string, instance: string, name: string }} access of the `joined` message, and this browser's name
   * @param {object} host the window, or what takes its place
   */
  constructor(access, host = globalThis) {
    this.host = host;
    this.#access = access;
    this.#stored = this.#load();
    host.document?.addEventListener("visibilitychange", this.#seen);
  }

  // For the page

  setAccess(access) {
    this.#access = { ...this.#access, ...access };
    if (this.#isOn && !this.#link) this.#connect();
  }

  /** Begins to listen, or wakes the sound. Call it in a tap. */
  async start() {
    const { host } = this;
    if (!(host.AudioContext ?? host.webkitAudioContext)) {
      this.#message = "This browser cannot play in step: it has no Web Audio.";
      this.#show();
      return;
    }
    // A browser may have taken the card for good.
    if (!this.#context || this.#context.state === "closed") {
      this.#drop();
      this.#prepare(host);
      if (this.#isOn) this.#connect();
    }
    this.#element?.play().catch(() => {});
    if (!this.#isOn) {
      this.#isOn = true;
      this.#message = "";
      this.#connect();
      this.#schedule(0);
      this.#keepAwake();
    }
    await this.#context.resume().catch(() => {});
    this.#noteState();
  }

  /** Ends listening; `start` begins again. */
  stop() {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#send(wire.refusal(6, "the listener was switched off"));
    this.#drop();
    this.host.clearTimeout(this.#timer);
    this.host.clearTimeout(this.#retry);
    this.#retry = null;
    this.#playout.clear();
    this.#element?.pause();
    const context = this.#context;
    this.host.setTimeout(() => {
      if (!this.#isOn && context.state === "running") context.suspend().catch(() => {});
    }, 200);
    this.#wakeLock?.release().catch(() => {});
    this.#wakeLock = null;
    this.#show();
  }

  /** Ends listening for good. */
  close() {
    this.stop();
    this.host.document?.removeEventListener("visibilitychange", this.#seen);
    const context = this.#context;
    // What sounds fades out first.
    if (context) this.host.setTimeout(() => { if (context.state !== "closed") context.close().catch(() => {}); }, 300);
  }

  /** The broadcaster's clock in seconds at a moment of `performance.now()`; null while it is not measured. */
  session(now) {
    const time = this.#isOn ? this.#clock?.session(now) : null;
    return time === null || time === undefined ? null : time / 1e3;
  }

  setVolume(level) { this.#set({ volume: Math.round(Math.min(Math.max(level, 0), 100)), muted: false }); }
  setMuted(muted) { this.#set({ muted }); }
  setRole(role) { this.#set({ role }); }

  /** @param {number} offset ms, at most 1,000 either way; remembered for this browser and device */
  setOffset(offset) {
    const value = Math.min(Math.max(offset, -LARGEST_OFFSET), LARGEST_OFFSET);
    this.#set({ offsets: { ...this.#stored.offsets, [this.#device]: value } });
  }

  /** Shifts the offset by some milliseconds. */
  nudge(milliseconds) { this.setOffset(this.#offset + milliseconds); }

  /** iOS silences an AudioContext when the screen locks; a media element plays on there. */
  get canKeepLocked() {
    const { navigator } = this.host;
    return /iPad|iPhone|iPod/.test(navigator?.userAgent ?? "")
      || (/Mac/.test(navigator?.platform ?? "") && navigator.maxTouchPoints > 1);
  }

  setKeepsLocked(keepsLocked) {
    this.#set({ keepsLocked });
    if (this.#context) this.#route();
  }

  /** What a lock screen shows. @param {{ title: string, artist: string, album: string, artwork?: string }} song */
  setTitle({ title, artist, album, artwork }) {
    const session = this.host.navigator?.mediaSession;
    if (!session || !this.host.MediaMetadata) return;
    session.metadata = new this.host.MediaMetadata({ title, artist, album, artwork: artwork ? [{ src: artwork }] : [] });
  }

  get status() {
    const now = this.host.performance.now();
    const frame = this.#card?.frame(now) ?? null;
    const heard = frame === null ? null : this.#playout.heard(frame);
    const info = (heard?.epoch ?? this.#playout?.epochs[0])?.info ?? {};
    const timing = this.#timingAt(now, frame);
    const { volume, muted, role } = this.#stored;
    return {
      state: this.#stateAt(frame), message: this.#message, title: info.title ?? "",
      error: heard ? timing?.error ?? null : null, bound: timing?.bound ?? null,
      buffered: this.#playout?.buffered(frame) ?? 0, offset: this.#offset, volume, muted,
      groupVolume: this.#group.level, role, counters: this.#counters, isElement: this.#element !== null,
    };
  }

  // Sound

  #prepare(host) {
    if (host.navigator?.audioSession) host.navigator.audioSession.type = "playback";
    const Context = host.AudioContext ?? host.webkitAudioContext;
    this.#context = new Context({ latencyHint: "balanced" });
    this.#step = measureStep(() => host.performance.now());
    this.#card = new CardClock(this.#context.sampleRate, this.#step);
    this.#clock = new SessionClock(this.#step);
    this.#output = this.#context.createGain();
    this.#route();
    const map = {
      session: (frame) => (this.#isReady ? this.#clock.session(this.#card.time(frame)) : null),
      frame: (session) => (this.#isReady ? this.#card.frame(this.#clock.time(session)) : null),
    };
    this.#playout = new Playout({ context: this.#context, output: this.#output, map });
    this.#apply();
    this.#chooseSink(this.#context, this.#playout);
    [this.#last.running, this.#isLive] = [0, false];
    this.#context.onstatechange = () => this.#noteState();
    const session = host.navigator?.mediaSession;
    for (const [action, command] of [["play", "play"], ["pause", "pause"], ["nexttrack", "next"], ["previoustrack", "previous"]]) {
      try {
        session?.setActionHandler(action, () => {
          this.#wake();
          this.oncommand?.(command);
        });
      } catch { /* The browser does not know this action. */ }
    }
  }

  /** Where it can, the page plays on the thread of the sound: what blocks the page then delays nothing that was sent. */
  async #chooseSink(context, playout) {
    this.#isChoosing = true;
    const sink = await workletSink(this.host, context);
    if (context !== this.#context) return;
    this.#isChoosing = false;
    if (!sink) return;
    playout.use(sink);
    // Browsers begin to render anew, on another thread: what stamps said before is void.
    this.#card.restart();
    this.#isLive = false;
  }

  /** Connects the sound with the loudspeakers, directly or through an element. */
  #route() {
    this.#output.disconnect();
    this.#element?.pause();
    this.#element = null;
    if (!this.#stored.keepsLocked || !this.canKeepLocked || !this.#context.createMediaStreamDestination) {
      this.#output.connect(this.#context.destination);
      return;
    }
    const stream = this.#context.createMediaStreamDestination();
    this.#output.connect(stream);
    this.#element = new this.host.Audio();
    this.#element.srcObject = stream.stream;
    this.#element.play().catch(() => {});
  }

  get #isRunning() { return this.#context?.state === "running"; }

  /** Whether both clocks are known; for a first sound, well enough, unless that takes too long. */
  get #isReady() {
    if (!this.#isRunning || this.#isChoosing || !this.#clock.estimate || !this.#card.isKnown) return false;
    if (!this.#isLive) {
      const now = this.host.performance.now();
      this.#isLive = this.#clock.bound(now) + this.#card.bound(now) < START_BOUND
        || now - this.#last.running > START_PATIENCE;
    }
    return this.#isLive;
  }

  /** The context fell asleep, or runs again. */
  #noteState() {
    const now = this.host.performance.now();
    if (this.#isRunning && !this.#last.running) {
      this.#last.running = now;
      this.#card.restart();
      this.#tick();
    } else if (!this.#isRunning && this.#last.running) {
      this.#last.running = 0;
      this.#isLive = false;
      this.#card.restart();
      this.#playout.interrupt();
    }
    this.#show();
  }

  /** The page is seen again, or the machine woke. */
  #wake() {
    if (!this.#isOn) return;
    this.#context.resume().catch(() => {});
    this.#keepAwake();
    this.#element?.play().catch(() => {});
    this.#clock.burst(this.host.performance.now());
    if (!this.#link) {
      this.#failures = 0;
      this.#connect();
    }
    this.#tick();
  }

  /** A screen that goes off stops most phones' pages. Browsers drop this when the page is hidden. */
  async #keepAwake() {
    const { wakeLock } = this.host.navigator ?? {};
    if (!wakeLock || this.host.document?.hidden || this.#isWaking || this.#wakeLock?.released === false) return;
    this.#isWaking = true;
    const lock = await wakeLock.request("screen").catch(() => null);
    this.#isWaking = false;
    if (this.#isOn) this.#wakeLock = lock;
    else lock?.release().catch(() => {});
  }

  get #latency() { return (this.#context?.outputLatency || this.#context?.baseLatency) ?? 0; }

  // Time

  #schedule(wait) {
    this.host.clearTimeout(this.#timer);
    this.#timer = this.host.setTimeout(() => this.#tick(), wait);
  }

  /** Looks at the clocks, goes on with the plan, and reports. */
  #tick() {
    if (!this.#isOn) return;
    const now = this.host.performance.now();
    // Whatever goes wrong in one look, there is a next one.
    this.#schedule(TICK);
    this.#look(now);
    const pause = now - this.#last.running < 1000 || !this.#card.isKnown ? TICK_EARLY : TICK;
    if (this.#isOn) this.#schedule(Math.max(1, Math.min(pause, this.#canAsk ? this.#clock.wait(now) : pause)));
  }

  #look(now) {
    const { host } = this;
    this.#noteSleep(now, host.Date.now());
    if (this.#isRunning) {
      const stamp = this.#context.getOutputTimestamp?.() ?? null;
      this.#card.note(stamp, this.#context.currentTime, host.performance.now(), this.#latency);
    }
    this.#ask();
    if (now - this.#last.pump >= PUMP || now - this.#last.running < 1000) {
      this.#last.pump = now;
      if (this.#isRunning) this.#playout.pump();
    }
    if (this.#link && (now - this.#last.heard > SILENCE || now - this.#last.timed > CLOCK_SILENCE)) this.#lose();
    this.#report(now);
    if (now - this.#last.sent > KEEP_ALIVE) this.#send(wire.keepAlive());
    if (now - this.#last.shown >= SHOW) this.#show();
  }

  /** After a sleep the clocks are learned anew, from what the rates were. */
  #noteSleep(now, wall) {
    const last = this.#last;
    const passed = wall - last.wall;
    if (last.tick && (passed > SLEEP || Math.abs(passed - (now - last.tick)) > DISAGREEMENT)) {
      this.#clock.startAnew(now);
      this.#card.restart();
      [this.#isLive, last.running, last.heard, last.timed] = [false, this.#isRunning ? now : 0, now, now];
    }
    [last.tick, last.wall] = [now, wall];
  }

  /** Whether the socket of the clock is open. */
  get #canAsk() { return this.#timing?.readyState === 1; }

  #ask() {
    if (!this.#canAsk) return;
    const request = this.#clock.request(this.host.performance.now());
    if (request) this.#timing.send(request);
  }

  // Connections

  #open(path) {
    const { location, WebSocket } = this.host;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${path}?ticket=${encodeURIComponent(this.#access.ticket)}`);
    socket.binaryType = "arraybuffer";
    return socket;
  }

  #connect() {
    if (this.#link) return;
    this.host.clearTimeout(this.#retry);
    this.#retry = null;
    const link = this.#open("/listen");
    this.#link = link;
    this.#parser = new wire.WireParser();
    this.#isWelcome = false;
    this.#reported = null;
    this.#last.heard = this.#last.timed = this.host.performance.now();
    link.onopen = () => {
      if (link !== this.#link) return;
      const { instance, name } = this.#access;
      link.send(wire.preamble());
      link.send(wire.greeting({
        peer: Uint8Array.from(this.#stored.peer), instance: BigInt(`0x${instance}`),
        started: Math.floor(this.host.Date.now() / 1e3), name,
      }));
    };
    link.onmessage = ({ data }) => { if (link === this.#link && data instanceof ArrayBuffer) this.#receive(data); };
    link.onclose = (event) => {
      if (link !== this.#link) return;
      // The site says why it takes no listener for the moment.
      if (event?.code === TRY_AGAIN_LATER) this.#message = event.reason;
      this.#lose();
    };
    this.#openClock();
  }

  #openClock() {
    const timing = this.#open("/clock");
    this.#timing = timing;
    timing.onopen = () => {
      if (timing !== this.#timing) return;
      this.#clock.burst(this.host.performance.now());
      this.#tick();
    };
    timing.onmessage = ({ data }) => {
      const now = this.host.performance.now();
      if (timing !== this.#timing || !(data instanceof ArrayBuffer)) return;
      this.#last.timed = now;
      const next = this.#clock.further(now);
      if (next) timing.send(next);
      this.#clock.receive(data, now);
    };
    timing.onclose = () => {
      if (timing !== this.#timing) return;
      this.#timing = null;
      // The clock is only asked while song may come: both are opened again.
      if (this.#link) this.#lose();
    };
  }

  #drop() {
    const sockets = [this.#link, this.#timing];
    [this.#link, this.#timing, this.#isWelcome] = [null, null, false];
    for (const socket of sockets) socket?.close();
  }

  /** What is planned sounds on, and both connections are tried again. */
  #lose() {
    if (this.#isWelcome && this.host.performance.now() - this.#last.welcome > LASTING) this.#failures = 0;
    this.#drop();
    if (!this.#isOn || this.#retry !== null) return;
    const pause = BACKOFF[Math.min(this.#failures, BACKOFF.length - 1)];
    this.#failures += 1;
    this.#retry = this.host.setTimeout(() => {
      this.#retry = null;
      if (this.#isOn) this.#connect();
    }, pause);
    this.#show();
  }

  #send(bytes) {
    if (this.#link?.readyState !== 1) return;
    this.#last.sent = this.host.performance.now();
    this.#link.send(bytes);
  }

  #receive(data) {
    this.#last.heard = this.host.performance.now();
    try {
      this.#parser.parse(new Uint8Array(data), (message) => this.#hear(message));
    } catch (error) {
      if (!(error instanceof wire.WireError)) throw error;
      this.#message = `The broadcaster sent what this page does not understand: ${error.message}.`;
      this.#send(wire.refusal(7, error.message));
      this.#failures = Math.max(this.#failures, 3);
      this.#lose();
      return;
    }
    const now = this.host.performance.now();
    if (now - this.#last.tick >= TICK) this.#tick(); else this.#report(now);
  }

  #hear(message) {
    const playout = this.#playout;
    switch (message.type) {
      case "greeting": this.#greeted(message); break;
      case "welcome":
        [this.#isWelcome, this.#message] = [true, ""];
        this.#last.welcome = this.host.performance.now();
        this.#tellSettings();
        break;
      case "refusal":
        this.#message = message.text;
        [this.#isWelcome, this.#failures] = [false, BACKOFF.length];
        break;
      case "broadcastEnd":
        if (message.kind === "stopped") playout.clear();
        this.#message = message.text;
        break;
      case "groupVolume":
        this.#group = message.volume;
        this.#apply();
        this.#send(wire.groupVolume(message.volume));
        break;
      case "volume": this.#obeyVolume(message); break;
      case "offset": this.setOffset(message.offset); break;
      case "role": this.setRole(message.role); break;
      case "stream": case "entry": case "packets": case "anchor": case "cut": case "streamEnd":
        playout[message.type](message);
        if (message.type !== "packets" && this.#isRunning) playout.pump();
        break;
      default: break;
    }
  }

  /** Another process is another clock and other epochs. */
  #greeted({ instance }) {
    if (this.#broadcaster !== null && this.#broadcaster !== instance) {
      this.#playout.clear();
      this.#clock.startAnew(this.host.performance.now());
    }
    this.#broadcaster = instance;
  }

  #obeyVolume({ change, value }) {
    const { volume, muted } = this.#stored;
    if (change === "level") this.setVolume(value);
    if (change === "step") this.setVolume(volume + value);
    if (change === "mute") this.setMuted(true);
    if (change === "unmute") this.setMuted(false);
    if (change === "toggleMute") this.setMuted(!muted);
  }

  // Settings

  get #device() { return String(this.#context?.sinkId || "default"); }
  get #offset() { return this.#stored.offsets[this.#device] ?? 0; }

  #set(change) {
    Object.assign(this.#stored, change);
    this.#save(this.#stored);
    this.#apply();
    this.#tellSettings();
    this.#show();
  }

  #apply() {
    if (!this.#playout) return;
    const { volume, muted, role } = this.#stored;
    // The gain is the cube of the volume, as native listeners have it.
    const isMuted = muted || this.#group.isMuted;
    this.#playout.setGain(isMuted ? 0 : (volume / 100 * this.#group.level / 100) ** 3);
    this.#playout.setRole(role);
    this.#playout.setOffset(this.#offset);
  }

  #tellSettings() {
    if (!this.#isWelcome) return;
    const { volume, muted, role } = this.#stored;
    this.#send(wire.settings({ volume: { level: volume, isMuted: muted }, offset: this.#offset, role }));
  }

  #load() {
    let stored = {};
    try {
      stored = JSON.parse(this.host.localStorage?.getItem(STORED) ?? "{}") ?? {};
    } catch { /* Not ours, or not readable. */ }
    const isByte = (value) => Number.isInteger(value) && value >= 0 && value < 256;
    const peer = Array.isArray(stored.peer) && stored.peer.length === 16 && stored.peer.every(isByte) ? stored.peer : this.#newPeer();
    const offsets = {};
    for (const [device, value] of Object.entries(stored.offsets ?? {}).slice(-32)) {
      if (Number.isFinite(value) && Math.abs(value) <= LARGEST_OFFSET) offsets[device] = value;
    }
    const isRole = [...wire.CHANNEL_ROLES, "1", "2", "3", "4", "5", "6", "7", "8"].includes(stored.role);
    const result = {
      peer, offsets, volume: isByte(stored.volume) && stored.volume <= 100 ? stored.volume : 100, muted: stored.muted === true,
      role: isRole ? stored.role : "stereo", keepsLocked: stored.keepsLocked === true,
    };
    this.#save(result);
    return result;
  }

  #save(stored) {
    try {
      this.host.localStorage?.setItem(STORED, JSON.stringify(stored));
    } catch { /* Nothing is remembered in a private window. */ }
  }

  /** A random UUID, version 4 (RFC 9562 section 5.4). */
  #newPeer() {
    const bytes = this.host.crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return [...bytes];
  }

  // What others are told

  get #counters() { return { ...this.#playout?.counters, deviceClockSteps: this.#card?.steps ?? 0 }; }

  #stateAt(frame) {
    if (!this.#isOn) return "off";
    if (!this.#isRunning) return "tap";
    return this.#wireState(frame);
  }

  #wireState(frame) {
    const { newest } = this.#playout;
    if (frame !== null && this.#playout.heard(frame)) return "playing";
    if (this.#playout.isStarving) return "starving";
    if (!this.#isWelcome) return "connecting";
    if (!newest || newest.from === null) return "preparing";
    if (frame !== null && this.#playout.isOver(frame)) return "finished";
    if (!this.#isReady || newest.received <= newest.from) return "preparing";
    return newest.cut === null ? "ready" : "paused";
  }

  #timingAt(now, frame) {
    const estimate = this.#clock?.estimate;
    if (!estimate || !this.#card.isKnown || frame === null) return null;
    return {
      error: this.#playout.error(frame) ?? 0, bound: this.#clock.bound(now) + this.#card.bound(now),
      asymmetry: estimate.asymmetry, roundTrip: estimate.roundTrip, clockSkew: estimate.skew,
      deviceSkew: this.#card.skew, correction: this.#playout.correction,
    };
  }

  #report(now) {
    if (!this.#isWelcome) return;
    const frame = this.#card.frame(now);
    const { newest } = this.#playout;
    const state = this.#wireState(frame);
    const [epoch, received] = [newest?.id ?? 0, newest?.received ?? 0];
    const last = this.#reported;
    if (last && last.state === state && last.epoch === epoch) {
      const fresh = (received - last.received) / (newest?.rate ?? 48_000) * 1e3;
      if (now - last.time < (fresh >= RECEIPT ? 0 : fresh >= TRICKLE ? TRICKLE_PAUSE : REPORT)) return;
    }
    this.#reported = { state, epoch, received, time: now };
    this.#send(wire.report({
      state, epoch, received, buffered: this.#playout.buffered(frame), counters: this.#counters,
      timing: this.#timingAt(now, frame), lowWater: this.#playout.lowWater,
      irrevocable: this.#playout.margin / this.#context.sampleRate * 1e3 + this.#latency * 1e3 + TICK,
    }));
  }

  #show() {
    this.#last.shown = this.host.performance.now();
    this.onchange?.(this.status);
  }
}
