// Of which client a message to a page is, where it does not say so itself: calls, an agent's sessions
// and answers have numbers of their own.

import type { HostMessage, PageMessage } from "../wire/protocol.js";

/** A client of a page's, and what it has asked for. */
export interface Addressee {
  /** The page's number for the client. */
  readonly client: number;
  /** What it is told where that ends. */
  readonly op: string;
  /** The page's number for what it reads in several asks. */
  readonly read?: number;
}

/** What is read of the store, and no client ends: answers are those of the user who has asked. */
const READS: ReadonlySet<string> = new Set(["reread", "stored", "recorded"]);

/** The clients of one page, by the numbers of what goes there. */
export class Addressees {
  /** Of calls and sessions, until the page has heard that they are forgotten. */
  readonly #calls = new Map<number, Addressee>();
  /** Of what the page asks, until it has the answer. */
  readonly #asks = new Map<number, Addressee>();
  /** What is being read for the last user of a client. */
  readonly #takenBack = new Set<number>();
  /** Of what is read in several asks, by the page's number for it: the call may be forgotten meanwhile. */
  readonly #reads = new Map<number, number>();

  /** The page has said that. */
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

  /** That is for the page. */
  sends(message: HostMessage): void {
    if (message.t === "call") this.#calls.set(message.call, { client: message.client, op: message.method });
    else if (message.t === "session") this.#calls.set(message.session, { client: message.client, op: "session" });
  }

  /** The page has that. */
  sent(message: HostMessage): void {
    if (message.t === "forgotten") this.letGo(message.call);
    if (message.t !== "answered") return;
    const { read } = this.#asks.get(message.ask) ?? {};
    if (read !== undefined && (message.value as { done?: boolean } | undefined)?.done !== false) this.#reads.delete(read);
    this.#asks.delete(message.ask);
    this.#takenBack.delete(message.ask);
  }

  /** Nothing more goes to the page under that number. */
  letGo(call: number): void {
    this.#calls.delete(call);
  }

  /** Whose that call or session is; what an agent does outside of all sessions has its client's number. */
  ofCall(call: number): Addressee {
    return this.#calls.get(call) ?? { client: call, op: "call" };
  }

  /** Who has asked for that; undefined where that is no client. */
  ofAsk(ask: number): Addressee | undefined {
    return this.#asks.get(ask);
  }

  /**
   * What is being read of that client's store is its last user's. All else that the page has asked, the client
   * itself ends, or carries out for the new user where it has waited for that one's token (fault 349).
   */
  takeBack(client: number): void {
    for (const [ask, of] of this.#asks) if (of.client === client && READS.has(of.op)) this.#takenBack.add(ask);
  }

  /** Whether the answer to that is for the last user of its client. */
  isTakenBack(ask: number): boolean {
    return this.#takenBack.has(ask);
  }
}
