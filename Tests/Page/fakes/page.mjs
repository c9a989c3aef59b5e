/** A window in virtual time (ms), with timers, sockets and an AudioContext whose card is 40 ppm off. */
import { FakeContext } from "./audio.mjs";
import { random } from "./random.mjs";

export class FakePage {
  now = 0;
  /** The page's thread runs nothing before this time. */
  blockedUntil = 0;
  sockets = [];
  step = 0.1;
  skew = 40;
  latency = 35;
  location = { protocol: "http:", host: "192.168.1.5:28885" };
  document = { hidden: false, addEventListener: (_, body) => { this.onVisibility = body; },
    removeEventListener: (_, body) => { if (this.onVisibility === body) this.onVisibility = null; } };
  navigator = { userAgent: "test" };
  crypto = globalThis.crypto;
  #events = [];
  #count = 0;
  #uniform = random(11);

  /** @param {object} more over https: `{ AudioWorkletNode, wakeLock }` */
  constructor(more = null) {
    const page = this;
    this.isSecureContext = more !== null;
    if (more) {
      this.location = { ...this.location, protocol: "https:" };
      this.navigator.wakeLock = more.wakeLock;
      this.AudioWorkletNode = more.AudioWorkletNode;
    }
    this.localStorage = {
      items: new Map(), getItem(key) { return this.items.get(key) ?? null; }, setItem(key, value) { this.items.set(key, value); },
    };
    this.performance = { now: () => page.quantised(page.now) };
    this.Date = { now: () => 1.7e12 + Math.floor(page.now) };
    this.setTimeout = (body, wait = 0) => page.at(page.now + Math.max(1, wait) + page.#uniform(), body);
    this.clearTimeout = (id) => { page.#events = page.#events.filter((event) => event.id !== id); };
    this.AudioContext = class extends FakeContext {
      constructor() {
        super(48_000, 60);
        this.state = "suspended";
        page.context = this;
        this.onsource = () => page.onsource?.();
        const addModule = () => new Promise((resolve) => { page.at(page.now + 30, resolve); });
        if (page.isSecureContext) this.audioWorklet = { addModule };
      }

      async resume() {
        if (this.state === "running" || page.isAsleep) return;
        // The device opens 60 ms later.
        page.started = page.started === undefined ? page.now + 60 : page.started + page.now - page.stopped;
        this.state = "running";
        this.onstatechange?.();
      }

      async suspend(state = "suspended") {
        page.stopped = page.now;
        this.state = state;
        this.onstatechange?.();
      }

      async close() {
        await this.suspend("closed");
      }

      getOutputTimestamp() {
        if (this.frame < 4800) return { contextTime: 0, performanceTime: 0 };
        const frame = this.frame - 2048;
        return { contextTime: frame / this.sampleRate, performanceTime: page.quantised(page.heard(frame) + 0.2 * (page.#uniform() - 0.5)) };
      }
    };
    this.WebSocket = class {
      readyState = 0;

      constructor(url) {
        this.url = url;
        page.sockets.push(this);
        page.at(page.now + 3, () => {
          if (this.readyState !== 0) return;
          this.readyState = 1;
          page.onsocket?.(this);
          this.onopen?.();
        });
      }

      send(bytes) { this.onsend?.(Uint8Array.from(bytes), page.now); }
      /** From the other side, after a delay. */
      give(bytes, delay = 0.5) {
        page.at(page.now + delay, () => { if (this.readyState === 1) this.onmessage?.({ data: Uint8Array.from(bytes).buffer }); });
      }
      /** @param {object} event what the other side says, if it closes */
      close(event) {
        if (this.readyState === 3) return;
        this.readyState = 3;
        page.at(page.now, () => this.onclose?.(event));
      }
    };
  }

  quantised(time) { return Math.floor(time / this.step) * this.step; }

  /** When a context frame leaves the loudspeaker. */
  heard(frame) { return this.started + this.latency + frame / 48 / (1 + this.skew * 1e-6); }

  at(time, body) {
    this.#count += 1;
    this.#events.push({ time, body, id: this.#count });
    this.#events.sort((one, other) => one.time - other.time || one.id - other.id);
    return this.#count;
  }

  /** Runs everything up to a time. */
  async run(to) {
    for (;;) {
      const next = this.#events[0];
      const time = Math.max(next?.time ?? Infinity, this.blockedUntil, this.now);
      if (!next || time > to) break;
      this.#events.shift();
      this.now = time;
      this.#advance();
      next.body();
      await null;
    }
    this.now = to;
    this.#advance();
  }

  #advance() {
    if (this.context?.state === "running") {
      this.context.advance(Math.max(0, this.now - this.started) / 1e3 * (1 + this.skew * 1e-6));
    }
  }
}
