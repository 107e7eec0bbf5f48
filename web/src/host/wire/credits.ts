/** Bytes that may be on their way to a page that has not said that it took them. */
const MOST = 8 << 20;
/** Depth in a message beyond which values are not weighed. */
const DEEPEST = 50;
/** A page says so after so many: far fewer than may be on their way, and no message is sent for less. */
const EVERY = 1 << 20;

/** Bytes that a host may still send to a page. A page that hangs or is frozen is sent no more. */
export class Credits {
  readonly #most: number;
  #sent = 0;

  /** `most` is the number of bytes that may be under way. */
  constructor(most: number = MOST) {
    this.#most = most;
  }

  /** True if the host may send more, as after 7 of 8 MiB. */
  get any(): boolean {
    return this.#sent < this.#most;
  }

  /** Adds bytes that were sent. */
  spend(bytes: number): void {
    this.#sent += bytes;
  }

  /** The page has taken so many; a page that says more than it got gains nothing. Reports whether sending may go on that could not. */
  add(bytes: number): boolean {
    const before = this.any;
    this.#sent = Math.max(0, this.#sent - bytes);
    return !before && this.any;
  }
}

/** Bytes that a page has taken and has not reported yet. */
export class Taken {
  readonly #say: (bytes: number) => void;
  #bytes = 0;

  constructor(say: (bytes: number) => void) {
    this.#say = say;
  }

  /** Adds bytes that were taken. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < EVERY) return;
    this.#say(this.#bytes);
    this.#bytes = 0;
  }
}

/** Size of a message with all of its members, in bytes, approximately. */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== "object" || value === null || depth > DEEPEST) return 8;
  let size = 16;
  for (const [name, member] of Object.entries(value)) size += name.length + sizeOf(member, depth + 1);
  return size;
}
