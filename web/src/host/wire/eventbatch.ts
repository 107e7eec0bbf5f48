// Events of calls as they cross a port: one message for all of a task, and for those of several where
// many come (portoutbox.ts). Their numbers lie in one transferred buffer. Their texts lie in strings, each a
// JSON array of many: browsers copy those faster than bytes that both sides would have to transcode, and a text
// is cut out of one without a copy.

import type { ParsedTogether } from "../../client/events.js";

/** Numbers of each event: call, kind and stream state in one, position, end of its text. */
const HEAD = 4;
/**
 * A string is closed once its texts have that length. V8 keeps those of up to 128 KB among what is new, in memory that it
 * has. A longer one gets memory of its own, which the system has to hand out page by page: with 512 KB of events of 2 KB in
 * one string an event took the main thread 4.0 to 5.6 us, in strings of 60 KB 2.8 to 3.4; of 200 B 0.7 and 0.4 (a message
 * and JSON.parse alone, in Chromium 156).
 */
const PIECE = 60 << 10;
/** Texts of that length together, or so many events, are enough for one message: a page pays for each one, whatever is in it (portoutbox.ts). */
const ENOUGH = 512 << 10;
const MOST = 1_024;

/** The events of a message: their numbers, of which the fourth counts through the strings as if they were one, and their texts. */
export interface PackedEvents {
  heads: Uint32Array<ArrayBuffer>;
  texts: string[];
}

/** Gathers events until they are sent. */
export class EventBatch {
  #heads = new Uint32Array(64 * HEAD);
  #used = 0;
  #pieces: string[] = [];
  /** Texts of the piece that is not full. */
  #texts: string[] = [];
  /** UTF-16 units of the pieces, and of the texts with what stands before each. */
  #length = 0;
  /** Those of the full pieces. */
  #packed = 0;

  /** True if the batch has no event. */
  get isEmpty(): boolean {
    return this.#used === 0;
  }

  /** True if the batch is as large as one message should be. */
  get isFull(): boolean {
    return this.#length >= ENOUGH || this.#used >= MOST * HEAD;
  }

  add(call: number, kind: number, position: number, text: string, stream: number): void {
    if (this.#used === this.#heads.length) {
      const more = new Uint32Array(2 * this.#heads.length);
      more.set(this.#heads);
      this.#heads = more;
    }
    if (this.#length - this.#packed >= PIECE) this.#pack();
    this.#texts.push(text);
    this.#length += 1 + text.length;
    this.#heads.set([call, (stream << 8) | kind, position, this.#length], this.#used);
    this.#used += HEAD;
  }

  /** Adds the events of a message, but for those of calls that are not wanted. */
  addAll({ heads, texts }: { heads: Uint32Array; texts: readonly string[] }, isWanted: (call: number) => boolean): void {
    eachEvent(heads, texts, (call, kind, position, one, stream) => isWanted(call) && this.add(call, kind, position, one, stream));
  }

  /** Takes the events out of the batch, which is empty from then on. */
  take(): PackedEvents {
    if (this.#texts.length > 0) this.#pack();
    const taken = { heads: this.#heads.slice(0, this.#used), texts: this.#pieces };
    this.#used = 0;
    this.#pieces = [];
    this.#length = this.#packed = 0;
    return taken;
  }

  #pack(): void {
    this.#pieces.push(`[${this.#texts.join(",")}]`);
    this.#texts = [];
    this.#packed = ++this.#length; // the bracket at its end
  }
}

/**
 * The events of one string: their texts are parsed together when the first is read, which takes
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

/** Takes an event, `at` its place among those that are parsed together. */
export type TakeEvent = (call: number, kind: number, position: number, text: string, stream: number, together: ParsedTogether, at: number) => unknown;

/** Hands out a message's events one after the other. It ends with one that is not whole. A text is parsed once it is read. */
export function eachEvent(heads: Uint32Array, pieces: readonly string[], to: TakeEvent): void {
  let next = 0;
  let piece = "";
  let together = new EventTexts(piece, 0);
  /** Where the piece begins, and its first event's numbers; the next text in it. */
  let base = 0;
  let first = 0;
  let start = 0;
  for (let head = 0; head + HEAD <= heads.length; head += HEAD) {
    if (start >= piece.length) {
      base += piece.length;
      piece = pieces[next++] ?? "";
      first = head;
      let behind = head;
      while (behind + HEAD <= heads.length && heads[behind + 3]! < base + piece.length) behind += HEAD;
      together = new EventTexts(piece, (behind - head) / HEAD);
      start = 1;
    }
    const end = heads[head + 3]! - base;
    if (end < start || end >= piece.length) return;
    const how = heads[head + 1]!;
    to(heads[head]!, how & 0xff, heads[head + 2]!, piece.slice(start, end), how >>> 8, together, (head - first) / HEAD);
    start = end + 1;
  }
}
