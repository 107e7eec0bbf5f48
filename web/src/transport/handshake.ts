import type { McpClient } from "../client/client.js";
import type { HoldfastError } from "../base/errors.js";
import type { Implementation, Open } from "../base/mcp.js";
import { unsupported } from "./refusals.js";

/** The Client's introduction (schema: InitializeRequestParams). */
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
    throw unsupported(
      "initialize", "capabilities.tasks: a server's question cannot become a task of the Client's",
      "leave `tasks` out of the Client's capabilities: calls of tools become tasks by themselves",
    );
  }
  return { offered: String(protocolVersion), capabilities: declared, client: clientInfo as Implementation };
}

/**
 * The result of `initialize`: the server's introduction, in whichever revision. The Client and the transport
 * speak the revision that the Client offers; the transport translates the server's. The result leaves out the
 * capability of tasks: the Client would want to drive the tasks that calls become.
 */
export function initializeResult(mcp: McpClient, offered: string): Open {
  const { tasks: _, ...capabilities } = mcp.capabilities as Open;
  const { name = "", version = "", ...more } = (mcp.server ?? {}) as Partial<Implementation>;
  return {
    protocolVersion: offered,
    capabilities,
    serverInfo: { name, version, ...more },
    ...(mcp.instructions !== undefined && { instructions: mcp.instructions }),
  };
}

/**
 * The answer to `server/discover`, by which a Client with `versionNegotiation` asks for 2026-07-28: with the
 * mode "auto" it then makes the handshake, with a pinned revision it gives up. In 2026-07-28 each
 * request stands for itself and is made anew with what was asked for: nothing would be left to find again.
 */
export function notDiscovered(): HoldfastError {
  return unsupported(
    "server/discover",
    "the Client and the transport speak by initialize, whatever the transport and the server speak",
    'leave versionNegotiation out, or have its mode "auto"',
  );
}

/** Refuses a revision that the Client has taken without a handshake (`connect` with `prior`). */
export function checkRevision(version: string, offered: string | undefined): void {
  if (version !== offered)
    throw unsupported(
      "initialize", `the Client goes by ${version} without asking`,
      "leave `prior` out: the transport stores the handshake by itself",
    );
}
