import { HoldfastError } from "./errors.js";
import { headerEntries, type ConnectOptions } from "./options.js";
import type { NegotiationStep } from "./serverfacts.js";

/**
 * Finds out why connecting failed, and says what a person can do about it.
 * Browsers hide the reason from a page ("Failed to fetch"), so this asks the
 * server in several ways and compares: without CORS, with CORS, and with one
 * header field after the other. All of it is GET, which changes nothing.
 *
 * @param steps what was tried to find the revision
 */
export async function diagnose(
  url: string,
  error: HoldfastError,
  options: ConnectOptions,
  steps: readonly NegotiationStep[] = [],
): Promise<HoldfastError> {
  switch (error.code) {
    case "network_error":
      return diagnoseNetwork(url, error, options, error.op === "server/discover");
    case "http_error":
    case "protocol_error":
      if (refusesHandshake(error) && steps.some(({ method, status }) => method === "server/discover" && status === 0) && isForeign(url)) {
        const found = await diagnoseNetwork(url, error, options, true);
        if (found.code === "cors_blocked") return found;
      }
      // initialize passed, and what followed it did not: the server gave a
      // session whose id the page was not allowed to read.
      if (error.op === "notifications/initialized" && isForeign(url)) {
        return withHint(
          error,
          `The server refused the first request after initialize. If it gives sessions, it has to answer with  Access-Control-Expose-Headers: Mcp-Session-Id`,
        );
      }
      if (error.code === "http_error") return withHint(error, httpHint(url, error.status));
      if (error.status >= 200 && error.status < 300) {
        return withHint(error, `${place(url)} answers, but not as an MCP server does. Is the path right? Many servers use /mcp.`);
      }
      return error;
    case "unauthorized":
      return withHint(
        error,
        options.token
          ? "The server refused the token that the provider gave. Has it expired, or is it meant for another server?"
          : "The server wants a bearer token: pass a token provider in the options.",
      );
    default:
      return error;
  }
}

/**
 * Which of these header fields the server's CORS rules keep a page from sending;
 * none where that cannot be told. A request whose preflight such a field fails
 * never left the browser, which fetch does not say: the same field in a GET, and
 * a GET without it, show it. Asked twice, so that a network that comes and goes
 * is not taken for a rule.
 */
export async function refusedFields(url: string, names: readonly string[], signal?: AbortSignal): Promise<string[]> {
  if (names.length === 0 || !isForeign(url)) return [];
  const passes = (...fields: string[]): Promise<boolean | undefined> => {
    const headers = new Headers([...REQUEST_FIELDS, ["mcp-method", "probe"]]);
    for (const name of fields) headers.set(name, "probe");
    return probe(url, signal, { headers, redirect: "manual" });
  };
  if (!(await passes())) return [];
  const refused: string[] = [];
  for (const name of names) if ((await passes(name)) === false) refused.push(name);
  if (refused.length === 0 || !(await passes()) || (await passes(...refused)) !== false) return [];
  return refused;
}

/** What an app is told of a request that the server's CORS rules keep out. */
export function fieldsBlocked(url: string, op: string, fields: readonly string[], cause?: HoldfastError): HoldfastError {
  return blocked(op, new URL(url).origin, `Access-Control-Allow-Headers: ${fields.join(", ").toLowerCase()}`, cause);
}

/**
 * A server of 2026-07-28 has no initialize. If its own method never got through,
 * that is more to the point than the JSON-RPC error for a handshake of 2025.
 */
function refusesHandshake({ code, op, status }: HoldfastError): boolean {
  return code === "protocol_error" && op === "initialize" && status === 0;
}

function isForeign(url: string): boolean {
  return new URL(url).origin !== globalThis.location?.origin;
}

/** How long one probe may take, in ms. */
const PROBE_TIME = 5_000;

async function diagnoseNetwork(url: string, error: HoldfastError, options: ConnectOptions, modern: boolean): Promise<HoldfastError> {
  const { origin, protocol, hostname } = new URL(url);
  if (globalThis.location?.protocol === "https:" && protocol === "http:" && !isLoopback(hostname)) {
    return withHint(error, "The page is https and the server http: browsers block that (mixed content). Serve it over https.");
  }
  // A redirect is an answer, and is not followed: it may lead anywhere.
  const { signal } = options;
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
    return blocked("connect", origin, `Access-Control-Allow-Origin: ${globalThis.location?.origin ?? "*"}`, error);
  }
  const missing: string[] = [];
  for (const [name, value] of requestFields(options, modern)) {
    if (!(await probe(url, signal, { headers: { [name]: value }, redirect: "manual" }))) missing.push(name);
  }
  if (missing.length > 0) return fieldsBlocked(url, "connect", missing, error);
  return withHint(
    error,
    `${origin} answers a GET with the right CORS headers, but not the POST. Does Access-Control-Allow-Methods list POST, and do error answers carry the CORS headers too?`,
  );
}

/** The fields of every request that need the server's permission, with harmless values. */
const REQUEST_FIELDS: [string, string][] = [
  ["content-type", "application/json"],
  ["mcp-protocol-version", "2025-11-25"],
];

/** Those of the revisions up to 2025-11-25, and those since. */
const LEGACY_FIELDS: [string, string][] = [
  ["mcp-session-id", "probe"],
  ["last-event-id", "probe"],
];
const MODERN_FIELDS: [string, string][] = [
  ["mcp-method", "probe"],
  ["mcp-name", "probe"],
];

function requestFields(options: ConnectOptions, modern: boolean): [string, string][] {
  const fields = [...REQUEST_FIELDS, ...(modern ? MODERN_FIELDS : LEGACY_FIELDS)];
  if (options.token) fields.push(["authorization", "Bearer probe"]);
  for (const [name] of headerEntries(options.headers)) fields.push([name.toLowerCase(), "probe"]);
  return fields;
}

/** Whether a GET is answered; undefined where time was up before that was known. */
async function probe(url: string, outer: AbortSignal | undefined, init: RequestInit): Promise<boolean | undefined> {
  if (outer?.aborted) return undefined;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, PROBE_TIME);
  outer?.addEventListener("abort", stop);
  try {
    const response = await fetch(url, { ...init, credentials: "omit", cache: "no-store", signal: controller.signal });
    await response.body?.cancel();
    return true;
  } catch {
    return controller.signal.aborted ? undefined : false;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  }
}

function blocked(op: string, origin: string, header: string, cause: HoldfastError | undefined): HoldfastError {
  return new HoldfastError({
    code: "cors_blocked",
    op,
    message: "the server is there, but its CORS rules keep this page out",
    hint: `${origin} has to answer with  ${header}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

function withHint(error: HoldfastError, hint: string): HoldfastError {
  const { code, op, status, retryable, cause } = error;
  // The constructor puts the operation before the message again.
  const message = error.message.slice(op ? op.length + 2 : 0);
  return new HoldfastError({ code, op, status, retryable, message, hint, cause });
}

function httpHint(url: string, status: number): string {
  switch (status) {
    case 300:
      return `The server redirects ${place(url)}. Connect to the address that it redirects to.`;
    case 403:
      return `${new URL(url).origin} forbids the request. Servers may refuse pages of another origin: allow this one there, or go through a proxy.`;
    case 404:
    case 405:
      return `There is no MCP endpoint at ${new URL(url).pathname} (status ${status}). Is the path right? Many servers use /mcp.`;
    case 502:
    case 503:
    case 504:
      return `The server cannot answer now (status ${status}). Try again later.`;
    default:
      return `The server answered ${status}.`;
  }
}

/** An address to show: the query may hold a secret. */
function place(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
