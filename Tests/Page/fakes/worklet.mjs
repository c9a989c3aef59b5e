/** AudioWorkletGlobalScope and AudioWorkletNode, as far as the page's processor and its sink use them. */
const scope = { port: null, processors: new Map() };

globalThis.AudioWorkletProcessor = class {
  constructor() { this.port = scope.port; }
};
globalThis.registerProcessor = (name, Processor) => scope.processors.set(name, Processor);
globalThis.currentFrame = 0;
globalThis.sampleRate = 48_000;
await import("../../../Sources/App/WebPage/page/worklet.js");

/** Frames that a processor renders at once. */
const QUANTUM = 128;

export class FakeWorkletNode {
  /** Messages that are on their way to the processor, which takes them before it renders: copies, as between threads. */
  #messages = [];
  #gain = null;
  #isStill = false;

  constructor(context, name, { outputChannelCount }) {
    this.channels = outputChannelCount[0];
    this.context = context;
    this.port = {
      onmessage: null, postMessage: (data, transfer) => this.#messages.push(structuredClone(data, { transfer })),
    };
    scope.port = { onmessage: null, postMessage: (data) => this.port.onmessage?.({ data: structuredClone(data) }) };
    globalThis.sampleRate = context.sampleRate;
    this.processor = new (scope.processors.get(name))();
    context.nodes.add(this);
  }

  connect(gain) { this.#gain = gain; }
  disconnect() { this.#gain = null; }

  /** Holds messages back, as a busy thread does. */
  hold(isStill) { this.#isStill = isStill; }

  fail() {
    this.context.nodes.delete(this);
    this.onprocessorerror?.();
  }

  render(from, to, output) {
    globalThis.currentFrame = from;
    if (!this.#isStill) {
      for (const data of this.#messages.splice(0)) this.processor.port.onmessage({ data });
    }
    for (let frame = from; frame < to; frame += QUANTUM) {
      globalThis.currentFrame = frame;
      const outputs = Array.from({ length: this.channels }, () => new Float32Array(QUANTUM));
      if (!this.processor.process([], [outputs], {})) throw new Error("the processor has ended");
      if (!this.#gain) continue;
      outputs.forEach((samples, channel) => samples.forEach((value, i) => {
        if (frame + i < output[channel].length) output[channel][frame + i] += this.#gain.gain.value * value;
      }));
    }
  }
}
