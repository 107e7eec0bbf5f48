import { Credits, sizeOf } from "./credits.js";
import { EventBatch } from "./eventbatch.js";
import type { HostMessage } from "./protocol.js";

/** Most bytes, and messages, that wait for a page that takes nothing: beyond, it has lost its place here. */
const WAITING = 16 << 20;
const MESSAGES = 10_000;

/** What an outbox needs of its session. */
export interface OutboxUse {
  /** Whether the page takes messages, as far as anybody knows. */
  readonly isHere: boolean;
  /** Events have just been sent. */
  sentEvents(): void;
  /** More waits than may. */
  full(): void;
}

/** What a host sends to one page, in its order: within the page's credit, and while it takes messages. */
export class PortOutbox {
  readonly #port: MessagePort;
  readonly #use: OutboxUse;
  readonly #credits = new Credits();
  readonly #batch = new EventBatch();
  #flushing = false;
  #queue: [message: HostMessage, transfer: Transferable[]][] = [];
  #queued = 0;
  /** Facts that wait, by their client: newer ones go into the same message. */
  readonly #facts = new Map<number, object>();
  /** Messages that could not cross. */
  dropped = 0;

  constructor(port: MessagePort, use: OutboxUse) {
    this.#port = port;
    this.#use = use;
  }

  /** Whether what is sent now goes at once. */
  get takes(): boolean {
    return this.#use.isHere && this.#credits.any && this.#queue.length === 0;
  }

  /** Adds an event to those of the same task. */
  event(call: number, kind: number, position: number, text: string, stream: number): void {
    this.#batch.add(call, kind, position, text, stream);
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => this.flush()); // with all that the same chunk of a stream has brought
  }

  /** Sends the events that are gathered. */
  flush(): void {
    this.#flushing = false;
    if (this.#batch.isEmpty) return;
    const { heads, text } = this.#batch.take();
    const message = { t: "events", heads, text } as const;
    // Beyond the page's credit there are but the last of a stream that waits for it from then on.
    if (this.#queue.length === 0) this.#post(message, [heads.buffer]);
    else this.#wait(message, [heads.buffer]);
    this.#use.sentEvents();
  }

  /** Sends a message behind all that came before it, at once or when the page takes it. */
  send(message: HostMessage, transfer: Transferable[] = []): void {
    this.flush();
    if (this.takes) return this.#post(message, transfer);
    if (message.t === "facts") {
      const waiting = this.#facts.get(message.client);
      this.#facts.set(message.client, waiting ?? message.facts);
      if (waiting) return void Object.assign(waiting, message.facts);
    }
    this.#wait(message, transfer);
  }

  /** The page has taken so many bytes. Reports whether sending may go on that could not. */
  taken(bytes: number): boolean {
    return this.#credits.add(bytes);
  }

  /** Sends what waits, as far as the page takes it. */
  goOn(): void {
    this.flush(); // behind what waits
    const queue = this.#queue;
    this.clear();
    for (const [message, transfer] of queue) this.send(message, transfer);
  }

  /** Nothing waits any more. */
  clear(): void {
    this.#queue = [];
    this.#queued = 0;
    this.#facts.clear();
  }

  #wait(message: HostMessage, transfer: Transferable[]): void {
    if ((this.#queued += sizeOf(message)) > WAITING || this.#queue.push([message, transfer]) > MESSAGES) this.#use.full();
  }

  #post(message: HostMessage, transfer: Transferable[]): void {
    const size = (message.size = sizeOf(message));
    this.#credits.spend(size);
    try {
      this.#port.postMessage(message, transfer);
    } catch (error) {
      this.dropped++; // data that cannot cross, of a server's or an app's
      reportError(error);
    }
  }
}
