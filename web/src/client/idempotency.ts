/**
 * Where a call of a tool has its idempotency key in `_meta`: a random text, the same
 * whenever the request is sent, by the browser once more, by a page that finds it in
 * the store, as a run that follows another one or by `replay()`. A server that
 * keeps what it has done under it need not do it twice. An app may give its own.
 */
export const IDEMPOTENCY_KEY = "io.github.holdfast-mcp/idempotencyKey";

/** @internal A random text that nobody can guess. */
export function randomId(): string {
  // A page over plain http has no randomUUID.
  return globalThis.crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
