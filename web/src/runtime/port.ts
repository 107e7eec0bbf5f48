// The port between the runtime and a client: the client hears its events, and speaks of its calls.
import type { HoldfastError } from "../base/errors.js";
import type { Op } from "../storage/storage.js";
import type { FetchLike, RequestSender } from "./sender.js";

/**
 * The events of one client, as the runtime reports them. No method may run app code at once. For an agent,
 * `deliver` and `recall` name a session instead of a call.
 */
export interface ClientPort {
  readonly credentials: RequestCredentials;
  /** Undefined where requests leave as the core has them. */
  readonly sender?: RequestSender | undefined;
  /** The app's own; undefined for the browser's. */
  readonly fetch?: FetchLike | undefined;
  /** True once the user has logged out: each request of the core then ends something. */
  readonly isLoggedOut?: (() => boolean) | undefined;
  /** `stream` is a StreamState, of a status or a task; 0 or none of anything else. */
  deliver(call: number, event: number, position: number, text: string, stream?: number): void;
  settle(call: number, outcome: number, text: string): void;
  /** `facts` are those of an open connection to a server: bits of FACT, and two guarantees. */
  state(text: string, facts: number): void;
  token(): void;
  /**
   * Write these operations in one transaction, and report with {@link Runtime.stored}; where `unawaited`,
   * nobody waits for its end: TAB_INPUT.landed or failed.
   */
  store(ticket: number, how: { strict: boolean; unawaited: boolean }, ops: readonly Op[]): void;
  /** Do something about who carries a call: a TAB_EFFECT, with the ticket that the answer goes by. */
  tabs(kind: number, ticket: number, payload: Uint8Array<ArrayBuffer>): void;
  /** The header fields that a call repeats arguments in: a JSON array of names and values. */
  mirrored?(call: number, text: string): void;
  /** A call that the store brought back; `text` is JSON that describes it. */
  recall(call: number, text: string): void;
  /** Events of such a call up to a position, packed (jsbridge/doc.go). */
  replay?(call: number, position: number, events: Uint8Array): void;
  /**
   * Leave is asked for to make a new session: {@link Runtime.handshake} gives it. An agent's asks for none.
   */
  handshake(): void;
  exited(error: HoldfastError): void;
}

/** How long a call may take, in ms; 0 for the client's own setting. */
export interface CallTimes {
  answer: number;
  idle: number;
  total: number;
  /** Until it leaves for the first time. */
  send: number;
  /** When the app made the call, in ms since 1970. */
  made: number;
}
