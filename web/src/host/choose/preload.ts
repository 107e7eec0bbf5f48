import { agentHost } from "../../agent/loadagent.js";
import type { ConnectOptions } from "../../client/options.js";
import { loadedChunk, type PageChunk } from "../../connect/loadchunk.js";
import { badArgument } from "../../base/arguments.js";
import { HoldfastError } from "../../base/errors.js";
import { agentWorker } from "./agenthosts.js";
import { connectBy, type ConnectWays } from "./connectby.js";
import { named } from "../page/noworker.js";
import { checkKept, chosenWay, pageHost, workerClient } from "./hosts.js";

/**
 * Options of {@link preload}: those of `connect` or `connectAgent` that say where the runtime will be,
 * and where its files are. Their other options may be among them; what these refuse is refused here as well.
 */
export interface PreloadOptions extends Pick<ConnectOptions, "host" | "wasm" | "worker" | "validator" | "principal" | "token" | "fetch" | "auth"> {
  /** What `connectAgent` needs, and not `connect`. Default false. */
  agents?: boolean;
}

/**
 * Loads what `connect` will need, or with `agents` what `connectAgent` will: for an app that knows early that
 * it will connect, as before somebody has signed in. It fetches and compiles the wasm, starts the shared
 * worker that will run it, and loads the page's part. Give it the options that the connect will have: `host`,
 * `principal` and those that say where files are tell one worker from another.
 *
 * Resolves when the page has what it needs; a worker may still be compiling. Nothing is wrong with calling it
 * twice, or connecting meanwhile: each file is fetched once. On a server it does nothing. What could not be
 * loaded it does not say: the connect loads it again, and does.
 *
 * @throws HoldfastError `bad_argument` where an option says what none can mean
 */
export async function preload(options: PreloadOptions = {}): Promise<void> {
  const agents: unknown = options?.agents ?? false;
  try {
    if (typeof agents !== "boolean") throw badArgument(OP, "agents", "has to be true or false");
    await connectBy(agents ? ways(agentHost, agentWorker) : ways(pageHost, workerClient), "", options);
  } catch (error) {
    const { code, op, message } = error as HoldfastError; // op is that of the connect
    if (code === "bad_argument") throw new HoldfastError({ code, op: OP, message: message.slice(op.length + 2) });
  }
}

const OP = "preload";

/** The options of the connect. An object of a class of the app's stays one: it may have members of its own. */
function withoutAgents(given: PreloadOptions): PreloadOptions {
  if (given.agents === undefined) return given;
  const { agents, ...options } = given;
  return Object.assign(Object.create(Object.getPrototypeOf(given) as object | null) as PreloadOptions, options);
}

/** What is loaded, as if a client of that kind were connected. The chunk that is loaded looks at the options. */
function ways(here: PageChunk<{ loadHere(options: object): Promise<void> }>, there: typeof workerClient | typeof agentWorker): ConnectWays<PreloadOptions, void> {
  const isPage = (): boolean => typeof globalThis.addEventListener === "function"; // or a worker: a server has none
  return {
    op: OP,
    here: async (_, given) => {
      const options = withoutAgents(given);
      if (isPage()) await (await loadedChunk(here, options)).loadHere(options);
    },
    there: async (_, given, kind, starts) => {
      const options = withoutAgents(given);
      if (!isPage()) return;
      try {
        const way = await chosenWay(there, kind, options, starts);
        const link = await way.link();
        try {
          there.here!.check(options);
          checkKept(link, options).send({ t: "load", wasm: way.crossing.wasm, agents: there === agentWorker });
        } catch (error) {
          link.unused();
          throw error;
        }
      } catch (error) {
        throw named(OP, error); // where there is no worker the page's host is loaded
      }
    },
  };
}
