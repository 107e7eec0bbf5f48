import type { Failed, Finding, Sent } from "./finding.js";
import { cookieHint, httpHint, networkCause, place, tokenHint } from "./network.js";

/** The header fields of every request to an agent that need its permission, with harmless values. */
const FIELDS: [string, string][] = [
  ["content-type", "application/json"],
  ["acp-connection-id", "probe"],
  ["acp-session-id", "probe"],
];

/** Finds out why connecting to an agent failed; `sent` is undefined where a WebSocket was to carry it. */
export async function findAgentCause(failed: Failed, sent: Sent | undefined): Promise<Finding | undefined> {
  const { url, foreign, status } = failed;
  switch (failed.code) {
    case "network_error":
      if (!sent) return { hint: socketHint(url) };
      return networkCause(failed, { ...sent, fields: [...FIELDS, ...sent.fields] });
    case "http_error":
      return { hint: httpHint(url, status, "ACP", "/acp") + cookieHint(failed, sent) };
    case "protocol_error":
      if (!failed.lacks) {
        return {
          hint: `${place(url)} answers, but not as an ACP agent does. Is the path right? Many agents use ` +
            "/acp.",
        };
      }
      if (!foreign)
        return {
          hint: `${place(url)} has to give ${failed.lacks} with its answer to initialize. A proxy may have ` +
            "dropped it.",
        };
      return {
        cors: true,
        message: "the agent is there, but its CORS rules hide the connection's id from this page",
        hint: `${new URL(url).origin} has to answer with  Access-Control-Expose-Headers: ${failed.lacks}`,
      };
    case "unauthorized":
      return { hint: tokenHint("agent", failed, sent) };
    default:
      return undefined;
  }
}

/** Browsers say nothing at all of why a WebSocket could not be opened. */
function socketHint(url: string): string {
  const { protocol, host } = new URL(url);
  if (globalThis.location?.protocol === "https:" && protocol === "ws:") {
    return "The page is https and the socket ws: browsers block that (mixed content). Use wss:.";
  }
  return `No WebSocket could be opened at ${host}. Is the agent running, is the path right, and does it ` +
    "allow pages of this origin?";
}
