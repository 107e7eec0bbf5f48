import type { Gap } from "../base/eventqueue.js";
import type { Open } from "../base/mcp.js";
import type { Guarantee, RawEvent } from "./events.js";

/** The client's methods that a call uses, where calls are `C`. */
export interface CallControlOf<C> {
  cancel(call: number, reason: string): void;
  pause(call: number, paused: boolean): void;
  answer(call: number, responses: string): void;
  /** Resolves when it is stored. */
  ack(call: number, position: number): Promise<void>;
  /** The outcome is being handed to the app. */
  handed(call: number): void;
  /** The app had the outcome, and could act on it. */
  acted(call: number): void;
  park(call: number, parked: boolean): void;
  /** The answer is {@link Call.peeked}. */
  peek(call: number): void;
  /** `draft` is JSON, or empty. */
  draft(call: number, key: string, draft: string): void;
  /** Events that a reader has no more in memory, from the store. */
  reread(call: number, gap: Gap): AsyncIterator<RawEvent>;
  /** Makes the same request once more. */
  rerun(call: C): C;
}

/** Facts about a call that the store has brought back. */
export interface RecalledCall {
  /** {@link Call.id}. */
  id?: string | undefined;
  key?: string;
  createdAt: number;
  /** When it was made, where the store has not brought it back. */
  madeAt?: number;
  acked: number;
  base: number;
  manual: boolean;
  /** The app answers requests for input itself. */
  input?: "manual";
  /** Members of its `_meta`. */
  meta?: Open;
  rerun?: "never" | "always";
  owned: boolean;
  guarantee: Guarantee;
}
