import { REDIRECTED } from "../runtime/exchange.js";
import type { Runtime } from "../runtime/runtime.js";
import { throwIfAborted } from "../base/arguments.js";
import { HoldfastError } from "../base/errors.js";
import { unlessAborted } from "./abort.js";
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

/**
 * What a client at an address is made of. All of it is opened side by side: the store is open by the time
 * that the wasm runs.
 */
export interface Parts<C> {
  runtime: Promise<Runtime>;
  store: Promise<OpenedStore>;
  /** The client's share of the connections of all tabs, where the client asks for one. */
  streams?: { ready(): Promise<void>; end(): void } | undefined;
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
      const [loaded, opened] =
        await unlessAborted(op, signal, Promise.all([runtime, store, streams?.ready()]));
      throwIfAborted(op, signal); // it may have been since they were there
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
