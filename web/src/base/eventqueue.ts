import { type Backlog, EACH, QueueLoad } from "./backlog.js";
import { HoldfastError } from "./errors.js";

/**
 * Events waiting for a slow reader above which its stream is not read further, and below which it is again.
 */
const HIGH_WATER = 4096;
const LOW_WATER = 1024;
/**
 * The same as parts of what may wait for one reader, of bytes, and of events where an app lets few of them
 * wait.
 */
const HIGH_PART = 4;
const LOW_PART = 16;

/**
 * How long a reader may hold one event, in ms, before it counts as not reading:
 * a call that nobody iterates never pauses its stream (a loop that awaits the
 * call's own result inside would otherwise wait for ever).
 */
const READER_PATIENCE = 10_000;

/** The options of a queue. */
export interface QueueUse<Raw, Event> {
  /** How much may wait for a reader. */
  backlog: Backlog;
  /** Makes an event of what came, when it is read, if ever. */
  decode(raw: Raw): Event;
  /** True if events that come before there is a reader wait for the first reader. Default true. */
  buffered?: boolean;
  /** The readers cannot keep up, or can again. */
  pause?(paused: boolean): void;
  /** Told each time that a reader was thrown the error at the end. */
  threw?(error: HoldfastError): void;
  /**
   * The source of dropped events that a reader reads again. Without it the loop ends with `limit_exceeded`.
   */
  gaps?: Gaps<Raw>;
}

/** How a reader gets past events that were dropped. */
export interface Gaps<Raw> {
  /** The position of an event. */
  positionOf(raw: Raw): number;
  /** True if the event is stored, and may be read again. */
  isStored(raw: Raw): boolean;
  /** True if events can be read again. */
  stored(): boolean;
  /** The events in their place, and what says that some are missing. Never rejects. */
  refill(gap: Gap): AsyncIterator<Raw>;
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
    if (use.buffered !== false) this.#backlog = new Fifo(use.backlog, use.gaps);
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

