import type { Open } from "../base/mcp.js";
import type { CallOptions } from "./options.js";

/**
 * Where a call of a tool, or a request that is kept, has its idempotency key in `_meta`: a random text, the
 * same whenever the request is sent, by the browser once more, by a page that finds it in
 * the store, as a run that follows another one or by `retry()`. A server that
 * keeps what it has done under it need not do it twice. An app may give its own.
 */
export const IDEMPOTENCY_KEY = "io.github.holdfast-mcp/idempotencyKey";

/**
 * @internal What `_meta` has, with an idempotency key where the request is worth one and has none: a call of
 * a tool, or what is kept.
 */
export function withKey(worth: boolean, ...meta: readonly (Open | undefined)[]): Open {
  const all = Object.assign({}, ...meta) as Open;
  return worth && !(IDEMPOTENCY_KEY in all) ? { [IDEMPOTENCY_KEY]: randomId(), ...all } : all;
}

/**
 * @internal Whether calls of that method are work that can take long, which is kept in the store by itself.
 */
export function isLong(method: string): boolean {
  return method === "tools/call";
}

/**
 * @internal Whether a call is kept in the store: where the app says so, else what can take long, and what has
 * a key.
 */
export function isKept(method: string, { journal, key }: Pick<CallOptions, "journal" | "key">): boolean {
  return journal ?? (isLong(method) || key !== undefined);
}

/** @internal The idempotency key in that `_meta`. */
export function keyIn(meta: Open | undefined): string | undefined {
  const key = meta?.[IDEMPOTENCY_KEY];
  return typeof key === "string" ? key : undefined;
}

/** @internal A random text that nobody can guess. */
export function randomId(): string {
  // A page over plain http has no randomUUID.
  return globalThis.crypto.randomUUID?.() ??
    Array.from(
      crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"),
    ).join("");
}
