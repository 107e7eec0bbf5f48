// An https page, and a server that is spoken to in plain.

import { badArgument } from "../base/arguments.js";
import { HoldfastError } from "../base/errors.js";
import { isMixedContent } from "../base/origins.js";

/**
 * The options that send something of the app's. With a fetch of the app's own, what leaves is for that to
 * say.
 */
interface Sending {
  readonly token?: unknown;
  readonly auth?: unknown;
  readonly headers?: unknown;
  readonly fetch?: unknown;
  readonly credentials?: RequestCredentials;
}

/** How long the browser may take to let a request out, or to ask the person, in ms. */
const PROBE_TIME = 5_000;

/**
 * Refuses a client of an https page that would speak in plain to anything but this machine (W3C Mixed
 * Content). A token, a cookie or a header of the app never leaves that way: `bad_argument`. Anything else
 * leaves where the browser lets it: by leave for the local network, or as https by
 * `upgrade-insecure-requests`. Where it does not, the client is not opened (`network_error`): a stored
 * session would look like a connection.
 */
export async function checkMixedContent(
  op: string, url: string, { token, auth, headers, fetch: own, credentials }: Sending,
): Promise<void> {
  if (own || !isMixedContent(url)) return;
  if (token || auth || headers || credentials === "include") {
    throw badArgument(
      op,
      "url",
      "is http and the page https: a token, a cookie or a header of the app never leaves in plain. Use https",
    );
  }
  if (typeof document !== "undefined" && (await leaves(url))) return;
  throw new HoldfastError({
    code: "network_error",
    op,
    message: "the page is https and the server is not: the browser keeps the request back",
    hint: "Serve the server over https: browsers block mixed content.",
  });
}

/**
 * True if the browser lets a request out to that address. The request carries nothing, and nobody reads the
 * answer.
 */
async function leaves(url: string): Promise<boolean> {
  if (url.startsWith("ws:")) return true; // the browser refuses the socket itself, and says why
  const init: RequestInit = {
    mode: "no-cors",
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(PROBE_TIME),
  };
  return fetch(url, init).then((response) => (void response.body?.cancel(), true), () => false);
}
