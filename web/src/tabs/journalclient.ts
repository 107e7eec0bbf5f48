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

/** What a journal asks of its client. */
export interface JournalClient {
  readonly wire: Wire;
  /** What it reads from its server. */
  readonly streams: {
    /** The page is being frozen, and what it holds would be held for nothing; or it is back. */
    rest(resting: boolean): void;
  };
  /** Whether the client still makes a new session. */
  reconnecting(): boolean;
  /** Resolves when it makes none, neither the first nor a new one; after 15 s at most. */
  connected(): Promise<void>;
  /** What the page that listens has heard. */
  said(event: number, position: number, text: string): void;
  /** What pages ask of each other's sessions with an agent; undefined for an MCP server. */
  readonly sessions?: SessionPages;
}

/** What pages ask of each other's sessions with an agent. */
export interface SessionPages {
  /** That page asks for something in a session that another one carries, maybe this one. */
  serve(from: string, text: string): void;
  /** What became of what this page had asked for; `outcome` 0: another page has the request. */
  forwardSettled(request: number, outcome: number, text: string): void;
}
