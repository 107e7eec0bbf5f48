import type { PageChunk } from "../connect/loadchunk.js";
import { agentsWasm } from "./agentswasm.js";
import { OP } from "./op.js";

declare const HOLDFAST_ONE_FILE: boolean;

/** The chunk that connects to agents in this page. */
export const agentHost: PageChunk<Pick<typeof import("./connectagent.js"), "connectAgentHere" | "loadHere">> = {
  op: OP,
  wasm: agentsWasm,
  load: () => (
    HOLDFAST_ONE_FILE ? Promise.reject(new TypeError("it is not in the file")) : import("./connectagent.js")
  ),
};
