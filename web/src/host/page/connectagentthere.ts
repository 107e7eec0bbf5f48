// The page's side of an agent's client whose runtime is in a worker: a chunk, which is loaded while
// the worker starts.

import { Agent } from "../../agent/agent.js";
import { type AgentOptions, elicits } from "../../agent/agentoptions.js";
import { OP } from "../../agent/op.js";
import { CONNECT_AGENT } from "../../agent/agentoptionkinds.js";
import { closeBy } from "../../connect/abort.js";
import { backlogLimits } from "../../connect/backloglimits.js";
import { Backlog } from "../../base/backlog.js";
import { check as checkKind } from "../../base/kinds.js";
import type { WorkerWay } from "./connectthere.js";
import { RemoteAgent } from "./remoteagent.js";

export { HostLink } from "./hostlink.js";

/** Refuses options that there are not, before the worker hears of any. */
export function check(options: object): void {
  checkKind(OP, "options", options, CONNECT_AGENT);
}

/** Connects in the worker that was started. */
export async function connectAgentThere(url: string, options: AgentOptions, { crossing, ...way }: WorkerWay): Promise<Agent> {
  const { handlers = {} } = options;
  const backend = new RemoteAgent({ ...way, url, options: crossing, handlers });
  const agent = new Agent(backend, { handlers, elicits: elicits(options), backlog: new Backlog(...backlogLimits(OP, options)) });
  await backend.open(options.signal);
  closeBy(options.signal, agent);
  return agent;
}
