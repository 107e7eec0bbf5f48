// The span table: how Go hands records to JavaScript. The layout is described
// once, in jsbridge/doc.go; jsbridge/table.go is the other half.

import { CHUNK_BYTES, Kind, RECORD_WORDS } from "../base/border.js";
import { decodeOps } from "./ops.js";
import { byteString } from "../base/bytestring.js";
import type { Op } from "../storage/storage.js";

/** One record, decoded: nothing in it points into wasm memory any more. */
export interface TableRecord {
  kind: number;
  client: number;
  id: number;
  number: number;
  sub: number;
  extra: number;
  /** UTF-8 payload as a string; empty where there are parts. */
  text: string;
  /** Fetch and Socket only: the parts of the frame, as byte strings. */
  parts: string[];
  /** The request body of Fetch, the events of Replay, the payload of Tabs; null for none. */
  body: Uint8Array<ArrayBuffer> | null;
  /** Store only. */
  ops: readonly Op[];
}

/** Payload of an input, beside its numbers: a text, bytes, or a frame of both (jsbridge/frame.go). */
export type Payload = string | Uint8Array | readonly (string | Uint8Array)[];

/** The part of a frame that has numbers. */
export function numbers(...list: number[]): Uint8Array {
  return new Uint8Array(new Float64Array(list).buffer);
}

/** Writes inputs into Go's buffer and reads the records it answers with. */
export class Table {
  readonly #memory: WebAssembly.Memory;
  readonly #header: number;
  readonly #reserve: (bytes: number) => number;
  readonly #utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(0);
  #words = new Uint32Array(0);
  /** Chunks since one that was ASCII: where texts are not, one of {@link TRIES} is decoded as a whole, to see whether they are again. */
  #wide = 0;

  constructor(memory: WebAssembly.Memory, header: number, reserve: (bytes: number) => number) {
    this.#memory = memory;
    this.#header = header;
    this.#reserve = reserve;
  }

  /** The answer word of the last export: the id of a call. */
  get answer(): number {
    this.#refresh(); // an export may have answered without a record, and memory may have grown in it
    return this.#head(4);
  }

  /** Bytes that one chunk may have. */
  readonly chunkBytes: number = CHUNK_BYTES;

  /** Writes what an input comes with into the input buffer. Returns how many bytes that are. */
  write(payload: Payload): number {
    if (typeof payload === "string") return payload === "" ? 0 : this.writeText(payload);
    return payload instanceof Uint8Array ? this.writeBytes(payload) : this.writeFrame(payload);
  }

  /** Copies bytes into the input buffer. Returns their number. */
  writeBytes(bytes: Uint8Array): number {
    this.#room(bytes.length).set(bytes);
    return bytes.length;
  }

