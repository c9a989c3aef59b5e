/**
 * Where blocks of sound go: each begins at an exact frame of its context, and what is not due yet may be taken back.
 *
 * A sink has `play(frame, outputs, isLast)`, which takes the two channels (Float32Array) for itself; `isLast` says that
 * silence behind the block is meant. `cut(frame)` drops all from a frame on, at once. `onlate` may be called, now and
 * then, with the number of frames that were due and absent.
 */

/** Blocks as sources of the context: every browser has them. What comes late is heard late. */
export class BufferSink {
  #context;
  #output;
  #blocks = [];

  constructor(context, output) {
    this.#context = context;
    this.#output = output;
  }

  play(frame, outputs) {
    const context = this.#context;
    const [rate, count] = [context.sampleRate, outputs[0].length];
    const buffer = context.createBuffer(outputs.length, count, rate);
    outputs.forEach((output, channel) => buffer.getChannelData(channel).set(output));
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#output);
    source.start(frame / rate);
    const now = context.currentTime * rate;
    this.#blocks = this.#blocks.filter((block) => block.end > now);
    this.#blocks.push({ frame, end: frame + count, source });
  }

  cut(frame) {
    this.#blocks = this.#blocks.filter((block) => {
      if (block.frame >= frame) {
        block.source.disconnect();
        block.source.stop();
        return false;
      }
      if (block.end > frame) {
        block.end = frame;
        block.source.stop(frame / this.#context.sampleRate);
      }
      return true;
    });
  }

  close() { this.cut(0); }
}

/** Blocks by a processor on the sound's own thread (`worklet.js`). Of what comes late the rest is heard where it is due. */
export class WorkletSink {
  onlate = null;
  /** Called if the processor fails: it is silent from then on. */
  onfail = null;
  #node;

  /** @param {AudioWorkletNode} node of the processor */
  constructor(node, output) {
    this.#node = node;
    node.port.onmessage = ({ data }) => this.onlate?.(data.absent);
    node.onprocessorerror = () => this.onfail?.();
    node.connect(output);
  }

  play(frame, outputs, isLast = false) {
    this.#node.port.postMessage({ frame, outputs, isLast }, outputs.map(({ buffer }) => buffer));
  }

  cut(frame) { this.#node.port.postMessage({ cut: frame }); }

  close() {
    this.cut(0);
    this.#node.disconnect();
  }
}

/** How long a processor may take to load, ms: a first sound does not wait for more. */
const PATIENCE = 500;

/**
 * A sink by a processor, which only secure contexts (https) have.
 * @param {object} host the window, or what takes its place
 * @returns {Promise<((output: AudioNode) => WorkletSink) | null>} null where there is none, or none in time
 */
export async function workletSink(host, context) {
  if (!host.isSecureContext || !context.audioWorklet || !host.AudioWorkletNode) return null;
  try {
    const loading = context.audioWorklet.addModule(new URL("worklet.js", import.meta.url).href).then(() => true);
    const isLoaded = await Promise.race([loading, new Promise((resolve) => { host.setTimeout(resolve, PATIENCE); })]);
    if (!isLoaded) return null;
    const node = new host.AudioWorkletNode(context, "tutti", { numberOfInputs: 0, outputChannelCount: [2] });
    return (output) => new WorkletSink(node, output);
  } catch {
    return null;
  }
}
