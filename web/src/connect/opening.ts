import { REDIRECTED } from "../runtime/exchange.js";
import type { Runtime } from "../runtime/runtime.js";
import { abortedError, throwIfAborted } from "../shared/arguments.js";
import type { StateEvent } from "../shared/clientstate.js";
import { HoldfastError } from "../shared/errors.js";
import type { OpenedStore } from "./userstores.js";

/**
 * Opens a client at a URL, and once more where that helps: in a new runtime where the
 * one that there was turns out to be dead, once; and at the same address with a
 * slash at its end, or without it, where the server redirects. Redirects are not
 * followed, but nearly all of them are a web framework's that wants that slash:
 * it is the same server, so it can be asked there.
 */
async function openedAt<T>(url: string, open: (address: string) => Promise<T>): Promise<T> {
  let address = url;
  let restarted = false;
  let redirected: HoldfastError | undefined;
  for (;;) {
    try {
      return await open(address);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      if (error.code === "runtime_exited" && !restarted) {
        restarted = true;
      } else if (error.code === "http_error" && error.status === REDIRECTED && !redirected) {
        redirected = error;
        address = otherSlash(url);
      } else {
        throw error.code === "cancelled" ? error : (redirected ?? error);
      }
    }
  }
}

/** The URL with a slash at the end of its path where it has none, without it where it has one. */
function otherSlash(url: string): string {
  const other = new URL(url);
  other.pathname = other.pathname.endsWith("/") ? other.pathname.slice(0, -1) : `${other.pathname}/`;
  return other.href;
}

/** What a client at an address is made of. All of it is opened side by side: the store is open by the time that the wasm runs. */
export interface Parts<C> {
  runtime: Promise<Runtime>;
  store: Promise<OpenedStore>;
  /** Its share of the connections that all tabs have, where it asks for one. */
  streams?: { ready(): Promise<void>; end(): void };
  make(runtime: Runtime, opened: OpenedStore): C;
  /** Resolves when the client is open. */
  start(client: C, opened: OpenedStore): Promise<void>;
}

/**
 * Opens a client at a URL, as {@link openedAt} does. Where a part fails, or the signal
 * gives up, it rejects at once, and closes the other parts: each as soon as it is
 * there, since the wasm or a token may be long on its way.
 */
export function openedClient<C extends { close(): Promise<void> }>(
  op: string,
  url: string,
  signal: AbortSignal | undefined,
  parts: (address: string) => Parts<C>,
): Promise<C> {
  return openedAt(url, async (address) => {
    const { runtime, store, streams, make, start } = parts(address);
    let close = (): void => {};
    try {
      const [loaded, opened] = await unlessAborted(op, signal, Promise.all([runtime, store, streams?.ready()]));
      const client = make(loaded, opened);
      close = () => void client.close();
      signal?.addEventListener("abort", close, { once: true });
      await start(client, opened);
      return client;
    } catch (error) {
      streams?.end();
      store.then(
        ({ journal }) => journal?.close(),
        () => {},
      );
      throwIfAborted(op, signal);
      throw error;
    } finally {
      signal?.removeEventListener("abort", close);
    }
  });
}

/** What comes of a promise, unless the signal is aborted before: then it rejects with `cancelled`. */
export function unlessAborted<T>(op: string, signal: AbortSignal | undefined, promise: Promise<T>): Promise<T> {
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
  const close = (): void => void client.close();
  signal?.addEventListener("abort", close, { once: true });
  client.on("state", ({ state }) => {
    if (state === "closed" || state === "failed") signal?.removeEventListener("abort", close);
  });
  if (signal?.aborted) close();
}
