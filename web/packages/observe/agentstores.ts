/**
 * Agents as values that change, for what draws them: `holdfast/store` says what a {@link Store} is, and
 * `holdfast/agent/react` has hooks made of these.
 *
 * ```ts
 * import { observeAgentSession } from "holdfast/agent/store";
 *
 * const stop = observeAgentSession(agent).subscribe(({ state, transcript }) => draw(state, transcript));
 * ```
 *
 * Named exports only: every name added here is public API.
 *
 * @module
 */

import { type Agent, type AgentOptions, connectAgent } from "holdfast/agent";
import { Connections, type SharedConnection, type SharedOptions } from "./sharedconnections.js";

export { emptySession, observeAgentSession } from "./sessionstore.js";
export type { AgentSessionSnapshot } from "./sessionstore.js";

// An agent goes on by itself.
const agents = new Connections<Agent, AgentOptions>({
  op: "sharedAgent", open: connectAgent, isIdle: () => true,
});

/** As `sharedConnection` of `holdfast/store`, for an ACP agent. To close it leaves the agent to its work. */
export function sharedAgent(
  url: string | URL, options: SharedOptions<AgentOptions> = {},
): SharedConnection<Agent, AgentOptions> {
  return agents.to(url, options);
}
