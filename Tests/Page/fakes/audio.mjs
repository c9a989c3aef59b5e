/** An AudioContext whose output is computed frame by frame, as far as the page's playout uses one. */
export class FakeContext {
  state = "running";
  baseLatency = 0.01;
  outputLatency = 0.02;
  /** Sources that were started too late for their first frame, or between two frames. */
  lateStarts = 0;
  fractionalTimes = 0;
  /** Seconds that pass while each of the next buffers is made: a page that renders slowly. */
  costs = [];
  #frame = 0;
  #sources = new Set();
  /** Nodes of processors. */
  nodes = new Set();
  #output;

  constructor(sampleRate, seconds) {
    this.sampleRate = sampleRate;
    this.destination = {};
    this.#output = [0, 1].map(() => new Float32Array(Math.ceil(sampleRate * seconds)));
  }

  /** Frames are rendered in whole buffers of this many. */
  static quantum = 512;

  get frame() { return this.#frame; }
  get currentTime() { return this.#frame / this.sampleRate; }
  get output() { return this.#output; }

  createGain() {
    const gain = {
      value: 1, cancelScheduledValues() {}, setValueAtTime() {}, linearRampToValueAtTime(value) { this.value = value; },
    };
    return { gain, connect() {}, disconnect() {} };
  }

  createBuffer(channels, length, sampleRate) {
    if (sampleRate !== this.sampleRate) throw new Error("a buffer of another rate would be resampled");
    this.advance(this.currentTime + (this.costs.shift() ?? 0));
    const data = Array.from({ length: channels }, () => new Float32Array(length));
    return { length, sampleRate, getChannelData: (channel) => data[channel] };
  }

  createBufferSource() {
    const context = this;
    this.onsource?.();
    return {
      buffer: null, first: null, last: Infinity, destination: null,
      connect(node) { this.destination = node; },
      disconnect() { context.#sources.delete(this); },
      start(when) {
        this.first = context.#whole(when);
        if (this.first < context.#frame) {
          context.lateStarts += 1;
          this.first = context.#frame;
        }
        context.#sources.add(this);
      },
      stop(when = 0) { this.last = Math.max(context.#whole(when), context.#frame); },
    };
  }

  #whole(time) {
    const frame = time * this.sampleRate;
    // Browsers take what is nearer than this to a frame for that frame (Chromium: 1/2048).
    if (Math.abs(frame - Math.round(frame)) > 1e-6) this.fractionalTimes += 1;
    return Math.round(frame);
  }

  /** Renders up to a time in seconds, in whole buffers. */
  advance(time) {
    while (this.#frame + FakeContext.quantum <= time * this.sampleRate + 1e-6) {
      const [from, to] = [this.#frame, this.#frame + FakeContext.quantum];
      for (const node of this.nodes) node.render(from, to, this.#output);
      for (const source of this.#sources) {
        const end = Math.min(source.last, source.first + source.buffer.length);
        for (let channel = 0; channel < 2; channel += 1) {
          const data = source.buffer.getChannelData(channel);
          const output = this.#output[channel];
          const gain = source.destination.gain.value;
          for (let f = Math.max(from, source.first); f < Math.min(to, end, output.length); f += 1) {
            output[f] += gain * data[f - source.first];
          }
        }
        if (end <= to) this.#sources.delete(source);
      }
      this.#frame = to;
    }
  }
}
