// Promises and clients that end when a signal of the app's aborts.

import { abortedError } from "../base/arguments.js";
import type { StateEvent } from "../base/clientstate.js";

/** The outcome of a promise; rejects with `cancelled` if the signal aborts first. */
export function unlessAborted<T>(
  op: string, signal: AbortSignal | undefined, promise: Promise<T>,
): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(abortedError(op, signal));
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}

/** A client that can be closed, and says when it is over. */
interface Closable {
  close(): Promise<void>;
  on(event: "state", listener: (event: StateEvent) => void): () => void;
}

/** Has the signal close a client. One that lives long must not keep every client that it ever served. */
export function closeBy(signal: AbortSignal | undefined, client: Closable): void {
  if (!signal) return;
  const close = (): void => void client.close();
  signal.addEventListener("abort", close, { once: true });
  client.on("state", ({ state }) => {
    if (state === "closed" || state === "failed") signal.removeEventListener("abort", close);
  });
  if (signal.aborted) close();
}
