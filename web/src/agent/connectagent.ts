import { closeBy } from "../connect/abort.js";
import { Backlog } from "../shared/backlog.js";
import { Agent } from "./agent.js";
import { elicits, type AgentOptions } from "./agentoptions.js";
import { agentPlan, agentStores, openAgent } from "./openagent.js";

/** Connects in this page. */
export async function connectAgentHere(url: string | URL, options: AgentOptions): Promise<Agent> {
  const plan = agentPlan(url, options);
  const { handlers = {}, signal } = options;
  const backlog = new Backlog(...plan.backlog);
  let agent!: Agent;
  await openAgent(
    plan,
    signal,
    (at) => agentStores(plan, () => at),
    (client) => (agent = new Agent(client, { handlers, elicits: elicits(options), backlog })),
  );
  closeBy(signal, agent);
  return agent;
}
