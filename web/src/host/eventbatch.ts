// Events of calls as they cross a port: one message for all of a task. Their numbers lie
// in one transferred buffer; their texts are one string, which browsers copy faster
// than bytes that both sides would have to transcode, and which is cut without a copy.

/** Numbers of each event: call, kind and stream state in one, position, end of its text. */
const HEAD = 4;

/** Gathers events until they are sent. */
export class EventBatch {
  #heads = new Uint32Array(64 * HEAD);
  #used = 0;
  #texts: string[] = [];
  #length = 0;

  /** Whether there is any. */
  get isEmpty(): boolean {
    return this.#used === 0;
  }

  /** UTF-16 units of the texts. */
  get length(): number {
    return this.#length;
  }

  add(call: number, kind: number, position: number, text: string, stream: number): void {
    if (this.#used === this.#heads.length) {
      const more = new Uint32Array(2 * this.#heads.length);
      more.set(this.#heads);
      this.#heads = more;
    }
    this.#texts.push(text);
    this.#length += text.length;
    this.#heads.set([call, (stream << 8) | kind, position, this.#length], this.#used);
    this.#used += HEAD;
  }

  /** What is there, and nothing from then on. */
  take(): { heads: Uint32Array<ArrayBuffer>; text: string } {
    const taken = { heads: this.#heads.slice(0, this.#used), text: this.#texts.join("") };
    this.#used = 0;
    this.#texts = [];
    this.#length = 0;
    return taken;
  }
}

/** Hands out the events of a message in their order. One that is not whole ends it. */
export function eachEvent(heads: Uint32Array, text: string, to: (call: number, kind: number, position: number, text: string, stream: number) => void): void {
  let start = 0;
  for (let at = 0; at + HEAD <= heads.length; at += HEAD) {
    const end = heads[at + 3]!;
    if (end < start || end > text.length) return;
    const how = heads[at + 1]!;
    to(heads[at]!, how & 0xff, heads[at + 2]!, text.slice(start, end), how >>> 8);
    start = end;
  }
}
