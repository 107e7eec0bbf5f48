import { type Backlog, Waiting } from "./backlog.js";
import { HoldfastError } from "./errors.js";

/** Events waiting for a slow reader above which its stream is not read further, and below which it is again. */
const HIGH_WATER = 4096;
const LOW_WATER = 1024;
/** The same for bytes: parts of what may wait for one reader. */
const HIGH_PART = 4;
const LOW_PART = 16;

/**
 * How long a reader may hold one event, in ms, before it counts as not reading:
 * a call that nobody iterates never pauses its stream (a loop that awaits the
 * call's own result inside would otherwise wait for ever).
 */
const READER_PATIENCE = 10_000;

/** What a queue is made from. */
export interface QueueUse<Raw, Event> {
  /** How much may wait for a reader. */
  backlog: Backlog;
  /** Makes an event of what came, when it is read, if ever. */
  decode(raw: Raw): Event;
  /** Whether what comes before there is a reader waits for the first. Default true. */
  early?: boolean;
  /** The readers cannot keep up, or can again. */
  pause?(paused: boolean): void;
  /** Told each time that a reader was thrown the error at the end. */
  threw?(error: HoldfastError): void;
}

/**
 * The events of one call or session, between the runtime and its readers. Each
 * reader has a queue of its own; until there is a reader, events wait in the
 * backlog.
 */
