import type { McpClient } from "../client/client.js";
import { HoldfastError, type RPCError } from "../shared/errors.js";
import type { Implementation, Open } from "../shared/mcp.js";
import { unsupported } from "./refusals.js";

/** The newest revision whose handshake is `initialize`, which is how the Client and the transport speak. */
export const HANDSHAKE = "2025-11-25";

/** What the Client says of itself (schema: InitializeRequestParams). */
export interface Introduction {
  /** The revision that it offers. */
  offered: string;
  capabilities: Open;
  client: Implementation;
}

/** Reads the params of `initialize`; throws `unsupported` for what the transport has no way for. */
export function introduction({ protocolVersion, capabilities = {}, clientInfo }: Open): Introduction {
  const declared = capabilities as Open;
  if (declared["tasks"]) {
    throw unsupported("initialize", "capabilities.tasks: a server's question cannot become a task of the Client's", "leave `tasks` out of the Client's capabilities: calls of tools become tasks by themselves");
  }
  return { offered: String(protocolVersion ?? HANDSHAKE), capabilities: declared, client: clientInfo as Implementation };
}

/**
 * The result of `initialize`: what the server has said of itself, in whichever revision. The revision is the server's
 * own where the Client knows it, since what a later one has anew the transport translates. That calls become tasks is
 * none of the Client's business: the capability is left out, or the Client would want to drive them.
 */
export function initializeResult(mcp: McpClient, offered: string): Open {
  const { tasks: _, ...capabilities } = mcp.capabilities as Open;
  const { name = "", version = "", ...more } = (mcp.server ?? {}) as Partial<Implementation>;
  return {
    protocolVersion: mcp.revision !== "" && mcp.revision < offered ? mcp.revision : offered,
    capabilities,
    serverInfo: { name, version, ...more },
    ...(mcp.instructions !== undefined && { instructions: mcp.instructions }),
  };
}

/**
 * The answer to `server/discover`, by which a Client with `versionNegotiation` asks for 2026-07-28: with the mode
 * "auto" it then makes the handshake, with a pinned revision it says that this cannot be. In 2026-07-28 each
 * request stands for itself and is made anew with what was asked for: nothing would be left to find again.
 */
export function notDiscovered(params: Open): RPCError {
  const requested = ((params["_meta"] ?? {}) as Open)["io.modelcontextprotocol/protocolVersion"];
  return {
    code: -32022, // UnsupportedProtocolVersion (2026-07-28 basic/versioning)
    message: `the Client and the transport speak ${HANDSHAKE}, whatever the transport and the server speak: leave versionNegotiation out, or have its mode "auto"`,
    data: { supported: [HANDSHAKE], requested: requested ?? "" },
  };
}

/** Refuses a revision that the Client has taken without asking (`connect` with `prior`). */
export function checkRevision(version: string): void {
  if (version <= HANDSHAKE) return;
  throw new HoldfastError({ code: "unsupported", op: "initialize", message: `the Client and the transport speak ${HANDSHAKE}, and not ${version}`, hint: "leave `prior` out: the transport stores the handshake by itself" });
}
