import { unlessAborted } from "../connect/abort.js";
import { backlogLimits } from "../connect/backloglimits.js";
import { checkMixedContent } from "../connect/mixedcontent.js";
import { openedClient } from "../connect/opening.js";
import { storeKeys, type TokenSource, UserStores } from "../connect/userstores.js";
import { explained, ownFields } from "../diagnosis/loaddiagnosis.js";
import { agentsWasm } from "./agentswasm.js";
import { load } from "../runtime/loadruntime.js";
import { throwIfAborted } from "../base/arguments.js";
import { HoldfastError } from "../base/errors.js";
import { AgentClient } from "./agentclient.js";
import { type AgentAddress, agentAddress } from "./agentaddress.js";
import { type AgentOptions, cookiesGo, coreOptions } from "./agentoptions.js";
import { OP } from "./op.js";
import { SessionStreams } from "./sessionstreams.js";

/**
 * The prefix of the keys that agents' sessions are stored under. An MCP server's key begins with its URL, and
 * so never with this.
 */
export const AGENT = "acp:";

/** The checked parts that an agent's client is made of. */
export interface AgentPlan {
  address: AgentAddress;
  /** Options of the core's, as wasm/agent.go has them. */
  core: object;
  /** limits.backlog, limits.backlogBytes and limits.backlogTotal. */
  backlog: [number, number, number];
  /** The options as the app gave them. */
  options: AgentOptions;
}

/** Checks what the app gave; throws `bad_argument`. */
export function agentPlan(url: string | URL, options: AgentOptions): AgentPlan {
  const address = agentAddress(url, options);
  return { address, core: coreOptions(address, options), backlog: backlogLimits(OP, options), options };
}

/** The stores of the user that the options name, and the tokens. */
export function agentStores({ address, options }: AgentPlan, at: () => string): UserStores {
  return new UserStores(options, cookiesGo(address, options), storeKeys(at, AGENT), address.url);
}

/** The function that opens an agent's client. */
export type OpenAgent = typeof openAgent;

/**
 * Opens a client in this page or worker. `tokens` are those for it at an address; `made` gets it before
 * anything can happen to it, and another one where it is opened once more.
 */
export async function openAgent(
  plan: AgentPlan,
  signal: AbortSignal | undefined,
  tokens: (at: string) => TokenSource,
  made: (client: AgentClient) => void,
): Promise<AgentClient> {
  const { address, core, options } = plan;
  throwIfAborted(OP, signal);
  await unlessAborted(OP, signal, checkMixedContent(OP, address.url, options));
  try {
    return await openedClient(OP, address.url, signal, (at) => {
      const stores = tokens(at);
      const streams = address.transport === "http" ? new SessionStreams(at) : undefined;
      return {
        runtime: load(agentsWasm, options.wasm),
        store: stores.open(),
        streams,
        make: (runtime, { journal }) => {
          const keeping = {
            journal, stores, fetch: options.fetch, reload: () => load(agentsWasm, options.wasm),
          };
          const explain = (error: HoldfastError): Promise<HoldfastError> =>
            diagnoseAgent(address, error, options);
          const client = new AgentClient(runtime, at, { keeping, explain, streams });
          made(client);
          return client;
        },
        start: async (client, { why }) => {
          await client.start({ ...core, url: at }, options.credentials ?? "omit");
          setTimeout(() => client.connected(why), 0); // not before the app can listen
        },
      };
    });
  } catch (error) {
    if (!(error instanceof HoldfastError) || signal?.aborted) throw error;
    throw await unlessAborted(
      OP, signal, diagnoseAgent(address, error, { ...options, ...(signal && { signal }) }),
    );
  }
}

/** Finds out why connecting to an agent failed, and says what a person can do about it. */
export function diagnoseAgent(
  { url, transport }: AgentAddress, error: HoldfastError, options: AgentOptions,
): Promise<HoldfastError> {
  if (options.fetch) return Promise.resolve(error); // as client/diagnose.ts has it
  return explained(OP, url, error, options, (chunk, failed) => {
    const sent = {
      fields: ownFields(options), credentials: options.credentials ?? "omit", signal: options.signal,
    };
    return chunk.findAgentCause(failed, transport === "websocket" ? undefined : sent);
  });
}
