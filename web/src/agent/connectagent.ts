import { HoldfastError } from "../shared/errors.js";
import { Connections } from "../tabs/connections.js";
import { closeBy, unlessAborted } from "../connect/abort.js";
import { openedClient } from "../connect/opening.js";
import { throwIfAborted } from "../shared/arguments.js";
import { load } from "../runtime/loadruntime.js";
import { backlogLimits } from "../connect/backloglimits.js";
import { Backlog } from "../shared/backlog.js";
import { storeKeys, UserStores } from "../connect/userstores.js";
import { Agent } from "./agent.js";
import { AgentClient } from "./agentclient.js";
import { agentAddress, cookiesGo, coreOptions, elicits, type AgentOptions } from "./agentoptions.js";
import { diagnoseAgent } from "./diagnoseagent.js";
import { SharedStreams } from "./sharedstreams.js";

const OP = "connectAgent";

/** What an agent's sessions are stored under begins with it: an MCP server's key begins with its URL, and so never with this. */
const AGENT = "acp:";

/** Connects in this page. */
export async function connectAgentHere(url: string | URL, options: AgentOptions): Promise<Agent> {
  let agent!: Agent;
  await openAgent(url, options, (client, backlog) => (agent = new Agent(client, { handlers: options.handlers ?? {}, elicits: elicits(options), backlog })));
  closeBy(options.signal, agent);
  return agent;
}

/** Opens a client in this page; `made` gets it before anything can happen to it, once more where its runtime or address was another's. */
async function openAgent(url: string | URL, options: AgentOptions, made: (client: AgentClient, backlog: Backlog) => void): Promise<AgentClient> {
  const address = agentAddress(url, options);
  const core = coreOptions(address, options);
  const { signal } = options;
  const backlog = new Backlog(...backlogLimits(OP, options));
  throwIfAborted(OP, signal);
  try {
    return await openedClient(OP, address.url, signal, (at) => {
      const stores = new UserStores(options, cookiesGo(address, options), storeKeys(() => at, AGENT));
      const streams = new SharedStreams(address.transport === "http" ? Connections.of(at) : undefined);
      return {
        runtime: load(options.wasm),
        store: stores.open(),
        streams,
        make: (runtime, { journal }) => {
          const keeping = { journal, stores, reload: () => load(options.wasm) };
          const explain = (error: HoldfastError): Promise<HoldfastError> => diagnoseAgent(address, error, options);
          const client = new AgentClient(runtime, at, { keeping, explain, streams });
          made(client, backlog);
          return client;
        },
        start: async (client, { why }) => {
          await client.start({ ...core, url: at }, options.credentials ?? "omit");
          if (why) setTimeout(() => client.tellMemory(why), 0); // not before the app can listen
        },
      };
    });
  } catch (error) {
    if (!(error instanceof HoldfastError) || signal?.aborted) throw error;
    throw await unlessAborted(OP, signal, diagnoseAgent(address, error, options));
  }
}
