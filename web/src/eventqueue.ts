import { HoldfastError } from "./errors.js";

/** Events waiting for a slow reader above which its stream is not read further, and below which it is again. */
const HIGH_WATER = 4096;
const LOW_WATER = 1024;

/**
 * How long a reader may hold one event, in ms, before it counts as not reading:
 * a call that nobody iterates never pauses its stream (a loop that awaits the
 * call's own result inside would otherwise wait for ever).
 */
const READER_PATIENCE = 10_000;

/** What a queue is made from. */
export interface QueueUse<Raw, Event> {
  /** Most events that wait for a reader. */
  limit: number;
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
    if (use.early !== false) this.#backlog = new Fifo(use.limit);
  }

  /** Adds an event for every reader. Runs no app code. */
  push(raw: Raw): void {
    this.#backlog?.push(raw);
    let long = false;
    for (const reader of this.#readers) if (!reader.hand(raw) && reader.queue.push(raw) > HIGH_WATER) long = true;
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
    const queue = this.#backlog ?? new Fifo<Raw>(this.#use.limit);
    const reader = new Reader<Raw, Event>(queue, {
      decode: (raw) => this.#use.decode(raw),
      ended: () => this.#ended,
      error: () => this.#error ?? overflow(queue.dropped),
      moved: () => {
        if (this.#paused && reader.queue.length < LOW_WATER) this.#balance();
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
    let longest = 0;
    for (const reader of this.#readers) if (reader.active()) longest = Math.max(longest, reader.queue.length);
    if (!this.#paused && longest > HIGH_WATER && !this.#ended) {
      this.#paused = true;
      this.#use.pause?.(true);
      // A reader that stops asking says nothing: look again when its patience
      // has run out.
      this.#watch = setInterval(() => this.#balance(), READER_PATIENCE);
    } else if (this.#paused && (longest < LOW_WATER || this.#ended)) {
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
    message: `${dropped} events were dropped: more than limits.backlog waited for this reader`,
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
 * Beyond the bound items are dropped and counted: neither a stream nor a result
 * waits for a reader that does not come.
 */
class Fifo<T> {
  readonly #limit: number;
  #items: (T | undefined)[] = [];
  #head = 0;
  /** How many items were dropped. */
  dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** Returns how many items wait. */
  push(item: T): number {
    const length = this.length;
    if (length < this.#limit) return this.#items.push(item) - this.#head;
    this.dropped++;
    return length;
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}
