import { closeBy } from "../connect/abort.js";
import { needsBrowser } from "../connect/needsbrowser.js";
import { agentsWasm } from "./agentswasm.js";
import { load } from "../runtime/loadruntime.js";
import { throwIfAborted } from "../base/arguments.js";
import { Backlog } from "../base/backlog.js";
import type { HostEvent } from "../base/host.js";
import { check } from "../base/kinds.js";
import { Agent } from "./agent.js";
import { elicits, type AgentOptions } from "./agentoptions.js";
import { OP } from "./op.js";
import { agentPlan, agentStores, openAgent } from "./openagent.js";
import { CONNECT_AGENT } from "./agentoptionkinds.js";

/** Connects in this page; `notice` is what the app hears of where it might have been. */
export async function connectAgentHere(
  url: string | URL, options: AgentOptions, notice?: HostEvent,
): Promise<Agent> {
  check(OP, "options", options, CONNECT_AGENT);
  const plan = agentPlan(url, options);
  const { handlers = {}, signal } = options;
  throwIfAborted(OP, signal);
  needsBrowser(OP); // what is wrong with the arguments is said first
  const backlog = new Backlog(...plan.backlog);
  let agent!: Agent;
  const { listeners } = await openAgent(
    plan,
    signal,
    (at) => agentStores(plan, () => at),
    (client) => (agent = new Agent(client, { handlers, elicits: elicits(options), backlog })),
  );
  if (notice) setTimeout(() => listeners.emit("host", notice), 0); // not before the app can listen
  closeBy(signal, agent);
  return agent;
}

/** Loads what agents' clients with these options run in, for preload. */
export async function loadHere(options: Pick<AgentOptions, "wasm">): Promise<void> {
  check(OP, "options", options, CONNECT_AGENT);
  await load(agentsWasm, options.wasm);
}
