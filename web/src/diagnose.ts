import type { HoldfastError } from "./errors.js";
import type { ConnectOptions } from "./options.js";
import { diagnoseNetwork, httpHint, isForeign, ownFields, place, probe, withHint, type Sent } from "./reach.js";
import type { NegotiationStep } from "./serverfacts.js";

/**
 * Finds out why connecting failed, and says what a person can do about it.
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
      return diagnoseNetwork(url, error, sent(options, error.op === "server/discover"));
    case "http_error":
    case "protocol_error":
      if (refusesHandshake(error) && steps.some(({ method, status }) => method === "server/discover" && status === 0) && isForeign(url)) {
        const found = await diagnoseNetwork(url, error, sent(options, true));
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
      if (error.code === "http_error") return withHint(error, httpHint(url, error.status, "MCP", "/mcp"));
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

/**
 * A server of 2026-07-28 has no initialize. If its own method never got through,
 * that is more to the point than the JSON-RPC error for a handshake of 2025.
 */
function refusesHandshake({ code, op, status }: HoldfastError): boolean {
  return code === "protocol_error" && op === "initialize" && status === 0;
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

function sent(options: ConnectOptions, modern: boolean): Sent {
  const fields = [...REQUEST_FIELDS, ...(modern ? MODERN_FIELDS : LEGACY_FIELDS)];
  fields.push(...ownFields(options));
  return { op: "connect", fields, credentials: options.credentials ?? "same-origin", signal: options.signal };
}
