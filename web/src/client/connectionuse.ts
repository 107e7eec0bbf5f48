import type { CallToolResult } from "../base/mcp.js";
import type { ClientEvents } from "./clientevents.js";
import type { CoreCall } from "./corecall.js";

/** The reports that a connection makes to its users. */
export interface ConnectionUse {
  /** The store has brought a call back; nobody has heard of what it had. */
  recalled(call: CoreCall<CallToolResult>): void;
  /** An event, before any listener hears of it. */
  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void;
}
