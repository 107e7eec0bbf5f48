/** Bytes that a buffer begins with. */
const FIRST = 1024;

/**
 * The output of a terminal. It only grows: each `bytes` is a view of the output up to then, and stays as it
 * is. Adding copies none of the rest.
 */
export class Output {
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #length = 0;
  #text = "";
  // A byte order mark is the terminal's business.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  /** All of it. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** The output as text, without a last character that is not complete yet. */
  get text(): string {
    return this.#text;
  }

  /** Adds bytes in base64; throws where it is none. */
  add(data: string): void {
    const bytes = fromBase64(data);
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) {
      const buffer = new Uint8Array(Math.max(FIRST, needed, 2 * this.#buffer.length));
      buffer.set(this.bytes);
      this.#buffer = buffer;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
    this.#text += this.#decoder.decode(bytes, { stream: true });
  }
}

function fromBase64(data: string): Uint8Array {
  const binary = atob(data);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
