// Events of calls as they cross a port: one message for all of a task, and for those of several where
// many come (portoutbox.ts). Their numbers lie
// in one transferred buffer; their texts are one string, a JSON array, which browsers copy faster
// than bytes that both sides would have to transcode, and which is cut without a copy.

import type { ParsedTogether } from "../client/events.js";

/** Numbers of each event: call, kind and stream state in one, position, end of its text. */
const HEAD = 4;
/**
 * Texts of that length together, or so many events, are enough for one message. Of events of 2 KB the main thread takes a fifth
 * less time than with half of it, and nothing less with twice that (Chromium 156).
 */
const ENOUGH = 512 << 10;
const MOST = 1_024;

/** Gathers events until they are sent. */
export class EventBatch {
  #heads = new Uint32Array(64 * HEAD);
  #used = 0;
  #texts: string[] = [];
  /** UTF-16 units of the texts, and of what stands before each. */
  #length = 0;

  /** Whether there is any. */
  get isEmpty(): boolean {
    return this.#used === 0;
  }

  /** Whether it is as large as one message should be. */
  get isFull(): boolean {
    return this.#length >= ENOUGH || this.#used >= MOST * HEAD;
  }

  add(call: number, kind: number, position: number, text: string, stream: number): void {
    if (this.#used === this.#heads.length) {
      const more = new Uint32Array(2 * this.#heads.length);
      more.set(this.#heads);
      this.#heads = more;
    }
    this.#texts.push(text);
    this.#length += 1 + text.length;
    this.#heads.set([call, (stream << 8) | kind, position, this.#length], this.#used);
    this.#used += HEAD;
  }

  /** Adds the events of a message, but for those of calls that are not wanted. */
  addAll({ heads, text }: { heads: Uint32Array; text: string }, isWanted: (call: number) => boolean): void {
    eachEvent(heads, text, (call, kind, position, one, stream) => isWanted(call) && this.add(call, kind, position, one, stream));
  }

  /** What is there, and nothing from then on. */
  take(): { heads: Uint32Array<ArrayBuffer>; text: string } {
    const taken = { heads: this.#heads.slice(0, this.#used), text: `[${this.#texts.join(",")}]` };
    this.#used = 0;
    this.#texts = [];
    this.#length = 0;
    return taken;
  }
}

/**
 * The events of one message: their texts are parsed together when the first is read, which takes
 * less time than each by itself, and makes less garbage.
 */
class EventTexts implements ParsedTogether {
  readonly #text: string;
  readonly #count: number;
  #all: readonly unknown[] | undefined;

  constructor(text: string, count: number) {
    this.#text = text;
    this.#count = count;
  }

  parsed(at: number, text: string): unknown {
    this.#all ??= this.#parse();
    return this.#all.length > 0 ? this.#all[at] : JSON.parse(text);
  }

  /** None where one of them is no JSON: then that one alone has to fail. */
  #parse(): readonly unknown[] {
    try {
      const all = JSON.parse(this.#text) as unknown[];
      return all.length === this.#count ? all : [];
    } catch {
      return [];
    }
  }
}

/** Takes an event, `at` its place among those of its message. */
export type TakeEvent = (call: number, kind: number, position: number, text: string, stream: number, texts: ParsedTogether, at: number) => unknown;

/** Hands out the events of a message in their order. One that is not whole ends it. */
export function eachEvent(heads: Uint32Array, text: string, to: TakeEvent): void {
  const count = Math.floor(heads.length / HEAD);
  const texts = new EventTexts(text, count);
  let start = 1;
  for (let at = 0; at < count; at++) {
    const head = at * HEAD;
    const end = heads[head + 3]!;
    if (end < start || end >= text.length) return;
    const how = heads[head + 1]!;
    to(heads[head]!, how & 0xff, heads[head + 2]!, text.slice(start, end), how >>> 8, texts, at);
    start = end + 1;
  }
}
