import type { Wire } from "../wire.js";
import type { Streams } from "./streams.js";

/** Where calls are kept. */
export type Durability = "indexeddb" | "memory";

/** What a journal asks of its client. */
export interface JournalClient {
  readonly wire: Wire;
  readonly streams: Streams;
  /** Whether the client still makes a new session. */
  reconnecting(): boolean;
  /** Resolves when it makes none, neither the first nor a new one; after 15 s at most. */
  connected(): Promise<void>;
  /** Whether a call that this one follows could be gone on with from the store. */
  resumable(call: number): boolean;
  /** What the page that listens has heard. */
  said(event: number, position: number, text: string): void;
}