  /**
   * What each reader gets from elsewhere, between what came and what comes: also one that has had nothing
   * yet.
   */
  skipped(gap: Gap): void {
    this.#backlog?.wait(gap);
    for (const reader of this.#readers) reader.skipped(gap);
  }

  /** No more events will come. */
  end(error: HoldfastError | undefined): void {
    this.#ended = true;
    this.#error = error;
    for (const reader of this.#readers) reader.finish();
    this.#balance();
  }

  /**
   * Starts a reader. The first takes the backlog. Of one that only `watches` nobody is told what it was
   * thrown.
   */
  read(watches = false): AsyncIterableIterator<Event> {
    const queue = this.#backlog ?? new Fifo<Raw>(this.#use.backlog, this.#use.gaps);
    const reader = new Reader<Raw, Event>(queue, {
      decode: (raw) => this.#use.decode(raw),
      ended: () => this.#ended,
      error: () => this.#error ?? (this.#use.gaps ? undefined : overflow(queue.dropped)),
      refill: (gap) => this.#use.gaps!.refill(gap),
      advanced: () => {
        if (this.#paused && !reader.queue.over(LOW_WATER, LOW_PART)) this.#balance();
      },
      threw: (error) => {
        if (!watches) this.#use.threw?.(error);
      },
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
    const slow = (events: number, part: number): boolean =>
      active.some(({ queue }) => queue.over(events, part));
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
    message: `${dropped} events were dropped: more than limits.backlog or limits.backlogBytes waited for ` +
      "this reader, or limits.backlogTotal for all",
  });
}

interface Source<Raw, Event> {
  decode(raw: Raw): Event;
  ended(): boolean;
  error(): HoldfastError | undefined;
  advanced(): void;
  refill(gap: Gap): AsyncIterator<Raw>;
  threw(error: HoldfastError): void;
  left(): void;
}

class Reader<Raw, Event> implements AsyncIterableIterator<Event> {
  readonly queue: Fifo<Raw>;
  readonly #source: Source<Raw, Event>;
  #waiting: { resolve: (r: IteratorResult<Event>) => void; reject: (e: unknown) => void }[] = [];
  /** The events that come in the place of dropped events, before the events that wait behind them. */
  #refill: AsyncIterator<Raw> | undefined;
  #active = true;
  #idleSince = 0;
  #left = false;

  constructor(queue: Fifo<Raw>, source: Source<Raw, Event>) {
    this.queue = queue;
    this.#source = source;
  }

  /**
   * True if the reader has asked for an event since the last check, or not long before. The clock is read
   * here, for queues that have grown long, and not for each event: that would cost as much as decoding one.
   */
  active(): boolean {
    const now = performance.now();
    if (this.#active) {
      this.#active = false;
      this.#idleSince = now;
    }
    return now - this.#idleSince < READER_PATIENCE;
  }

  /** Gives an event to a next() that waits; false if none does. */
  hand(raw: Raw): boolean {
    if (this.#waiting.length === 0 || this.#refill) return false;
    this.#give(raw);
    return true;
  }

  /** Events were dropped: the next events are read again. */
  skipped(gap: Gap): void {
    if (this.#waiting.length > 0 && !this.#refill) this.#fill(gap);
    else this.queue.wait(gap);
  }

  #give(raw: Raw): void {
    const { resolve, reject } = this.#waiting.shift()!;
    try {
      resolve(this.#decode(raw));
    } catch (error) {
      reject(error);
    }
  }

  finish(): void {
    if (this.#refill && !this.#left) return;
    for (const waiting of this.#waiting.splice(0)) this.#last(waiting.resolve, waiting.reject);
  }

  next(): Promise<IteratorResult<Event>> {
    this.#active = true;
    const raw = this.#refill ? undefined : this.queue.shift();
    if (raw === undefined || raw instanceof Gap) {
      const gap = raw;
      return new Promise((resolve, reject) => {
        if (!gap && !this.#refill && (this.#left || this.#source.ended())) return this.#last(resolve, reject);
        this.#waiting.push({ resolve, reject });
        if (gap instanceof Gap) this.#fill(gap);
        else if (this.#refill && this.#waiting.length === 1) void this.#pull();
      });
    }
    this.#source.advanced();
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

  #fill(gap: Gap): void {
    this.#refill = this.#source.refill(gap);
    void this.#pull();
  }

  /** Gives those who wait what comes in the place of a gap, and what waits behind it. */
  async #pull(): Promise<void> {
    while (this.#refill && this.#waiting.length > 0) {
      const { done, value } = await this.#refill.next();
      if (this.#left) return;
      if (done) this.#refill = undefined;
      else this.#give(value);
    }
    if (this.#refill) return;
    this.#source.advanced();
    while (this.#waiting.length > 0) {
      const raw = this.queue.shift();
      if (raw instanceof Gap) return this.#fill(raw);
      if (raw !== undefined) this.#give(raw);
      else if (this.#source.ended()) return this.finish();
      else return;
    }
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
    void this.#refill?.return?.(); // what reads for it keeps rows, maybe in a worker
    this.#refill = undefined;
    this.queue.clear();
    this.#source.left();
    this.finish();
  }

  /** Decodes an event for whoever waits. JSON.parse is the last judge of what a server sent. */
  #decode(raw: Raw): IteratorYieldResult<Event> {
    try {
      return { done: false, value: this.#source.decode(raw) };
    } catch (cause) {
      throw new HoldfastError({
        code: "protocol_error", op: "events", message: "an event of the server's cannot be read", cause,
      });
    }
  }
}

/** Events that were dropped, between two that a reader gets. */
export class Gap {
  /** The number of events; 0 where that is not known. */
  events = 0;
  /**
   * Positions of the first and the last of those that are stored; where none is, `from` is the one after
   * `to`.
   */
  from = 0;
  to = -1;

  /** Counts one more event. */
  add(position: number, isStored: boolean): void {
    this.events++;
    if (this.to < this.from) [this.from, this.to] = [position + 1, position];
    if (!isStored) return;
    this.from = Math.min(this.from, position);
    this.to = position;
  }
}

/**
 * A bounded first-in first-out queue whose shift does not move what is left.
 * Beyond the bounds items are dropped and counted: neither a stream nor a result
 * waits for a reader that does not come. Where they can be read again, all goes the
 * same way that comes before the reader has read so far.
 */
class Fifo<T> {
  readonly #backlog: Backlog;
  readonly #gaps: Gaps<T> | undefined;
  /** The last of the gaps that wait. */
  #gap: Gap | undefined;
  #items: (T | Gap | undefined)[] = [];
  /** The size of each item, in bytes. */
  #sizes: number[] = [];
  #head = 0;
  readonly #waiting: QueueLoad;
  /** How many items were dropped. */
  dropped = 0;

  constructor(backlog: Backlog, gaps: Gaps<T> | undefined) {
    this.#backlog = backlog;
    this.#gaps = gaps;
    this.#waiting = new QueueLoad(this, backlog);
  }

  /** Bytes of the items that wait. */
  get bytes(): number {
    return this.#waiting.bytes;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** True if more than `items` items wait, or more than one `part`th of the items or bytes that may wait. */
  over(items: number, part: number): boolean {
    return this.length > Math.min(items, this.#backlog.events / part) ||
      this.bytes > this.#backlog.bytes / part;
  }

  push(item: T, bytes: number): void {
    if ((this.#gap && this.#gaps!.stored()) || !this.#backlog.takes(this.length, this.bytes, bytes)) {
      this.dropped++;
      if (this.#gaps) this.#drop(item, this.#gaps);
      return;
    }
    this.#add(item, bytes);
  }

  /** A gap that others do not fall into. */
  wait(gap: Gap): void {
    this.#add(gap, EACH);
  }

  #drop(item: T, gaps: Gaps<T>): void {
    if (!this.#gap || this.#items.at(-1) !== this.#gap) this.#add((this.#gap = new Gap()), EACH);
    this.#gap.add(gaps.positionOf(item), gaps.isStored(item));
  }

  #add(item: T | Gap, bytes: number): void {
    this.#items.push(item);
    this.#sizes.push(bytes);
    this.#waiting.add(bytes);
  }

  shift(): T | Gap | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    if (item === this.#gap) this.#gap = undefined;
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
    this.#gap = undefined;
  }
}
