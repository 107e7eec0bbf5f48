// The bytes of a response as they come, in pieces of at most one chunk of the core's.

/** Pieces of a body. */
export interface BodyPieces {
  /**
   * The next bytes, which are there until the next call; undefined at the end. Rejects where the connection
   * breaks.
   */
  next(): Promise<Uint8Array | undefined>;
  /** Gives the body up: nothing more of it comes. Never rejects. */
  cancel(): void;
}

/**
 * Reads a body in pieces of up to `most` bytes. One of the browser's own (`isBrowsers`) is read into one
 * buffer, again and again: the chunks that Chrome makes otherwise have up to 4 MB, each in fresh memory,
 * which the system has to hand out page by page. That halves what reading 120 MB costs the main thread
 * (Chromium 156). Undefined where there is nothing to read.
 */
export function bodyPieces(
  body: ReadableStream<Uint8Array> | null, most: number, isBrowsers: boolean,
): BodyPieces | undefined {
  const into = isBrowsers && body ? readerInto(body) : undefined;
  if (into) return new PiecesInto(into, most);
  const reader = body?.getReader?.();
  return reader && new PiecesOfChunks(reader, most);
}

/** A reader that fills a buffer; undefined where the browser's bodies are no streams of bytes. */
function readerInto(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  if (typeof ReadableStreamBYOBReader !== "function" || !(body instanceof ReadableStream)) return undefined;
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/** Bytes of the first piece, and of the next where little came: many streams say little, and wait. */
const FIRST = 4 << 10;

/** The buffer of the last body that needed a whole one and was read to its end, for the next. */
let spare: ArrayBuffer | undefined;

/**
 * Pieces that are read at once where much comes: an event of 2 KB takes the main thread 7.2 us so, and 8.2
 * with one (Chromium 156).
 */
const AT_ONCE = 4;

class PiecesInto implements BodyPieces {
  readonly #reader: ReadableStreamBYOBReader;
  readonly #most: number;
  readonly #largest: number;
  #buffer: ArrayBuffer;
  /** The part of a read that was not passed on yet. */
  #rest: Uint8Array | undefined;
  #over = false;

  constructor(reader: ReadableStreamBYOBReader, most: number) {
    this.#reader = reader;
    this.#most = most;
    this.#largest = AT_ONCE * most;
    this.#buffer = new ArrayBuffer(Math.min(FIRST, most));
  }

  async next(): Promise<Uint8Array | undefined> {
    const rest = this.#rest;
    if (rest) return this.#piece(rest);
    // it broke: its buffer went with the read
    if (this.#over || this.#buffer.byteLength === 0) return undefined;
    const { done, value } = await this.#reader.read(new Uint8Array(this.#buffer));
    if (value) this.#buffer = value.buffer; // the one that was given is detached
    if (done) {
      if (this.#buffer.byteLength === this.#largest) spare = this.#buffer;
      this.#over = true;
      return undefined;
    }
    if (value.length === this.#buffer.byteLength) this.#grow();
    else if (value.length < FIRST && this.#buffer.byteLength > FIRST) {
      this.#buffer = new ArrayBuffer(FIRST); // the larger one has what came, so that it is nobody's yet
    }
    return this.#piece(value);
  }

  /** Makes a larger buffer: a read that fills a buffer is followed by more. */
  #grow(): void {
    const size = this.#buffer.byteLength;
    if (size === this.#largest) return;
    if (size < this.#most) {
      this.#buffer = new ArrayBuffer(this.#most);
      return;
    }
    this.#buffer = spare?.byteLength === this.#largest ? spare : new ArrayBuffer(this.#largest);
    spare = undefined;
  }

  /** The next piece of what was read. */
  #piece(read: Uint8Array): Uint8Array {
    this.#rest = !this.#over && read.length > this.#most ? read.subarray(this.#most) : undefined;
    return read.length > this.#most ? read.subarray(0, this.#most) : read;
  }

  cancel(): void {
    this.#over = true;
    this.#rest = undefined;
    this.#reader.cancel().catch(() => {});
  }
}

class PiecesOfChunks implements BodyPieces {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #most: number;
  #rest: Uint8Array | undefined;

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>, most: number) {
    this.#reader = reader;
    this.#most = most;
  }

  async next(): Promise<Uint8Array | undefined> {
    const { done, value: chunk } = this.#rest
      ? { done: false, value: this.#rest }
      : await this.#reader.read();
    if (done || !chunk) return undefined; // at its end a reader of an app's may have a value, which is none
    this.#rest = chunk.length > this.#most ? chunk.subarray(this.#most) : undefined;
    return this.#rest ? chunk.subarray(0, this.#most) : chunk;
  }

  cancel(): void {
    this.#rest = undefined;
    // an app's fetch may not heed the signal; the browser's has ended by then
    this.#reader.cancel().catch(() => {});
  }
}
