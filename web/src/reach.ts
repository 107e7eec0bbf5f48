// Why a server cannot be reached. Browsers hide the reason from a page ("Failed
// to fetch"), so the server is asked in several ways, and the answers compared:
// without CORS, with CORS, and with one header field after the other. All of it
// is GET, which changes nothing.

import { HoldfastError } from "./errors.js";
import { headerEntries } from "./options.js";

/** What a connection that failed would have sent. */
export interface Sent {
  /** The function that the app called. */
  op: string;
  /** The header fields that need the server's permission, with harmless values. */
  fields: readonly [string, string][];
  credentials: RequestCredentials;
  signal: AbortSignal | undefined;
}

/** Finds out why fetch failed, which browsers hide from a page. */
export async function diagnoseNetwork(url: string, error: HoldfastError, { op, fields, credentials, signal }: Sent): Promise<HoldfastError> {
  const { origin, protocol, hostname } = new URL(url);
  if (globalThis.location?.protocol === "https:" && protocol === "http:" && !isLoopback(hostname)) {
    return withHint(error, "The page is https and the server http: browsers block that (mixed content). Serve it over https.");
  }
  // A redirect is an answer, and is not followed: it may lead anywhere.
  const cors = await probe(url, signal, { redirect: "manual" });
  // An opaque answer is still an answer: somebody listens there.
  if (!cors && !(await probe(url, signal, { mode: "no-cors", referrerPolicy: "no-referrer" }))) {
    if (origin === globalThis.location?.origin) return withHint(error, `Nothing answers at ${place(url)}. Is the server running?`);
    return withHint(error, `Nothing answers at ${origin}. Is the server running, and are host and port right?`);
  }
  if (origin === globalThis.location?.origin) {
    return withHint(error, `${origin} answers, but the request was cut off. A proxy or an extension may be in the way.`);
  }
  if (!cors) {
    return blocked(op, origin, `Access-Control-Allow-Origin: ${globalThis.location?.origin ?? "*"}`, error);
  }
  const missing: string[] = [];
  for (const [name, value] of fields) {
    if (!(await probe(url, signal, { headers: { [name]: value }, redirect: "manual" }))) missing.push(name);
  }
  if (missing.length > 0) return fieldsBlocked(url, op, missing, error);
  // A server that allows any origin allows none that sends its cookies (Fetch 3.3.5).
  if (credentials === "include" && !(await probe(url, signal, { credentials, redirect: "manual" }))) {
    return blocked(op, origin, `Access-Control-Allow-Credentials: true  and  Access-Control-Allow-Origin: ${globalThis.location?.origin ?? "*"}`, error);
  }
  return withHint(
    error,
    `${origin} answers a GET with the right CORS headers, but not the POST. Does Access-Control-Allow-Methods list POST, and do error answers carry the CORS headers too?`,
  );
}

/** What an app is told of a request that the server's CORS rules keep out. */
export function fieldsBlocked(url: string, op: string, fields: readonly string[], cause?: HoldfastError): HoldfastError {
  return blocked(op, new URL(url).origin, `Access-Control-Allow-Headers: ${fields.join(", ").toLowerCase()}`, cause);
}

/** The fields that the app's options add to every request. */
export function ownFields(options: { token?: unknown; headers?: HeadersInit }): [string, string][] {
  const fields = headerEntries(options.headers).map(([name]): [string, string] => [name.toLowerCase(), "probe"]);
  return options.token ? [["authorization", "Bearer probe"], ...fields] : fields;
}

/** Whether a server has another origin than the page. */
export function isForeign(url: string): boolean {
  return new URL(url).origin !== globalThis.location?.origin;
}

/** How long one probe may take, in ms. */
const PROBE_TIME = 5_000;

/** Whether a GET is answered; undefined where time was up before that was known. */
export async function probe(url: string, outer: AbortSignal | undefined, init: RequestInit): Promise<boolean | undefined> {
  if (outer?.aborted) return undefined;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, PROBE_TIME);
  outer?.addEventListener("abort", stop);
  try {
    const response = await fetch(url, { credentials: "omit", ...init, cache: "no-store", signal: controller.signal });
    await response.body?.cancel();
    return true;
  } catch {
    return controller.signal.aborted ? undefined : false;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  }
}

/** What an app is told of a server whose CORS rules keep the page out. */
function blocked(op: string, origin: string, header: string, cause: HoldfastError | undefined): HoldfastError {
  return new HoldfastError({
    code: "cors_blocked",
    op,
    message: "the server is there, but its CORS rules keep this page out",
    hint: `${origin} has to answer with  ${header}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The error with what a person can do about it. */
export function withHint(error: HoldfastError, hint: string): HoldfastError {
  const { code, op, status, retryable, cause } = error;
  // The constructor puts the operation before the message again.
  const message = error.message.slice(op ? op.length + 2 : 0);
  return new HoldfastError({ code, op, status, retryable, message, hint, cause });
}

/** An address to show: the query may hold a secret. */
export function place(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

/** What a status that is no answer means; `kind` is what was looked for, and `usual` the path that it has at many servers. */
export function httpHint(url: string, status: number, kind: string, usual: string): string {
  switch (status) {
    case 300:
      return `The server redirects ${place(url)}. Connect to the address that it redirects to.`;
    case 403:
      return `${new URL(url).origin} forbids the request. Servers may refuse pages of another origin: allow this one there, or go through a proxy.`;
    case 404:
    case 405:
      return `There is no ${kind} endpoint at ${new URL(url).pathname} (status ${status}). Is the path right? Many servers use ${usual}.`;
    case 502:
    case 503:
    case 504:
      return `The server cannot answer now (status ${status}). Try again later.`;
    default:
      return `The server answered ${status}.`;
  }
}
