// Clients that the messages to a page belong to, where a message does not name its client: calls, sessions of
// an agent and answers have numbers of their own.

import type { HostMessage, PageMessage } from "../wire/protocol.js";

/** A client of a page's, and what it has asked for. */
export interface Addressee {
  /** The page's number for the client. */
  readonly client: number;
  /** Operation that an error names where the client ends. */
  readonly op: string;
  /** The page's number for what it reads in several asks. */
  readonly read?: number;
}

/** Reads of the store, which no client ends. Their answers belong to the user who has asked. */
const READS: ReadonlySet<string> = new Set(["reread", "stored", "recorded"]);

/** The clients of one page, by the numbers of what goes there. */
export class Addressees {
  /** Clients of calls and sessions, until the page has heard that these are forgotten. */
  readonly #calls = new Map<number, Addressee>();
  /** Clients of the page's asks, until the page has the answer. */
  readonly #asks = new Map<number, Addressee>();
  /** Reads of the store under way for the last user of a client. */
  readonly #takenBack = new Set<number>();
  /**
   * Clients of reads that take several asks, by the page's number of the read. The call of a read may be
   * forgotten meanwhile.
   */
  readonly #reads = new Map<number, number>();

  /** Notes the client of what a message of the page asks or makes. */
  heard(message: PageMessage): void {
    if ("ask" in message) {
      const client = this.#asking(message);
      if (client === undefined) return;
      if (message.t === "reread") {
        this.#reads.set(message.read, client);
        this.#asks.set(message.ask, { client, op: message.t, read: message.read });
      } else {
        this.#asks.set(message.ask, { client, op: "op" in message ? message.op : "method" in message ? message.method : message.t });
      }
    } else if (message.t === "stop") {
      this.#reads.delete(message.read);
    } else if (message.t === "make") {
      this.#calls.set(message.call, { client: message.client, op: message.op });
    } else if (message.t === "rerun") {
      const of = this.#calls.get(message.call);
      if (of) this.#calls.set(message.as, of);
    }
  }

  #asking(message: Extract<PageMessage, { ask: number }>): number | undefined {
    if ("client" in message) return message.client;
    if (!("call" in message)) return undefined;
    return this.#calls.get(message.call)?.client ?? (message.t === "reread" ? this.#reads.get(message.read) : undefined);
  }

  /** Notes the client of a message that is to go to the page. */
  sends(message: HostMessage): void {
    if (message.t === "call") this.#calls.set(message.call, { client: message.client, op: message.method });
    else if (message.t === "session") this.#calls.set(message.session, { client: message.client, op: "session" });
  }

  /** Forgets numbers that a message, which the page now has, was the last for. */
  sent(message: HostMessage): void {
    if (message.t === "forgotten") this.letGo(message.call);
    if (message.t !== "answered") return;
    const { read } = this.#asks.get(message.ask) ?? {};
    if (read !== undefined && (message.value as { done?: boolean } | undefined)?.done !== false) this.#reads.delete(read);
    this.#asks.delete(message.ask);
    this.#takenBack.delete(message.ask);
  }

  /** Releases a number, under which no message goes to the page any more. */
  letGo(call: number): void {
    this.#calls.delete(call);
  }

  /**
   * Client that a call or session belongs to. Requests of an agent outside of all sessions have the number of
   * their client.
   */
  ofCall(call: number): Addressee {
    return this.#calls.get(call) ?? { client: call, op: "call" };
  }

  /** Client that an ask belongs to; undefined where no client has asked. */
  ofAsk(ask: number): Addressee | undefined {
    return this.#asks.get(ask);
  }

  /**
   * Marks the reads of a client's store, which belong to the client's last user. The client itself ends the
   * page's other asks. Or it carries them out for the new user, where it has waited for that user's token
   * (fault 349).
   */
  takeBack(client: number): void {
    for (const [ask, of] of this.#asks) if (of.client === client && READS.has(of.op)) this.#takenBack.add(ask);
  }

  /** True if the answer belongs to the last user of its client. */
  isTakenBack(ask: number): boolean {
    return this.#takenBack.has(ask);
  }
}
