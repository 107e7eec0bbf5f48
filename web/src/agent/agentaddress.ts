import { badArgument, serverURL } from "../base/arguments.js";
import { OP } from "./op.js";

const SCHEMES = { http: ["http:", "https:"], websocket: ["ws:", "wss:"] } as const;

/** Where an agent is, and how it is spoken to. */
export interface AgentAddress {
  url: string;
  transport: "http" | "websocket";
}

/** The agent's endpoint as its transport has it; throws `bad_argument`. */
export function agentAddress(
  url: string | URL, { transport }: { readonly transport?: AgentAddress["transport"] },
): AgentAddress {
  const absolute = new URL(serverURL(url, OP, [...SCHEMES.http, ...SCHEMES.websocket]));
  if (transport !== undefined && transport !== "http" && transport !== "websocket") {
    throw badArgument(OP, "transport", 'has to be "http" or "websocket"');
  }
  const named = absolute.protocol.startsWith("ws") ? "websocket" : "http";
  const chosen = transport ?? named;
  if (chosen !== named)
    absolute.protocol =
      SCHEMES[chosen][absolute.protocol === "https:" || absolute.protocol === "wss:" ? 1 : 0];
  return { url: absolute.href, transport: chosen };
}
