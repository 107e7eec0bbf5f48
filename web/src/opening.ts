import { Journal } from "./durable/journal.js";
import { principalOf } from "./durable/principal.js";
import { HoldfastError } from "./errors.js";
import type { JournalOptions, TokenProvider } from "./options.js";

/** The status that stands for any redirect (runtime/exchange.ts). */
const REDIRECTED = 300;

/**
 * Opens a client at a URL, and anew where that helps: in a new runtime where the
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

/** What the store of a client depends on. */
export interface JournalChoice {
  journal?: boolean | JournalOptions;
  principal?: string;
}

/**
 * Opens the store of a server and user; `key` makes its key of the user. `why`
 * says why what is kept ends with the page.
 */
export async function openJournal(
  key: (principal: string) => Promise<string>,
  options: JournalChoice,
  provider: TokenProvider | undefined,
): Promise<{ journal: Journal | undefined; why: string }> {
  if (options.journal === false) return { journal: undefined, why: "" };
  let principal = options.principal;
  if (principal === undefined && provider) {
    // Without a name for the user, one user might be shown another's calls.
    principal = await Promise.resolve(provider()).then(principalOf, () => undefined);
    if (principal === undefined) return { journal: undefined, why: "principal" };
  }
  const sealAll = typeof options.journal === "object" && options.journal.seal === "all";
  return Journal.open(await key(principal ?? ""), sealAll);
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

/**
 * A token provider whose first answer may be asked for ahead of the core: the
 * app is asked once.
 */
export function onceAhead(provider: TokenProvider | undefined): TokenProvider | undefined {
  if (!provider) return undefined;
  let ahead: Promise<string> | undefined;
  let asked = 0;
  return () => {
    asked++;
    if (asked === 1) return (ahead = Promise.resolve().then(provider));
    const first = ahead;
    ahead = undefined;
    return first ?? provider();
  };
}
