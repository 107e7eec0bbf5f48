import type { ConnectOptions } from "../../client/options.js";
import { loadedChunk, type PageChunk } from "../../connect/loadchunk.js";
import { HoldfastError } from "../../base/errors.js";
import { connectBy, type ConnectWays } from "./connectby.js";
import { named } from "../page/noworker.js";
import { checkKept, chosenWay, pageHost, type PageSide, workerClient } from "./hosts.js";

/**
 * Options of {@link preload}: those of `connect` that say where the runtime will be, and where its files are.
 * Its other options may be among them; what it refuses is refused here as well.
 */
export interface PreloadOptions
  extends Pick<ConnectOptions, "host" | "wasm" | "worker" | "validator" | "principal" | "token" | "fetch" | "auth"> {}

/**
 * Loads what `connect` will need: for an app that knows early that
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
export function preload(options: PreloadOptions = {}): Promise<void> {
  return loadAhead("preload", pageHost, workerClient, options);
}

/** Chunk that runs clients of a kind in the page. */
type HostChunk = PageChunk<{ loadHere(options: object): Promise<void> }>;

/**
 * Loads what clients of a kind need, in this page or in a worker. Throws, in the name of `op`, what the connect
 * would throw of its options.
 */
export async function loadAhead<O extends PreloadOptions>(
  op: string, here: HostChunk, there: PageChunk<PageSide>, options: O,
): Promise<void> {
  try {
    await connectBy(ways(op, here, there), "", options);
  } catch (error) {
    const { code, op: failed, message } = error as HoldfastError; // op is that of the connect
    if (code === "bad_argument") throw new HoldfastError({ code, op, message: message.slice(failed.length + 2) });
  }
}

/**
 * Ways to load the code of a client, as if a client of that kind were connected. The loaded chunk checks the
 * options.
 */
function ways(op: string, here: HostChunk, there: PageChunk<PageSide>): ConnectWays<PreloadOptions, void> {
  const isPage = (): boolean => typeof globalThis.addEventListener === "function"; // or a worker: a server has none
  return {
    op,
    isAhead: true,
    here: async (_, options) => {
      if (isPage()) await (await loadedChunk(here, options)).loadHere(options);
    },
    there: async (_, options, kind, starts) => {
      if (!isPage()) return;
      try {
        const way = await chosenWay(there, kind, options, starts);
        const link = await way.link();
        try {
          there.here!.check(options);
          checkKept(link, options).send({ t: "load", wasm: way.crossing.wasm, agents: there.wasm?.agents === true });
        } catch (error) {
          link.unused();
          throw error;
        }
      } catch (error) {
        throw named(op, error); // where there is no worker the page's host is loaded
      }
    },
  };
}
