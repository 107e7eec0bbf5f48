import type { Runtime } from "../runtime/runtime.js";

/** Where calls are kept. */
export type Durability = "indexeddb" | "memory";

/** What a journal asks of its client. */
export interface JournalClient {
  readonly runtime: Runtime;
  readonly handle: number;
  /** Whether the client still makes a new session. */
  reconnecting(): boolean;
  /** Resolves when it makes none, neither the first nor a new one; after 15 s at most. */
  connected(): Promise<void>;
  /** Another page asks to cancel a call that this one carries. */
  cancel(call: number, reason: string): void;
  /** Whether a call that this one follows could be gone on with from the store. */
  resumable(call: number): boolean;
  /** The page is being frozen, or is back: streams are let go of, and taken up. */
  rest(resting: boolean): void;
  /** What the page that listens has heard. */
  said(event: number, position: number, text: string): void;
}