export class EventQueue<Raw, Event> {
  readonly #use: QueueUse<Raw, Event>;
  #backlog: Fifo<Raw> | undefined;
  #readers: readonly Reader<Raw, Event>[] = [];
  #ended = false;
  #error: HoldfastError | undefined;
  #paused = false;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(use: QueueUse<Raw, Event>) {
    this.#use = use;
    if (use.early !== false) this.#backlog = new Fifo(use.backlog);
  }

  /** Bytes that wait for the first reader. */
  get waiting(): number {
    return this.#backlog?.bytes ?? 0;
  }

  /** Adds an event of so many bytes for every reader. Runs no app code. */
  push(raw: Raw, bytes: number): void {
    this.#backlog?.push(raw, bytes);
    let long = false;
    for (const reader of this.#readers) {
      if (reader.hand(raw)) continue;
      reader.queue.push(raw, bytes);
      long ||= reader.queue.over(HIGH_WATER, HIGH_PART);
    }
    if (long && !this.#paused) this.#balance();
  }

  /** No more events will come. */
  end(error: HoldfastError | undefined): void {
    this.#ended = true;
    this.#error = error;
    for (const reader of this.#readers) reader.finish();
    this.#balance();
  }

  /** Starts a reader. The first takes the backlog. */
  read(): AsyncIterableIterator<Event> {
    const queue = this.#backlog ?? new Fifo<Raw>(this.#use.backlog);
    const reader = new Reader<Raw, Event>(queue, {
      decode: (raw) => this.#use.decode(raw),
      ended: () => this.#ended,
      error: () => this.#error ?? overflow(queue.dropped),
      moved: () => {
        if (this.#paused && !reader.queue.over(LOW_WATER, LOW_PART)) this.#balance();
      },
      threw: (error) => this.#use.threw?.(error),
      left: () => {
        this.#readers = this.#readers.filter((other) => other !== reader);
        this.#balance();
      },
    });
    this.#backlog = undefined;
    this.#readers = [...this.#readers, reader];
    return reader;
  }

  #balance(): void {
    const active = this.#readers.filter((reader) => reader.active());
    const slow = (events: number, part: number): boolean => active.some(({ queue }) => queue.over(events, part));
    if (!this.#paused && !this.#ended && slow(HIGH_WATER, HIGH_PART)) {
      this.#paused = true;
      this.#use.pause?.(true);
      // A reader that stops asking says nothing: look again when its patience
      // has run out.
      this.#watch = setInterval(() => this.#balance(), READER_PATIENCE);
    } else if (this.#paused && (this.#ended || !slow(LOW_WATER, LOW_PART))) {
      this.#paused = false;
      clearInterval(this.#watch);
      this.#use.pause?.(false);
    }
  }
}

function overflow(dropped: number): HoldfastError | undefined {
  if (dropped === 0) return undefined;
  return new HoldfastError({
    code: "limit_exceeded",
    op: "events",
    message: `${dropped} events were dropped: more than limits.backlog or limits.backlogBytes waited for this reader, or limits.backlogTotal for all`,
  });
}

interface Source<Raw, Event> {
  decode(raw: Raw): Event;
  ended(): boolean;
  error(): HoldfastError | undefined;
  moved(): void;
  threw(error: HoldfastError): void;
  left(): void;
}

class Reader<Raw, Event> implements AsyncIterableIterator<Event> {
  readonly queue: Fifo<Raw>;
  readonly #source: Source<Raw, Event>;
  #waiting: { resolve: (r: IteratorResult<Event>) => void; reject: (e: unknown) => void }[] = [];
  #asked = true;
  #idleSince = 0;
  #left = false;

  constructor(queue: Fifo<Raw>, source: Source<Raw, Event>) {
    this.queue = queue;
    this.#source = source;
  }

  /**
   * Whether it has asked for an event since it was last looked at, or not long
   * before. The clock is read here, for queues that have grown long, and not for
   * each event: that would cost as much as decoding one.
   */
  active(): boolean {
    const now = performance.now();
    if (this.#asked) {
      this.#asked = false;
      this.#idleSince = now;
    }
    return now - this.#idleSince < READER_PATIENCE;
  }

  /** Gives an event to a next() that waits; false if none does. */
  hand(raw: Raw): boolean {
    if (this.#waiting.length === 0) return false;
    const { resolve, reject } = this.#waiting.shift()!;
    try {
      resolve(this.#decode(raw));
    } catch (error) {
      reject(error);
    }
    return true;
  }

  finish(): void {
    for (const waiting of this.#waiting.splice(0)) this.#last(waiting.resolve, waiting.reject);
  }

  next(): Promise<IteratorResult<Event>> {
    this.#asked = true;
    const raw = this.queue.shift();
    if (raw === undefined) {
      return new Promise((resolve, reject) => {
        if (this.#left || this.#source.ended()) this.#last(resolve, reject);
        else this.#waiting.push({ resolve, reject });
      });
    }
    this.#source.moved();
    try {
      return Promise.resolve(this.#decode(raw));
    } catch (error) {
      return Promise.reject(error as HoldfastError);
    }
  }

  return(): Promise<IteratorResult<Event>> {
    this.#leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #last(resolve: (r: IteratorResult<Event>) => void, reject: (e: unknown) => void): void {
    const error = this.#left ? undefined : this.#source.error();
    this.#leave();
    if (error) {
      reject(error);
      this.#source.threw(error);
    } else resolve({ done: true, value: undefined });
  }

  #leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.queue.clear();
    this.#source.left();
    this.finish();
  }

  /** Decodes an event for whoever waits. JSON.parse is the last judge of what a server sent. */
  #decode(raw: Raw): IteratorYieldResult<Event> {
    try {
      return { done: false, value: this.#source.decode(raw) };
    } catch (cause) {
      throw new HoldfastError({ code: "protocol_error", op: "events", message: "an event of the server's cannot be read", cause });
    }
  }
}

/**
 * A bounded first-in first-out queue whose shift does not move what is left.
 * Beyond the bounds items are dropped and counted: neither a stream nor a result
 * waits for a reader that does not come.
 */
class Fifo<T> {
  readonly #backlog: Backlog;
  #items: (T | undefined)[] = [];
  /** Of each of the items. */
  #sizes: number[] = [];
  #head = 0;
  readonly #waiting: Waiting;
  /** How many items were dropped. */
  dropped = 0;

  constructor(backlog: Backlog) {
    this.#backlog = backlog;
    this.#waiting = new Waiting(this, backlog);
  }

  /** Bytes of the items that wait. */
  get bytes(): number {
    return this.#waiting.bytes;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** Whether more items wait than that, or bytes than that part of what may wait. */
  over(items: number, part: number): boolean {
    return this.length > items || this.bytes > this.#backlog.bytes / part;
  }

  push(item: T, bytes: number): void {
    if (!this.#backlog.takes(this.length, this.bytes, bytes)) {
      this.dropped++;
      return;
    }
    this.#items.push(item);
    this.#sizes.push(bytes);
    this.#waiting.add(bytes);
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#waiting.add(-this.#sizes[this.#head]!);
    this.#items[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#sizes = this.#sizes.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#waiting.add(-this.bytes);
    this.#items = [];
    this.#sizes = [];
    this.#head = 0;
  }
}
