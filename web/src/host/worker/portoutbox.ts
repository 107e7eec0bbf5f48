import { Addressees } from "./addressees.js";
import { Credits, sizeOf } from "../wire/credits.js";
import { EventBatch } from "../wire/eventbatch.js";
import type { HostMessage } from "../wire/protocol.js";
import { answerTakenBack } from "./takenback.js";
import { WaitingMessages } from "./waitingmessages.js";

/**
 * How long events wait, in ms, after a message of events. Of a fast stream, what a page pays is the message more than what is in
 * it: measured in Chromium 156, 90 us of its main thread for each one of 60 KB, whatever becomes of it. Four of a stream's
 * chunks in one message took 30 % less for events of 2 KB. An event that comes alone goes at once.
 */
const APART = 4;

/** Members that an outbox needs of its session. */
export interface OutboxUse {
  /** True if the page takes messages, as far as the host knows. */
  readonly isHere: boolean;
  /** Events have just been sent. */
  sentEvents(): void;
  /** More waits than may: has it made less ({@link PortOutbox.lessen}). */
  full(): void;
}

/**
 * Messages of a host to one page, in their order: sent within the page's credit, and while the page takes
 * messages.
 */
export class PortOutbox {
  readonly #port: MessagePort;
  readonly #use: OutboxUse;
  readonly #credits: Credits;
  /** Client that each message belongs to. */
  readonly addressees: Addressees = new Addressees();
  readonly #batch = new EventBatch();
  #flushing = false;
  /** Runs while events wait for each other. */
  #rest: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new WaitingMessages();
  /** Numbers under which nothing more comes. */
  readonly #over = new Set<number>();
  /** True while the waiting messages are being reduced. */
  #lessening = false;
  /** Messages that could not cross. */
  dropped = 0;

  constructor(port: MessagePort, use: OutboxUse, credits: Credits) {
    this.#port = port;
    this.#credits = credits;
    this.#use = use;
  }

  /** True if a message that is sent now goes at once. */
  get takes(): boolean {
    return this.#use.isHere && this.#credits.any && this.#waiting.isEmpty;
  }

  /** Adds an event to those of the same task. */
  event(call: number, kind: number, position: number, text: string, stream: number): void {
    this.#batch.add(call, kind, position, text, stream);
    if (this.#rest !== undefined) return this.#batch.isFull ? this.flush() : undefined;
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => this.flush()); // with all that the same chunk of a stream has brought
  }

  /** Sends the events that are gathered. */
  flush(): void {
    this.#flushing = false;
    if (this.#batch.isEmpty) return;
    const { heads, texts } = this.#batch.take();
    const message = { t: "events", heads, texts } as const;
    // Beyond the page's credit there are but the last of a stream that waits for it from then on.
    if (this.#waiting.isEmpty) this.#post(message, [heads.buffer]);
    else this.#wait(message, [heads.buffer]);
    this.#rest ??= setTimeout(() => {
      this.#rest = undefined;
      this.flush();
    }, APART);
    this.#use.sentEvents();
  }

  /** Sends a message behind all that came before it, at once or when the page takes it. */
  send(message: HostMessage, transfer: Transferable[] = []): void {
    this.flush();
    const { addressees } = this;
    addressees.sends(message);
    const sent = message.t === "answered" && addressees.isTakenBack(message.ask) ? answerTakenBack(message, addressees) : message;
    if (this.takes) return this.#post(sent, transfer);
    this.#wait(sent, transfer);
  }

  /** Leaves of what waits what the page needs, as {@link WaitingMessages.lessen} has it. */
  lessen(...which: Parameters<WaitingMessages["lessen"]>): void {
    for (const message of this.#waiting.lessen(...which)) this.addressees.sent(message);
  }

  /** True if more messages wait that the page needs than any page would ask for. */
  get isEndless(): boolean {
    return this.#waiting.isEndless;
  }

  /** Takes back what waits for the page of the client's last user: the client's user is another one. */
  takeBack(client: number): void {
    const { addressees } = this;
    this.#batch.addAll(this.#batch.take(), (call) => addressees.ofCall(call).client !== client);
    this.#waiting.takeBack(client, addressees);
    addressees.takeBack(client);
  }

  /**
   * Releases a number, under which no message goes to the page any more. The number's client is known as long
   * as a message waits.
   */
  letGo(number: number): void {
    this.flush();
    this.#over.add(number);
    this.#letGoOfOver();
  }

  #letGoOfOver(): void {
    if (!this.#waiting.isEmpty) return;
    for (const number of this.#over) this.addressees.letGo(number);
    this.#over.clear();
  }

  /** The page has taken so many bytes. Reports whether sending may go on that could not. */
  taken(bytes: number): boolean {
    return this.#credits.add(bytes);
  }

  /** Sends what waits, as far as the page takes it. */
  goOn(): void {
    this.#lessening = true; // not before all wait again in their order: what is said of it stands behind it
    this.flush(); // behind what waits
    for (const [message, transfer] of this.#waiting.take()) this.send(message, transfer);
    this.#lessening = false;
    this.#letGoOfOver();
  }

  /** Drops all waiting messages. */
  clear(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#waiting.take();
  }

  #wait(message: HostMessage, transfer: Transferable[]): void {
    if (!this.#waiting.add(message, transfer) || this.#lessening) return;
    this.#lessening = true;
    this.#use.full();
    this.#lessening = false;
  }

  #post(message: HostMessage, transfer: Transferable[]): void {
    const size = (message.size = sizeOf(message));
    this.#credits.spend(size);
    this.addressees.sent(message);
    try {
      this.#port.postMessage(message, transfer);
    } catch (error) {
      this.dropped++; // data that cannot cross, of a server's or an app's
      reportError(error);
    }
  }
}
