/**
 * Plays blocks at their exact frames, on the thread that renders (AudioWorkletGlobalScope): see `WorkletSink`.
 *
 * Messages: `{ frame, outputs, isLast }` is a block; `{ cut }` drops everything from that frame on. Frames that are due
 * and absent (a block came late, or none came behind one that was not the last) are told as `{ absent }`, once a second
 * at most. Nothing is allocated while a quantum is rendered.
 */

/** Seconds and blocks that are held at most: the page plans 2 s ahead. What is beyond is dropped, and so absent. */
const HELD = 4;
const BLOCKS = 256;

class Player extends AudioWorkletProcessor {
  /** In order of their frames. */
  #blocks = [];
  /** Whether a block is owed: the last one that ended was not to be the last. */
  #isOwed = false;
  #absent = 0;
  #told = -Infinity;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => (data.outputs ? this.#add(data) : this.#cut(data.cut));
  }

  #add({ frame, outputs, isLast }) {
    const end = frame + outputs[0].length;
    const missed = Math.min(end, currentFrame) - frame;
    if (missed > 0 && !this.#isOwed) this.#absent += missed;
    const isTooMuch = end > currentFrame + HELD * sampleRate || this.#blocks.length >= BLOCKS;
    if (end > currentFrame && !isTooMuch) this.#blocks.push({ frame, end, outputs, isLast });
    else if (end <= currentFrame) this.#isOwed = !isLast;
  }

  /** What is behind a cut is planned anew, or silence. */
  #cut(frame) {
    this.#isOwed = false;
    let kept = 0;
    for (const block of this.#blocks) {
      if (block.frame >= frame) break;
      if (block.end > frame) block.end = frame;
      this.#blocks[kept++] = block;
    }
    this.#blocks.length = kept;
    if (kept) this.#blocks[kept - 1].isLast = true;
  }

  process(_, outputs) {
    const output = outputs[0];
    const from = currentFrame;
    const to = from + output[0].length;
    let rendered = from;
    let done = 0;
    for (let index = 0; index < this.#blocks.length; index += 1) {
      const block = this.#blocks[index];
      const first = block.frame > from ? block.frame : from;
      const end = block.end < to ? block.end : to;
      if (this.#isOwed && first > rendered) this.#absent += (first < to ? first : to) - rendered;
      if (first >= to) {
        rendered = to;
        break;
      }
      for (let channel = 0; channel < output.length; channel += 1) {
        const source = block.outputs[channel];
        const target = output[channel];
        for (let f = first; f < end; f += 1) target[f - from] += source[f - block.frame];
      }
      if (end > rendered) rendered = end;
      this.#isOwed = !block.isLast;
      if (block.end <= to) done = index + 1;
    }
    if (this.#isOwed && rendered < to) this.#absent += to - rendered;
    if (done) this.#drop(done);
    if (this.#absent && from - this.#told >= sampleRate) {
      this.port.postMessage({ absent: this.#absent });
      this.#absent = 0;
      this.#told = from;
    }
    return true;
  }

  #drop(count) {
    const blocks = this.#blocks;
    for (let i = count; i < blocks.length; i += 1) blocks[i - count] = blocks[i];
    blocks.length -= count;
  }
}

registerProcessor("tutti", Player);
