// How much may wait for the readers of one client: events, and bytes of them.

/** Events that wait for one reader, unless limits.backlog says otherwise. */
const EVENTS = 100_000;
/** Bytes of those, unless limits.backlogBytes says otherwise: as much as the store keeps. */
const BYTES = 64 << 20;
/** Bytes of what waits for all readers of a client, unless limits.backlogTotal says otherwise. */
const TOTAL = 256 << 20;

/** Bytes that an event takes beside its text. */
export const EACH = 64;
/** Shorter texts are not looked through. */
const SHORT = 1024;
/** Characters that JavaScript does not store in one byte. */
const WIDE = /[^\x00-\xff]/;

/** Bytes that an event with this text takes, about. */
export function bytesOf(text: string): number {
  return EACH + (text.length > SHORT && !WIDE.test(text) ? text.length : 2 * text.length);
}

/** The bounds of one client, and what waits there for its readers. */
export class Backlog {
  readonly events: number;
  readonly bytes: number;
  readonly total: number;
  #held = 0;

  /** 0 stands for the default. */
  constructor(events = 0, bytes = 0, total = 0) {
    this.events = events || EVENTS;
    this.bytes = bytes || BYTES;
    this.total = total || TOTAL;
  }

  /** Bytes that wait for all readers. */
  get held(): number {
    return this.#held;
  }

  /**
   * True if there is room for `bytes` more beside `length` events of `waiting` bytes: one event fits where
   * none waits.
   */
  takes(length: number, waiting: number, bytes: number): boolean {
    return length < this.events &&
      (length === 0 || waiting + bytes <= this.bytes) &&
      this.#held + bytes <= this.total;
  }

  /** So many bytes more wait, or fewer. */
  add(bytes: number): void {
    this.#held += bytes;
  }
}

/**
 * The load of one queue. Most apps await a call's result and read none of its events: their queue is
 * collected as garbage, and its load counts no more.
 */
export class QueueLoad {
  readonly #queue: object;
  readonly #tally: Tally;
  #watched = false;

  constructor(queue: object, backlog: Backlog) {
    this.#queue = queue;
    this.#tally = { backlog, bytes: 0 };
  }

  /** Bytes that wait now. */
  get bytes(): number {
    return this.#tally.bytes;
  }

  /** So many bytes more wait, or fewer. */
  add(bytes: number): void {
    if (!this.#watched && bytes > 0) {
      this.#watched = true;
      garbage.register(this.#queue, this.#tally);
    }
    this.#tally.bytes += bytes;
    this.#tally.backlog.add(bytes);
  }
}

/** Apart from the queue, which it must not hold. */
interface Tally {
  readonly backlog: Backlog;
  bytes: number;
}

const garbage = new FinalizationRegistry<Tally>(({ backlog, bytes }) => backlog.add(-bytes));
