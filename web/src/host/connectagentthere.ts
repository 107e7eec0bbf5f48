import { Agent } from "../agent/agent.js";
import { agentAddress, type AgentOptions, elicits } from "../agent/agentoptions.js";
import { closeBy } from "../connect/abort.js";
import { backlogLimits } from "../connect/backloglimits.js";
import { Backlog } from "../shared/backlog.js";
import type { Starts } from "./connectby.js";
import { wayTo } from "./hosts.js";
import { RemoteAgent } from "./remoteagent.js";

const OP = "connectAgent";

/** Connects in a worker; `starts` is called before one is started, and may throw. */
export async function connectAgentThere(url: string | URL, options: AgentOptions, kind: "shared" | "worker", starts: Starts): Promise<Agent> {
  const address = agentAddress(url, options);
  const { handlers = {}, ...rest } = options;
  const { crossing, ...way } = await wayTo(OP, kind, rest, starts);
  const backend = new RemoteAgent({ ...way, url: address.url, options: crossing, handlers });
  const agent = new Agent(backend, { handlers, elicits: elicits(options), backlog: new Backlog(...backlogLimits(OP, options)) });
  await backend.open(options.signal);
  closeBy(options.signal, agent);
  return agent;
}
