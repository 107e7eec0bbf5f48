import type { NegotiationStep } from "../base/negotiation.js";
import { HTTP_SSE, REQUEST_FIELDS } from "./fields.js";
import type { Failed, Finding, Sent } from "./finding.js";
import { cookieHint, givesEvents, httpHint, networkCause, place, tokenHint } from "./network.js";

/** Header fields of the revisions up to 2025-11-25 (legacy), and of those since (modern). */
const LEGACY_FIELDS: [string, string][] = [
  ["mcp-session-id", "probe"],
  ["last-event-id", "probe"],
];
const MODERN_FIELDS: [string, string][] = [
  ["mcp-method", "probe"],
  ["mcp-name", "probe"],
];

/**
 * Finds out why connecting to an MCP server failed.
 *
 * @param steps what was tried to find the revision
 */
export async function findServerCause(
  failed: Failed, sent: Sent, steps: readonly NegotiationStep[],
): Promise<Finding | undefined> {
  const { url, foreign, op, status } = failed;
  switch (failed.code) {
    case "network_error":
      // Where there is no stream it is an EventSource that has failed, which needs no permission for a field;
      // where there is, the POST has.
      if (sent.pinned === HTTP_SSE && !(await givesEvents(url)))
        return networkCause(
          failed, sent, `There is no HTTP+SSE endpoint at ${place(url)}. Leave the option revision out.`,
        );
      return networkCause(failed, withProtocol(sent, op === "server/discover"));
    case "http_error":
    case "protocol_error":
      if (
        refusesHandshake(failed) && foreign &&
          steps.some((step) => step.method === "server/discover" && step.status === 0)
      ) {
        const found = await networkCause(failed, withProtocol(sent, true));
        if (found.cors) return found;
      }
      // initialize passed, and what followed it did not: the server gave a
      // session whose id the page was not allowed to read.
      if (op === "notifications/initialized" && foreign) {
        return {
          hint: "The server refused the first request after initialize. If it gives sessions, it has to " +
            "answer with  Access-Control-Expose-Headers: Mcp-Session-Id",
        };
      }
      if (failed.code === "http_error")
        return { hint: httpHint(url, status, "MCP", "/mcp") + cookieHint(failed, sent) };
      if (status >= 200 && status < 300) {
        return {
          hint: `${place(url)} answers, but not as an MCP server does. Is the path right? Many servers use ` +
            "/mcp.",
        };
      }
      return undefined;
    case "no_revision":
      return sent.pinned === undefined
        ? undefined
        : { hint: `Is the revision ${sent.pinned} misspelled? Leave the option revision out.` };
    case "unauthorized":
      return { hint: tokenHint("server", failed, sent) };
    default:
      return undefined;
  }
}

/**
 * A server of 2026-07-28 has no initialize. If its own method never got through,
 * that is more to the point than the JSON-RPC error for a handshake of 2025.
 */
function refusesHandshake({ code, op, status }: Failed): boolean {
  return code === "protocol_error" && op === "initialize" && status === 0;
}

function withProtocol(sent: Sent, modern: boolean): Sent {
  return {
    ...sent, fields: [...REQUEST_FIELDS, ...(modern ? MODERN_FIELDS : LEGACY_FIELDS), ...sent.fields],
  };
}
