// Messages that wait for a page that takes none. The page may be frozen, or hang, for hours, while its
// clients continue for other pages: the waiting messages stay bounded. No message is lost that is stored, or
// that others still have. The page learns that it has missed the rest.

import { HoldfastError } from "../../base/errors.js";
import type { Addressees } from "./addressees.js";
import { sizeOf } from "../wire/credits.js";
import { type ErrorData, errorData } from "../wire/errordata.js";
import type { HostMessage } from "../wire/protocol.js";
import { takenBack, type Waiting } from "./takenback.js";

/** Bytes, and messages, that may wait beside what is needed: beyond, what waits is made less. */
const BYTES = 16 << 20;
const MESSAGES = 10_000;
const ENDLESS = { messages: 50_000, bytes: 256 << 20 };
/** A message of fewer bytes stays as it is. */
const SMALL = 1 << 10;
/** How many broken rules, calls that have left the store, and small notifications of an agent a page hears of at most. */
const REPORTS = 100;

type Emit = Extract<HostMessage, { t: "emit" }>;

/** The messages for one page, in their order. */
export class WaitingMessages {
  #all: Waiting[] = [];
  #bytes = 0;
  /** Messages and bytes that had to stay when the waiting messages were last reduced. */
  #needed = { messages: 0, bytes: 0 };
  /** Facts that wait, by their client: newer ones go into the same message. */
  readonly #facts = new Map<number, object>();

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** True if the page needs more messages than any page would ask for: it asks, and takes no answers. */
  get isEndless(): boolean {
    return this.#needed.messages > ENDLESS.messages || this.#needed.bytes > ENDLESS.bytes;
  }

  /** Adds a message. Reports whether there is too much: {@link WaitingMessages.lessen}. */
  add(message: HostMessage, transfer: Transferable[]): boolean {
    if (message.t === "facts") {
      const waiting = this.#facts.get(message.client);
      this.#facts.set(message.client, waiting ?? message.facts);
      if (waiting) {
        Object.assign(waiting, message.facts);
        return false;
      }
    }
    this.#all.push([message, transfer]);
    this.#bytes += sizeOf(message);
    return this.#bytes > this.#needed.bytes + BYTES || this.#all.length > this.#needed.messages + MESSAGES;
  }

  /** All of them; none wait from then on. */
  take(): Waiting[] {
    const all = this.#all;
    this.#all = [];
    this.#bytes = 0;
    this.#needed = { messages: 0, bytes: 0 };
    this.#facts.clear();
    return all;
  }

  /** Takes back from the waiting messages all that belongs to the client's last user ({@link takenBack}). */
  takeBack(client: number, addressees: Addressees): void {
    this.#all = this.#all.flatMap((waiting) => {
      const left = takenBack(waiting, client, addressees);
      return left ? [left] : [];
    });
    this.#facts.delete(client);
    this.#bytes = bytesOf(this.#all);
  }

  /**
   * Leaves what the page needs. `holds` says whether a call's client has its outcome still: then it takes
   * no room here. `isAgents` says which clients are agents': those have no event for what was missed. Returns what goes to nobody.
   */
  lessen(holds: (call: number) => boolean, isAgents: (client: number) => boolean): HostMessage[] {
    const still = needed(this.#all, isAgents);
    const kept = new Set(still);
    const dropped = this.#all.filter((waiting) => !kept.has(waiting)).map(([message]) => message);
    const left = withoutLarge(still, holds);
    this.#all = left;
    this.#bytes = bytesOf(left);
    this.#needed = { messages: left.length, bytes: this.#bytes };
    return dropped;
  }
}

function bytesOf(all: readonly Waiting[]): number {
  return all.reduce((bytes, [message]) => bytes + sizeOf(message), 0);
}

/** Without what a later message makes needless, and without what nobody has to hear late. */
function needed(all: readonly Waiting[], isAgents: (client: number) => boolean): Waiting[] {
  const forgotten = new Set<number>();
  const withdrawn = new Set<number>();
  const seen = new Map<string, number>();
  const missed = new Set<number>();
  const unknown = new Set<number>(); // calls that the page has not heard of
  for (const [message] of all) if (message.t === "call") unknown.add(message.call);
  const asked = new Set(all.flatMap(([message]) => (message.t === "question" ? [message.question] : [])));
  const left: Waiting[] = [];
  // The newest first: what is there later is known by then.
  for (const waiting of [...all].reverse()) {
    const [message] = waiting;
    if (message.t === "forgotten" && unknown.has(message.call)) forgotten.add(message.call);
    if (message.t === "withdrawn" && asked.has(message.question)) withdrawn.add(message.question);
    if ("call" in message && forgotten.has(message.call)) continue;
    if ("question" in message && withdrawn.has(message.question)) continue;
    if (message.t === "emit" && (message.event === "log" || message.event === "notification")) {
      const isOfAgent = isAgents(message.client);
      if (!isOfAgent) missed.add(message.client);
      if (!isOfAgent || sizeOf(message) > SMALL) continue;
    }
    const [key, most] = bounded(message);
    const times = seen.get(key) ?? 0;
    if (key !== "" && times >= most) continue;
    seen.set(key, times + 1);
    left.push(waiting);
  }
  left.reverse();
  for (const client of missed) left.push([missedEvent(client), []]);
  return left;
}

/** Key of the messages of which the page needs only the last, or the last few, and their number. */
function bounded(message: HostMessage): [key: string, most: number] {
  if (message.t === "peeked") return [`peeked ${message.call}`, 1];
  if (message.t !== "emit") return ["", 0];
  const { client, event, value } = message;
  switch (event) {
    case "state": // that the user is another one counts however it stands by now
      return [`state ${client} ${"anotherUser" in value}`, 1];
    case "durability":
    case "subject":
    case "listen":
    case "status":
      return [`${event} ${client}`, 1];
    case "changed":
      return [`changed ${client} ${(value as { what: string }).what}`, 1];
    case "integrity":
    case "evicted":
    case "notification":
      return [`${event} ${client}`, REPORTS];
    default:
      return ["", 0];
  }
}

/**
 * Event for what the server said outside of any call and the page missed, as after a listen stream that was
 * away.
 */
function missedEvent(client: number): Emit {
  return { t: "emit", client, event: "listen", value: { state: "open", missed: true }, call: 0 };
}

/** Without the oldest of what is large, as long as that is too much: answers, and outcomes that are nowhere else. */
function withoutLarge(all: readonly Waiting[], holds: (call: number) => boolean): Waiting[] {
  const isElsewhere = (message: HostMessage): boolean => message.t === "settle" && holds(message.call);
  let bytes = all.reduce((sum, [message]) => sum + (isElsewhere(message) ? 0 : sizeOf(message)), 0);
  return all.map((waiting) => {
    const [message] = waiting;
    const size = sizeOf(message);
    if (bytes <= BYTES / 2 || size <= SMALL || isElsewhere(message)) return waiting;
    let small: HostMessage;
    if (message.t === "answered") small = { t: "answered", ask: message.ask, error: tooMuch(true) };
    else if (message.t === "settle") small = { t: "fail", call: message.call, error: tooMuch(false) };
    else return waiting;
    bytes -= size;
    return [small, []];
  });
}

/** Why a page does not get an answer that has come; `retryable`: it may ask again. */
function tooMuch(retryable: boolean): ErrorData {
  return errorData(new HoldfastError({ code: "limit_exceeded", op: "host", message: "the page took nothing while more came than can be kept for it", ...(retryable && { retryable }) }));
}
