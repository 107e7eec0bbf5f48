// Of which client a message to a page is, where it does not say so itself: calls, an agent's sessions
// and answers have numbers of their own.

import type { HostMessage, PageMessage } from "./protocol.js";

/** A client of a page's, and what it has asked for. */
export interface Addressee {
  /** The page's number for the client. */
  readonly client: number;
  readonly op: string;
}

/** What a page asks to read again of a call's events. */
const REREAD = "reread";

/** The clients of one page, by the numbers of what goes there. */
export class Addressees {
  /** Of calls and sessions, until the page has heard that they are forgotten. */
  readonly #calls = new Map<number, Addressee>();
  /** Of what the page asks, until it has the answer. */
  readonly #asks = new Map<number, Addressee>();
  /** What is being read again of calls of the last user of a client. */
  readonly #takenBack = new Set<number>();

  /** The page has said that. */
  heard(message: PageMessage): void {
    if ("ask" in message) {
      const op = "op" in message ? message.op : "method" in message ? message.method : message.t;
      const client = "client" in message ? message.client : "call" in message ? this.#calls.get(message.call)?.client : undefined;
      if (client !== undefined) this.#asks.set(message.ask, { client, op });
    } else if (message.t === "make") {
      this.#calls.set(message.call, { client: message.client, op: message.op });
    } else if (message.t === "rerun") {
      const of = this.#calls.get(message.call);
      if (of) this.#calls.set(message.as, of);
    }
  }

  /** That is for the page. */
  sends(message: HostMessage): void {
    if (message.t === "call") this.#calls.set(message.call, { client: message.client, op: message.method });
    else if (message.t === "session") this.#calls.set(message.session, { client: message.client, op: "session" });
  }

  /** The page has that. */
  sent(message: HostMessage): void {
    if (message.t === "forgotten") this.#calls.delete(message.call);
    if (message.t !== "answered") return;
    this.#asks.delete(message.ask);
    this.#takenBack.delete(message.ask);
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
   * The calls of that client are its last user's, and so is what is being read of them. All else that the page has
   * asked, the client itself ends, or carries out for the new user where it has waited for that one's token (fault 349).
   */
  takeBack(client: number): void {
    for (const [ask, of] of this.#asks) if (of.client === client && of.op === REREAD) this.#takenBack.add(ask);
  }

  /** Whether the answer to that is for the last user of its client. */
  isTakenBack(ask: number): boolean {
    return this.#takenBack.has(ask);
  }
}
