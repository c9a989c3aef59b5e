/** A broadcaster's messages, as the parser gives them: songs are functions of the frame, sent as 32-bit float PCM. */
export const FLOAT_PCM = (rate, channels) => (
  { codec: 0x6c70636d, rate, flags: 1, bytesPerFrame: 4 * channels, channels, bits: 32 });

/** A sine as a function of the song's frame, which may be fractional. */
export const sine = (rate, hertz = 997, amplitude = 0.5) => (frame) => amplitude * Math.sin(2 * Math.PI * hertz * frame / rate);

export class FakeSong {
  /** @param {object} song id, rate, wave(frame), length in frames, anchor { frame, session }, from */
  constructor(song) {
    Object.assign(this, { from: 0, length: Infinity, channels: 1, skew: 0 }, song);
    this.sent = this.from;
  }

  announce(playout) {
    playout.stream({ type: "stream", epoch: this.id, format: FLOAT_PCM(this.rate, this.channels), gain: 1, info: {} });
    playout.entry({ epoch: this.id, frame: this.from, lost: 0 });
  }

  place(playout, { frame, session }) {
    this.anchor = { frame, session };
    playout.anchor({
      type: "anchor", epoch: this.id, frame, session, framesPerSecond: this.rate * (1 + this.skew * 1e-6) });
  }

  /** Sends packets up to a frame, and the end. */
  send(playout, to) {
    while (this.sent < Math.min(to, this.length)) {
      const count = Math.min(1024, this.length - this.sent);
      const samples = new DataView(new ArrayBuffer(count * 4 * this.channels));
      for (let i = 0; i < count; i += 1) {
        for (let c = 0; c < this.channels; c += 1) {
          samples.setFloat32(4 * (i * this.channels + c), this.wave(this.sent + i, c), true);
        }
      }
      playout.packets({
        epoch: this.id, position: this.sent, frameCount: count, packetCount: 1, data: new Uint8Array(samples.buffer) });
      this.sent += count;
      if (this.sent === this.length) playout.streamEnd({ epoch: this.id, frame: this.length });
    }
  }
}
