import { closeBy } from "../connect/abort.js";
import { Backlog } from "../shared/backlog.js";
import type { HostEvent } from "../shared/host.js";
import { Agent } from "./agent.js";
import { elicits, type AgentOptions } from "./agentoptions.js";
import { agentPlan, agentStores, openAgent } from "./openagent.js";

/** Connects in this page; `notice` is what the app hears of where it might have been. */
export async function connectAgentHere(url: string | URL, options: AgentOptions, notice?: HostEvent): Promise<Agent> {
  const plan = agentPlan(url, options);
  const { handlers = {}, signal } = options;
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
