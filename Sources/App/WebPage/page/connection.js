// The socket of events: joins, as a guest by proof of a code, asks and is answered, and comes back by itself.

import { fromBase64URL, hex, hmac, randomHex, sha256 } from "./hmac.js";

/** Milliseconds. */
const RETRY = { first: 500, last: 10_000 };
const PATIENCE = { joining: 6_000, answer: 15_000, ping: 5_000, wake: 1_500 };
const PING_INTERVAL = 20_000;

/** What a guest's code proves. The code itself never travels. */
export class Guest {
  #key;

  /** @param {string} code 16 bytes in base64url */
  constructor(code) {
    const key = fromBase64URL(code);
    if (key?.length !== 16) throw new Error("This address is damaged behind its #. Open it again as it was given.");
    this.#key = key;
    this.id = hex(sha256(key).subarray(0, 6));
    this.lastStamp = 0;
    /** Milliseconds by which the machine's clock is ahead of this browser's. */
    this.skew = 0;
  }

  /** @returns {{join: object, session: Uint8Array}} the members of a join, and the key of what follows */
  join(serverNonce, nonce = randomHex(16)) {
    const tail = `${serverNonce}\n${nonce}`;
    return {
      join: { guest: this.id, nonce, mac: hex(hmac(this.#key, `tutti join\n${tail}`)) },
      session: hmac(this.#key, `tutti session\n${tail}`),
    };
  }

  /** @returns {string} the Authorization header of an upload, whose body is not part of the proof */
  authorization(method, target, now = Date.now() + this.skew) {
    this.lastStamp = Math.max(now, this.lastStamp + 1);
    const text = `tutti http\n${this.lastStamp}\n${method}\n${target}\n${hex(sha256(""))}`;
    return `Tutti-Guest ${this.id} ${this.lastStamp} ${hex(hmac(this.#key, text))}`;
  }
}

/**
 * Phases: "connecting" at first; "open"; "lost": tries again; "over": the broadcast has ended, looks for a new one;
 * and those that wait for somebody: "code" (a household, and no code), "refused", "impostor" (another machine answers).
 */
export class Connection {
  #options;
  #guest = null;
  #socket = null;
  #session = null;
  #sentCount = 0;
  #requests = new Map();
  #lastID = 0;
  #delay = RETRY.first;
  #timer = 0;
  #watch = 0;
  #drift = drift();
  #phase = { name: "connecting", text: "" };
  #hello = null;
  /** The key of the session that is being joined. */
  #pending = null;
  /** The ticket of the last session: who comes back is known by it. */
  #ticket = "";

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {string} options.name this browser's, for people
   * @param {string} options.code a guest's, or ""
   * @param {(url: string) => WebSocket} options.open
   * @param {(phase: {name: string, text: string, isOpen?: boolean}) => void} options.onphase
   * @param {(joined: object, hello: object) => void} options.onjoined
   * @param {(kind: string, value: any) => void} options.onevent state, change
   */
  constructor(options) {
    this.#options = options;
  }

  get phase() { return this.#phase; }
  get isOpen() { return this.#phase.name === "open"; }
  get isGuest() { return this.#guest !== null; }

  /** Connects now; also with another code or name than before. */
  restart(change = {}) {
    Object.assign(this.#options, change);
    this.#drop();
    this.#delay = RETRY.first;
    try {
      this.#guest = this.#options.code ? new Guest(this.#options.code) : null;
    } catch (error) {
      return this.#enter("refused", error.message);
    }
    this.#connect();
  }

  /** To be called when the page is shown again or the network is back. */
  wake() {
    if (!this.#session) this.restart();
    else this.#ping(PATIENCE.wake);
  }

  /** Whether the machine has slept since this was last asked: the socket is probably dead, and what it said is old. */
  #hasSlept() {
    const before = this.#drift;
    this.#drift = drift();
    return Math.abs(this.#drift - before) > 1_000;
  }

  /** @returns {Promise<object>} the answer; rejects with a line for people */
  request(body) {
    return new Promise((resolve, reject) => {
      if (!this.#session) return reject(new Error("Not connected: this was not done."));
      const id = ++this.#lastID;
      const timer = setTimeout(() => this.#answer({ id, error: "No answer came." }), PATIENCE.answer);
      this.#requests.set(id, { resolve, reject, timer });
      this.#send({ id, ...body });
    });
  }

  /** @returns {Promise<string>} what is to be said of it; rejects where it was refused */
  async command(command) {
    const { outcome } = await this.request({ command });
    if (!outcome.done) throw new Error(outcome.text || "This was refused.");
    return outcome.text;
  }

  /** @returns {string|null} the header that an upload needs */
  authorization(method, target) { return this.#guest?.authorization(method, target) ?? null; }

  // The socket

  #connect() {
    clearTimeout(this.#timer);
    this.#drift = drift();
    let socket;
    try {
      socket = this.#options.open(this.#options.url);
    } catch {
      return this.#retry();
    }
    this.#socket = socket;
    this.#watch = setTimeout(() => this.#lose(), PATIENCE.joining);
    socket.onmessage = ({ data }) => {
      let message = null;
      try { message = JSON.parse(data); } catch { /* of a later version */ }
      if (message && typeof message === "object") this.#receive(message);
    };
    socket.onclose = (event) =>
      event.code === 1008 ? this.#stay("refused", event.reason || "The machine that plays has refused this page.")
        : this.#lose();
  }

  #drop() {
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    const socket = this.#socket;
    this.#socket = this.#session = this.#pending = null;
    if (socket) {
      socket.onmessage = socket.onclose = null;
      socket.close();
    }
    for (const id of [...this.#requests.keys()]) this.#answer({ id, error: "The connection was lost." });
  }

  /** Lost: tries again by itself. */
  #lose() {
    this.#drop();
    this.#retry();
  }

  #retry() {
    if (this.isOpen || this.#phase.name === "connecting") this.#enter("lost");
    // Not all browsers of a house at once.
    this.#timer = setTimeout(() => this.#connect(), this.#delay * (0.8 + 0.2 * Math.random()));
    this.#delay = Math.min(2 * this.#delay, RETRY.last);
  }

  /** Lost until somebody does something. */
  #stay(name, text, more) {
    this.#drop();
    this.#enter(name, text, more);
  }

  #enter(name, text = "", more = {}) {
    this.#phase = { name, text, ...more };
    this.#options.onphase(this.#phase);
  }

  #send(message) {
    let text = JSON.stringify(message);
    if (this.#guest) {
      const n = ++this.#sentCount;
      text = JSON.stringify({ n, mac: hex(hmac(this.#session, `tutti request\n${n}\n${text}`)), text });
    }
    this.#socket.send(text);
  }

  // Messages

  #receive(message) {
    if (message.hello) return this.#greet(message.hello);
    if (message.joined) return this.#enterJoined(message.joined);
    if (message.refused) {
      return this.#stay("refused", String(message.refused.reason), { isOpen: this.isGuest && this.#hello?.isOpen });
    }
    if (!this.#session) return;
    this.#expectNothing();
    if (message.ended) return this.#enter("over", String(message.ended.reason ?? ""));
    if ("id" in message) return this.#answer(message);
    for (const kind of ["state", "change"]) {
      if (!message[kind]) continue;
      if (kind === "state" && !this.isOpen) {
        this.#delay = RETRY.first;
        this.#enter("open");
      }
      this.#options.onevent(kind, message[kind]);
    }
  }

  #greet(hello) {
    this.#hello = hello;
    if (!this.#guest && !hello.rights?.length) return this.#stay("code", hello.name);
    const join = { name: this.#options.name };
    if (this.#ticket) join.former = this.#ticket;
    this.#pending = new Uint8Array();
    if (this.#guest) {
      if (Number.isSafeInteger(hello.time)) this.#guest.skew = hello.time - Date.now();
      const proof = this.#guest.join(hello.nonce);
      Object.assign(join, proof.join);
      this.#pending = proof.session;
    }
    this.#socket.send(JSON.stringify({ join }));
  }

  #enterJoined(joined) {
    if (!this.#pending) return;
    if (this.#guest && joined.mac !== hex(hmac(this.#pending, `tutti joined\n${joined.ticket}`))) {
      return this.#stay("impostor");
    }
    this.#session = this.#pending;
    this.#ticket = joined.ticket;
    this.#pending = null;
    this.#sentCount = 0;
    this.#expectNothing();
    this.#options.onjoined(joined, this.#hello);
  }

  #answer(message) {
    const request = this.#requests.get(message.id);
    if (!request) return;
    this.#requests.delete(message.id);
    clearTimeout(request.timer);
    if (message.error === undefined) request.resolve(message);
    else request.reject(new Error(message.error));
  }

  // Whether it is still there

  #expectNothing() {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#ping(PATIENCE.ping), PING_INTERVAL);
  }

  #ping(patience) {
    clearTimeout(this.#watch);
    if (this.#hasSlept()) return this.restart();
    this.#watch = setTimeout(() => this.restart(), patience);
    this.#send({ id: ++this.#lastID, ping: {} });
  }
}

/** Changes when the machine has slept. */
function drift() { return Date.now() - performance.now(); }
