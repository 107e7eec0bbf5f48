/**
 * Hooks of agents for React 18 and 19, over `holdfast/agent/store`.
 *
 * ```tsx
 * function Chat() {
 *   const { client } = useAgent("https://example.com/acp");
 *   const { state, transcript, requests, newSession, prompt } = useAgentSession(client); // also after a reload
 * }
 * ```
 *
 * Named exports only: every name added here is public API.
 *
 * @module
 */

import { useMemo } from "react";
import type { Agent, AgentOptions } from "holdfast/agent";
import {
  emptySession, observeAgentSession, sharedAgent, type AgentSessionSnapshot,
} from "holdfast/agent/store";
import { empty, type ConnectionSnapshot, type SharedOptions } from "holdfast/store";
import { constant, useShared, useStore } from "./useshared.js";

export type { AgentSessionSnapshot } from "holdfast/agent/store";
export type { ConnectionSnapshot, SharedOptions } from "holdfast/store";

/**
 * A connection to an ACP agent, as `useMcp` of `holdfast/react` is one to a server. To close it leaves the
 * agent to its work.
 */
export function useAgent(
  url: string | URL, options?: SharedOptions<AgentOptions>,
): ConnectionSnapshot<Agent> {
  return useStore(useShared(sharedAgent, url, options), empty.connection);
}

const noSession = constant(emptySession);

/**
 * A session with an agent: its transcript, who is at work, what the agent asks. Without an id it is the
 * newest that there is, of this page or of an earlier one; `newSession` begins another.
 */
export function useAgentSession(agent: Agent | undefined, sessionId?: string): AgentSessionSnapshot {
  const store = useMemo(
    () => (agent ? observeAgentSession(agent, sessionId) : noSession), [agent, sessionId],
  );
  return useStore(store, emptySession);
}
