import { LOOKING, type CallSnapshot } from "./callsnapshot.js";
import type { CallsSnapshot } from "./callsstore.js";
import { CONNECTING, type ConnectionSnapshot } from "./sharedconnections.js";
import { NO_ELICITATIONS, type ServerElicitation } from "./elicitations.js";
import { NO_SESSION, type AgentSessionSnapshot } from "./sessionstore.js";
import { NO_TOOLS, type ToolsSnapshot } from "./toolsstore.js";

/** What is shown where there is no client yet, and by a server that renders the page: the same objects each time. */
export const empty: {
  readonly connection: ConnectionSnapshot<never>;
  readonly call: CallSnapshot;
  readonly calls: CallsSnapshot;
  readonly tools: ToolsSnapshot;
  readonly elicitations: readonly ServerElicitation[];
  readonly agentSession: AgentSessionSnapshot;
} = {
  connection: CONNECTING,
  call: LOOKING,
  calls: Object.freeze({ state: "looking", calls: [] }),
  tools: NO_TOOLS,
  elicitations: NO_ELICITATIONS,
  agentSession: NO_SESSION,
};
