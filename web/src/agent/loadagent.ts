import { loadedChunk, type PageChunk } from "../connect/loadchunk.js";
import type { Agent } from "./agent.js";
import type { AgentOptions } from "./agentoptions.js";

declare const HOLDFAST_ONE_FILE: boolean;

/** What connects to agents in this page. */
export const agentHost: PageChunk<Pick<typeof import("./connectagent.js"), "connectAgentHere">> = {
  op: "connectAgent",
  load: () => (HOLDFAST_ONE_FILE ? Promise.reject(new TypeError("it is not in the file")) : import("./connectagent.js")),
};

/**
 * Connects to an ACP agent over Streamable HTTP or a WebSocket: loads the runtime
 * (once per page), initializes, or goes on with the connection that an earlier
 * page had. {@link Agent.sessions} then has what that page had.
 *
 * @param url the agent's endpoint, absolute or relative to the page: http(s) or ws(s)
 * @throws HoldfastError `bad_argument` that names the argument; `network_error`,
 *   `cors_blocked`, `http_error`, `unauthorized`, `protocol_error`, `no_version`
 *   or `timeout` where there is no connection, with a `hint` for a person where the
 *   cause could be found; `load_failed` where there is no wasm
 */
export async function connectAgent(url: string | URL, options: AgentOptions = {}): Promise<Agent> {
  return (await loadedChunk(agentHost, options)).connectAgentHere(url, options);
}