  /** Encodes text into the input buffer. Returns its length in bytes. */
  writeText(text: string): number {
    // UTF-8 needs at most three bytes for each UTF-16 unit. Room for that is
    // cheap while it is there anyway; beyond it, wasm memory would grow by three
    // times the text and never shrink.
    if (text.length * 3 > this.chunkBytes) return this.writeBytes(this.#encoder.encode(text));
    return this.#encoder.encodeInto(text, this.#room(text.length * 3)).written;
  }

  /** Writes a frame of texts and bytes into the input buffer. Returns its length in bytes. */
  writeFrame(parts: readonly (string | Uint8Array)[]): number {
    let most = 0;
    for (const part of parts) most += 4 + (typeof part === "string" ? part.length * 3 : part.length);
    if (most > this.chunkBytes) { // as in writeText
      parts = parts.map((part) => (typeof part === "string" ? this.#encoder.encode(part) : part));
      most = parts.reduce((sum, part) => sum + 4 + part.length, 0);
    }
    const room = this.#room(most);
    const view = new DataView(room.buffer, room.byteOffset, room.length);
    let at = 0;
    for (const part of parts) {
      let n = part.length;
      if (typeof part === "string") n = this.#encoder.encodeInto(part, room.subarray(at + 4)).written;
      else room.set(part, at + 4);
      view.setUint32(at, n, true);
      at += 4 + n;
    }
    return at;
  }

  /**
   * Decodes the records of the last export. Payloads that lie in the input
   * buffer are cut out of one decoded string where the chunk is ASCII, which
   * costs one decode per chunk rather than one per event. Where it is not, that one was in vain.
   */
  read(count: number, chunk: number): TableRecord[] {
    this.#refresh();
    const records: TableRecord[] = new Array(count);
    const input = this.#head(2);
    let at = this.#head(1) >>> 2;
    let decoded: string | undefined;
    const isWhole = count > 1 && this.#wide % TRIES === 0;
    if (count > 1 && this.#wide > 0) this.#wide++;
    for (let i = 0; i < count; i++, at += RECORD_WORDS) {
      const words = this.#words;
      const kind = words[at]!;
      const address = words[at + 5]!;
      const length = words[at + 6]!;
      const record: TableRecord = {
        kind,
        client: words[at + 1]!,
        id: words[at + 2]!,
        number: words[at + 3]!,
        sub: words[at + 4]!,
        extra: words[at + 7]!,
        text: "",
        parts: NO_PARTS,
        body: null,
        ops: NO_OPS,
      };
      if (kind === Kind.Fetch) {
        record.parts = this.#parts(address, length);
        const size = record.extra;
        // A copy: fetch reads the body after memory may have changed.
        if (size > 0) record.body = this.#bytes.slice(record.number, record.number + size);
      } else if (kind === Kind.Replay || kind === Kind.Tabs) {
        record.body = this.#bytes.slice(address, address + length);
      } else if (kind === Kind.Socket) {
        record.parts = this.#parts(address, length);
      } else if (kind === Kind.Store) {
        // Copies: the core reuses its memory before the transaction is over.
        record.ops = decodeOps(this.#bytes.subarray(address, address + length), true);
      } else if (length > 0) {
        const offset = address - input;
        if (isWhole && offset >= 0 && offset + length <= chunk) {
          if (decoded === undefined) {
            decoded = this.#utf8.decode(this.#bytes.subarray(input, input + chunk));
            if (decoded.length === chunk) this.#wide = 0;
            else if (this.#wide === 0) this.#wide = 1;
          }
          record.text =
            decoded.length === chunk
              ? decoded.slice(offset, offset + length)
              : this.#utf8.decode(this.#bytes.subarray(address, address + length));
        } else {
          record.text = this.#utf8.decode(this.#bytes.subarray(address, address + length));
        }
      }
      records[i] = record;
    }
    return records;
  }

  /** Splits a frame into byte strings, one character per byte. */
  #parts(address: number, length: number): string[] {
    const view = new DataView(this.#memory.buffer);
    const parts: string[] = [];
    const end = address + length;
    for (let at = address; at < end; ) {
      const n = view.getUint32(at, true);
      parts.push(byteString(this.#bytes.subarray(at + 4, at + 4 + n)));
      at += 4 + n;
    }
    return parts;
  }

  #room(bytes: number): Uint8Array {
    this.#refresh();
    if (bytes > this.#head(3)) {
      this.#reserve(bytes);
      this.#refresh();
    }
    const input = this.#head(2);
    return this.#bytes.subarray(input, input + this.#head(3));
  }

  #head(word: number): number {
    return this.#words[(this.#header >>> 2) + word]!;
  }

  // A view is detached when memory grows, which any export may cause.
  #refresh(): void {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer as ArrayBuffer);
      this.#words = new Uint32Array(this.#memory.buffer);
    }
  }
}

/** One of so many chunks is decoded as a whole where the last ones were not ASCII. */
const TRIES = 8;
const NO_PARTS: string[] = [];
const NO_OPS: Op[] = [];
