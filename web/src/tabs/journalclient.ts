import type { StoreReason } from "../storage/storage.js";
import type { Wire } from "../runtime/wire.js";

/** Where calls are kept: in this browser, or in memory, which ends with the page. */
export type Durability = "indexeddb" | "memory";

/**
 * Why it is memory. `principal`: nothing says for certain who the user is. `cipher`:
 * everything has to be encrypted, and there is no cipher here (plain http). `missing`: no
 * IndexedDB, or it may not be used. `blocked`: another tab holds the database. `timeout`:
 * it does not open or answer. `quota`: there is no room. `newer`: a newer version of
 * Holdfast has it. `lost`: the connection to it broke. `closed`: what was stored has been
 * deleted. `failed`: anything else.
 */
export type DurabilityReason = "principal" | StoreReason | (string & {});

/** The client, as its journal uses it. */
export interface JournalClient {
  readonly wire: Wire;
  /** The streams that the client reads from its server. */
  readonly streams: {
    /** The page is being frozen, and what it holds would be held for nothing; or it is back. */
    rest(resting: boolean): void;
  };
  /** True if the client is still making a new session. */
  reconnecting(): boolean;
  /** Resolves when the client makes no session, neither the first nor a new one; after 15 s at most. */
  connected(): Promise<void>;
  /** The page that listens has heard this event. */
  said(event: number, position: number, text: string): void;
  /** The requests of other pages in sessions with an agent; undefined for an MCP server. */
  readonly sessions?: SessionPages;
}

/** Requests that pages pass to each other in their sessions with an agent. */
export interface SessionPages {
  /** The page `from` makes a request in a session that another page carries, maybe this one. */
  serve(from: string, text: string): void;
  /** The outcome of a request that this page passed on; `outcome` 0: another page has the request. */
  forwardSettled(request: number, outcome: number, text: string): void;
}
