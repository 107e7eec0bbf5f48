import type { Agent } from "../../agent/agent.js";
import { agentAddress } from "../../agent/agentaddress.js";
import type { AgentOptions } from "../../agent/agentoptions.js";
import { agentsWasm } from "../../agent/agentswasm.js";
import { agentHost } from "../../agent/loadagent.js";
import { OP } from "../../agent/op.js";
import { backlogLimits } from "../../connect/backloglimits.js";
import { loadedChunk, type PageChunk } from "../../connect/loadchunk.js";
import { connectBy, type ConnectWays } from "./connectby.js";
import { loadSide, wayTo } from "./hosts.js";
import { AGENT_HANDLERS } from "../wire/openingmessage.js";
import { loadAhead } from "./preload.js";

declare const HOLDFAST_ONE_FILE: boolean;

/** This page's side of an agent's client in a worker. */
export const agentWorker: PageChunk<Pick<typeof import("../page/connectagentthere.js"), "check" | "connectAgentThere" | "HostLink">> = {
  op: OP,
  wasm: agentsWasm,
  inWorker: true,
  load: () => (HOLDFAST_ONE_FILE ? Promise.reject(new TypeError("it is not in the file")) : import("../page/connectagentthere.js")),
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
 *   cause could be found; `load_failed` where there is no wasm; `host_unavailable`
 *   where the host that `host` names cannot be had
 */
export function connectAgent(url: string | URL, options: AgentOptions = {}): Promise<Agent> {
  return connectBy(agentWays, url, options);
}

/** How an agent's client is connected. */
export const agentWays: ConnectWays<AgentOptions, Agent> = {
  op: OP,
  here: async (url, options, notice) => (await loadedChunk(agentHost, options)).connectAgentHere(url, options, notice),
  there: async (url, options, kind, starts) => {
    loadSide(agentWorker, options);
    const address = agentAddress(url, options);
    backlogLimits(OP, options); // refused before a worker is started for it
    const { side, way } = await wayTo(agentWorker, kind, options, starts, { t: "agent", url: address.url, handlers: AGENT_HANDLERS });
    return side.connectAgentThere(address.url, options, way);
  },
};

/**
 * Options of {@link preloadAgent}: those of `connectAgent` that say where the runtime will be, and where its files
 * are. Its other options may be among them; what it refuses is refused here as well.
 */
export interface PreloadAgentOptions
  extends Pick<AgentOptions, "host" | "wasm" | "worker" | "principal" | "token" | "fetch" | "auth"> {}

/** Loads what {@link connectAgent} will need, as `preload` does for `connect`. */
export function preloadAgent(options: PreloadAgentOptions = {}): Promise<void> {
  return loadAhead("preloadAgent", agentHost, agentWorker, options);
}
