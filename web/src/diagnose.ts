import { HoldfastError } from "./errors.js";
import { headerEntries, type ConnectOptions } from "./options.js";

/**
 * Finds out why connecting failed, and says what a person can do about it.
 * Browsers hide the reason from a page ("Failed to fetch"), so this asks the
 * server in several ways and compares: without CORS, with CORS, and with one
 * header field after the other. All of it is GET, which changes nothing.
 */
export async function diagnose(url: string, error: HoldfastError, options: ConnectOptions): Promise<HoldfastError> {
  switch (error.code) {
    case "network_error":
      return diagnoseNetwork(url, error, options);
    case "http_error":
    case "protocol_error":
      // initialize passed, and what followed it did not: the server gave a
      // session whose id the page was not allowed to read.
      if (error.op === "notifications/initialized" && new URL(url).origin !== globalThis.location?.origin) {
        return withHint(
          error,
          `The server refused the first request after initialize. If it gives sessions, it has to answer with  Access-Control-Expose-Headers: Mcp-Session-Id`,
        );
      }
      if (error.code === "http_error") return withHint(error, httpHint(url, error.status));
      if (error.status >= 200 && error.status < 300) {
        return withHint(error, `${url} answers, but not as an MCP server does. Is the path right? Many servers use /mcp.`);
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

/** How long one probe may take, in ms. */
const PROBE_TIME = 5_000;

async function diagnoseNetwork(url: string, error: HoldfastError, options: ConnectOptions): Promise<HoldfastError> {
  const { origin, protocol, hostname } = new URL(url);
  if (globalThis.location?.protocol === "https:" && protocol === "http:" && !isLoopback(hostname)) {
    return withHint(error, "The page is https and the server http: browsers block that (mixed content). Serve it over https.");
  }
  // An opaque answer is still an answer: somebody listens there.
  if (!(await answers(url, options.signal, { mode: "no-cors" }))) {
    if (origin === globalThis.location?.origin) return withHint(error, `Nothing answers at ${url}. Is the server running?`);
    return withHint(error, `Nothing answers at ${origin}. Is the server running, and are host and port right?`);
  }
  if (origin === globalThis.location?.origin) {
    return withHint(error, `${origin} answers, but the request was cut off. A proxy or an extension may be in the way.`);
  }
  if (!(await answers(url, options.signal, {}))) {
    return blocked(error, origin, `Access-Control-Allow-Origin: ${globalThis.location?.origin ?? "*"}`);
  }
  const missing: string[] = [];
  for (const [name, value] of requestFields(options)) {
    if (!(await answers(url, options.signal, { headers: { [name]: value } }))) missing.push(name);
  }
  if (missing.length > 0) {
    return blocked(error, origin, `Access-Control-Allow-Headers: ${missing.join(", ")}`);
  }
  return withHint(
    error,
    `${origin} answers a GET with the right CORS headers, but not the POST. Does Access-Control-Allow-Methods list POST, and do error answers carry the CORS headers too?`,
  );
}

/** The fields that need the server's permission, with harmless values. */
function requestFields(options: ConnectOptions): [string, string][] {
  const fields: [string, string][] = [
    ["content-type", "application/json"],
    ["mcp-protocol-version", "2025-11-25"],
    ["mcp-session-id", "probe"],
    ["last-event-id", "probe"],
  ];
  if (options.token) fields.push(["authorization", "Bearer probe"]);
  for (const [name] of headerEntries(options.headers)) fields.push([name.toLowerCase(), "probe"]);
  return fields;
}

async function answers(url: string, outer: AbortSignal | undefined, init: RequestInit): Promise<boolean> {
  if (outer?.aborted) return false;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, PROBE_TIME);
  outer?.addEventListener("abort", stop);
  try {
    const response = await fetch(url, { ...init, credentials: "omit", cache: "no-store", signal: controller.signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  }
}

function blocked(error: HoldfastError, origin: string, header: string): HoldfastError {
  return new HoldfastError({
    code: "cors_blocked",
    op: "connect",
    message: "the server is there, but its CORS rules keep this page out",
    hint: `${origin} has to answer with  ${header}`,
    cause: error,
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
      return `The server redirects ${url}. Connect to the address that it redirects to.`;
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

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
