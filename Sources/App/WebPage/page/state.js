// A broadcast as the page knows it: states and changes folded, as the terminal's player does.

/** Folds what the server says of the programme. */
export class Programme {
  /** As `tutti status --json`; null before it is known. */
  state = null;
  queue = new Queue();
  /**
   * The broadcaster's clock in seconds at a moment of this page's in milliseconds, from one who measures it; null while
   * nobody does.
   * @type {(now: number) => number|null}
   */
  measured = () => null;
  /** A moment of the broadcaster's clock in seconds, and when that was here in milliseconds. */
  #clock = { session: 0, here: 0 };
  /** Whether all changes since the state were folded in. */
  #isFollowing = false;

  takeState(state, now) {
    const known = this.#isFollowing ? this.state.sequence : -1;
    this.state = state;
    this.#isFollowing = true;
    this.#clock = { session: state.sent, here: now };
    // Where many listen, states come every few seconds, and say nothing new of the queue.
    const isOld = (state.queueSequence ?? Infinity) <= known;
    if (!isOld || Math.min(state.items, Queue.limit) !== this.queue.count) this.queue.forget(state.items);
  }

  /** The connection was lost, or the broadcast: what comes next has nothing to do with what is known. */
  lose() { this.#isFollowing = false; }

  /** @returns {string} which part of the state is new: its kind, or "" */
  takeChange(change) {
    const state = this.state;
    if (!state || change.sequence <= state.sequence) return "";
    state.sequence = change.sequence;
    const kind = ["status", "modes", "volume", "item", "listener", "gone", "queue", "command"].find((k) => k in change);
    const value = change[kind];
    switch (kind) {
      case "status": case "modes": case "volume": state[kind] = value; break;
      case "item":
        this.queue.replace(value);
        for (const place of ["current", "next"]) {
          if (state.status[place]?.id === value.id) state.status[place] = value;
        }
        break;
      case "listener": {
        const index = state.listeners.findIndex((l) => l.instance === value.instance);
        if (index < 0) state.listeners.push(value);
        else state.listeners[index] = value;
        break;
      }
      case "gone": state.listeners = state.listeners.filter((l) => l.instance !== value); break;
      case "queue":
        state.items = value.items;
        this.queue.edit(value.edit, value.items);
        break;
      default: return kind ?? "";
    }
    return kind;
  }

  /** @returns {number|null} seconds into the song that plays; null while nothing does */
  elapsed(now) {
    const { position, current } = this.state?.status ?? {};
    if (!position) return null;
    const session = this.measured(now) ?? this.#clock.session + (now - this.#clock.here) / 1000;
    const seconds = Math.max(0, position.seconds + (session - position.at) * position.rate);
    return Math.min(seconds, current?.seconds ?? Infinity);
  }
}

/** The queue, as far as it is known: ten thousand items are asked for in pieces, as they are shown. */
export class Queue {
  static pieceLength = 100;
  static limit = 100_000;
  /** @type {{item?: object, isOld: boolean}[]} what is old stays shown until it was asked for again */
  #entries = [];
  /** Moves that this page has made before the broadcaster told of them. */
  #expected = [];
  /** Counts what may have moved items: a piece that was asked for before is old. */
  version = 0;
  /** The piece of which only a beginning came, at this version. */
  #short = null;

