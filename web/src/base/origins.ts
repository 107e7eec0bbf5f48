import { HoldfastError } from "./errors.js";

/** True if the host is this machine, e.g. "localhost": there http is as good as https. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * True if requests of an https page to that address would leave in plain text: mixed content, which the
 * browser forbids a page, and not each worker.
 */
export function isMixedContent(url: string, page: string | undefined = globalThis.location?.origin): boolean {
  const address = new URL(url);
  return page?.startsWith("https:") === true && /^(http|ws):$/.test(address.protocol) && !isLoopback(address);
}

/** True if the server has another origin than the page. */
export function isForeign(url: string): boolean {
  return new URL(url).origin !== globalThis.origin;
}

/** True if the page's requests to the server carry cookies. */
export function sendsCookies(url: string, credentials: RequestCredentials): boolean {
  return credentials === "include" || (credentials === "same-origin" && !isForeign(url));
}

/** The error of a request that the server's CORS rules keep out, for those header fields. */
export function fieldsBlocked(
  url: string, op: string, fields: readonly string[], cause: HoldfastError,
): HoldfastError {
  return corsBlocked(
    op,
    `${new URL(url).origin} has to answer with  Access-Control-Allow-Headers: ` +
      `${fields.join(", ").toLowerCase()}`,
    cause,
  );
}

/** The error of a server whose CORS rules keep the page out; `hint` names what it has to answer with. */
export function corsBlocked(
  op: string,
  hint: string,
  cause: HoldfastError,
  message = "the server is there, but its CORS rules keep this page out",
): HoldfastError {
  return new HoldfastError({ code: "cors_blocked", op, message, hint, cause });
}
