import type { Journal } from "../tabs/journal.js";
import type { StateEvent } from "../shared/clientstate.js";
import { HoldfastError } from "../shared/errors.js";

/** The status that stands for any redirect (runtime/exchange.ts). */
const REDIRECTED = 300;

/**
 * Opens a client at a URL, and once more where that helps: in a new runtime where the
 * one that there was turns out to be dead, once; and at the same address with a
 * slash at its end, or without it, where the server redirects. Redirects are not
 * followed, but nearly all of them are a web framework's that wants that slash:
 * it is the same server, so it can be asked there.
 */
export async function openedAt<T>(url: string, open: (address: string) => Promise<T>): Promise<T> {
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
        throw redirected ?? error;
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
 * Waits for the parts that a client is made of, which are opened side by side: the
 * store is open by the time that the wasm runs. Where one of them fails, the store
 * is closed again, as soon as it is open.
 */
export async function openedParts<R, O extends { journal: Journal | undefined }>(
  runtime: Promise<R>,
  opening: Promise<O>,
  ...others: Promise<unknown>[]
): Promise<[runtime: R, opened: O]> {
  try {
    const [loaded, opened] = await Promise.all([runtime, opening, ...others]);
    return [loaded, opened];
  } catch (error) {
    opening.then(
      ({ journal }) => journal?.close(),
      () => {},
    );
    throw error;
  }
}

/** Starts a client, which the signal closes meanwhile. Where it fails, its store is closed again. */
export async function startedUnder(
  signal: AbortSignal | undefined,
  client: { close(): Promise<void> },
  journal: Journal | undefined,
  start: () => Promise<void>,
): Promise<void> {
  const close = (): void => void client.close();
  signal?.addEventListener("abort", close, { once: true });
  try {
    await start();
  } catch (error) {
    journal?.close();
    throw error;
  } finally {
    signal?.removeEventListener("abort", close);
  }
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