  get count() { return this.#entries.length; }

  /** @returns {object|undefined} undefined where it is not known yet */
  at(index) { return this.#entries[index]?.item; }

  indexOf(id) { return this.#entries.findIndex(({ item }) => item?.id === id); }

  /** Everything may be different. */
  forget(count = this.count) {
    this.version++;
    this.#expected = [];
    const length = Math.min(count, Queue.limit);
    this.#entries = Array.from({ length }, (_, i) => ({ item: this.at(i), isOld: true }));
  }

  /** Takes an edit as its text says it, "moved(from: 3, to: 5)", and the count afterwards. */
  edit(edit, count) {
    const text = String(edit);
    const kind = /^[a-z]*/.exec(text)[0];
    const [first, second] = (text.match(/\d+/g) ?? []).map(Number);
    const expected = this.#expected.shift();
    if (kind === "moved" && expected?.from === first && expected.to === second && count === this.count) return;
    if (expected || first > this.count) return this.forget(count);
    this.version++;
    const entries = this.#entries;
    if (kind === "inserted" && second <= Queue.limit) {
      entries.splice(first, 0, ...Array.from({ length: second }, () => ({ isOld: true })));
    } else if (kind === "removed") entries.splice(first, 1);
    else if (kind === "moved") entries.splice(second, 0, ...entries.splice(first, 1));
    else if (kind === "cleared") entries.length = 0;
    else return this.forget(count);
    if (entries.length !== count) this.forget(count);
  }

  /** Moves an item before the broadcaster tells of it; `forget()` if it refuses. */
  expectMove(from, to) {
    this.version++;
    this.#expected.push({ from, to });
    this.#entries.splice(to, 0, ...this.#entries.splice(from, 1));
  }

  replace(item) {
    const entry = this.#entries[this.indexOf(item.id)];
    if (entry) entry.item = item;
  }

  /**
   * @returns {{from: number, count: number}|null} what is to be asked for to know these; null if all are known. All
   *   pages ask for the same pieces, so that the broadcaster is asked once.
   */
  lacking(from, to) {
    for (let i = Math.max(0, from); i < Math.min(to, this.count); i++) {
      if (!this.#entries[i].isOld) continue;
      const start = i - (i % Queue.pieceLength);
      // A piece that came shorter than it was asked for is gone on with.
      const isShort = this.#short?.start === start && this.#short.version === this.version;
      const from = isShort ? i : start;
      return { from, count: start + Queue.pieceLength - from };
    }
    return null;
  }

  /**
   * Takes a piece that was asked for at that version.
   * @returns {boolean} whether there is sense in asking for more now
   */
  take(piece, version) {
    if (version !== this.version) return true;
    if (Math.min(piece.count, Queue.limit) !== this.count) this.forget(piece.count);
    piece.items.forEach((item, i) => {
      if (piece.from + i < this.count) this.#entries[piece.from + i] = { item, isOld: false };
    });
    const start = piece.from - (piece.from % Queue.pieceLength);
    const isWhole = piece.from + piece.items.length >= Math.min(start + Queue.pieceLength, this.count);
    this.#short = isWhole ? null : { start, version: this.version };
    return piece.items.length > 0;
  }
}

/**
 * The two listeners that may be farthest apart, and their largest possible distance: |e1 - e2| + b1 + b2.
 * Of two, one may be as late as e1 + b1, and the other as early as e2 - b2: the extremes are enough.
 * @returns {{names: string[], microseconds: number}|null}
 */
export function worstPair(listeners) {
  const heard = listeners.filter((l) => l.state === "playing" && l.errorMicroseconds != null);
  const extremes = (value) => heard.map((l) => ({ l, value: value(l) })).sort((a, b) => b.value - a.value).slice(0, 2);
  let worst = null;
  for (const late of extremes((l) => l.errorMicroseconds + (l.boundMicroseconds ?? 0))) {
    for (const early of extremes((l) => (l.boundMicroseconds ?? 0) - l.errorMicroseconds)) {
      const microseconds = late.value + early.value;
      if (late.l === early.l || microseconds <= (worst?.microseconds ?? -1)) continue;
      worst = { names: [late.l.name, early.l.name], microseconds };
    }
  }
  return worst;
}

/**
 * Lyrics: LRC, or plain text.
 * @returns {{isTimed: boolean, lines: {time: number|null, text: string}[]}} times in seconds
 */
export function parseLyrics(text) {
  let offset = 0;
  const lines = [];
  for (const source of text.split(/\r\n?|\n/)) {
    const tag = /^\s*\[(\w+):([^\]]*)\]\s*$/.exec(source);
    if (tag && !/^\d/.test(tag[1])) {
      if (tag[1].toLowerCase() === "offset") offset = Number(tag[2]) / 1000 || 0;
      continue;
    }
    const times = [];
    let rest = source.trim();
    for (let found; (found = /^\[(\d{1,4}):(\d{1,2})(?:[.:,](\d{1,3}))?\]\s*/.exec(rest)); ) {
      times.push(found[1] * 60 + +found[2] + Number(`0.${found[3] ?? 0}`));
      rest = rest.slice(found[0].length);
    }
    rest = rest.replace(/<\d+:\d+(?:[.:,]\d+)?>\s?/g, "").trim();
    if (times.length === 0) lines.push({ time: null, text: rest });
    for (const time of times) lines.push({ time: Math.max(0, time - offset), text: rest });
  }
  const isTimed = lines.some((line) => line.time !== null);
  if (!isTimed) return { isTimed, lines };
  let place = -1;
  const placed = lines.map((line) => ({ ...line, place: (place = line.time ?? place) }));
  const kept = placed.filter((line) => line.time !== null || line.text).sort((a, b) => a.place - b.place);
  return { isTimed, lines: kept.map(({ time, text }) => ({ time, text })) };
}

/** @returns {number} the line that is current at a time into the song: of those that begin together the first; or -1 */
export function lineAt(lines, seconds) {
  const last = lines.findLast((line) => line.time !== null && line.time <= seconds);
  return last ? lines.findIndex((line) => line.time === last.time) : -1;
}
