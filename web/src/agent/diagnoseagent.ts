import { HoldfastError } from "../errors.js";
import { diagnoseNetwork, httpHint, isForeign, ownFields, place, withHint } from "../reach.js";
import { credentialsOf, type AgentAddress, type AgentOptions } from "./agentoptions.js";

/** The header fields of every request that need the server's permission, with harmless values. */
const FIELDS: [string, string][] = [
  ["content-type", "application/json"],
  ["acp-connection-id", "probe"],
  ["acp-session-id", "probe"],
];

/** Finds out why connecting to an agent failed, and says what a person can do about it. */
export async function diagnoseAgent({ url, transport }: AgentAddress, error: HoldfastError, options: AgentOptions): Promise<HoldfastError> {
  switch (error.code) {
    case "network_error":
      if (transport === "websocket") return withHint(error, socketHint(url));
      return diagnoseNetwork(url, error, {
        op: "connectAgent",
        fields: [...FIELDS, ...ownFields(options)],
        credentials: credentialsOf(url, options),
        signal: options.signal,
      });
    case "http_error":
      return withHint(error, httpHint(url, error.status, "ACP", "/acp"));
    case "protocol_error":
      if (!/Acp-Connection-Id/i.test(error.message)) {
        return withHint(error, `${place(url)} answers, but not as an ACP agent does. Is the path right? Many agents use /acp.`);
      }
      if (!isForeign(url)) return withHint(error, `${place(url)} has to give an Acp-Connection-Id with its answer to initialize. A proxy may have dropped it.`);
      return new HoldfastError({
        code: "cors_blocked",
        op: "connectAgent",
        message: "the agent is there, but its CORS rules hide the connection's id from this page",
        hint: `${new URL(url).origin} has to answer with  Access-Control-Expose-Headers: Acp-Connection-Id`,
        cause: error,
      });
    case "unauthorized":
      return withHint(
        error,
        options.token
          ? "The agent refused the token that the provider gave. Has it expired, or is it meant for another server?"
          : "The agent wants a bearer token: pass a token provider in the options.",
      );
    default:
      return error;
  }
}

/** Browsers say nothing at all of why a WebSocket could not be opened. */
function socketHint(url: string): string {
  const { protocol, host } = new URL(url);
  if (globalThis.location?.protocol === "https:" && protocol === "ws:") {
    return "The page is https and the socket ws: browsers block that (mixed content). Use wss:.";
  }
  return `No WebSocket could be opened at ${host}. Is the agent running, is the path right, and does it allow pages of this origin?`;
}
