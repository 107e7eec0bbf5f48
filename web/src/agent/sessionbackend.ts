import type { Open } from "../base/mcp.js";
import type { McpServer } from "./acp.js";
import type { AgentFacts } from "./agentfacts.js";

/** The facts of a session that the core reports when it makes or restores one. */
export interface Recalled {
  sessionId: string;
  cwd: string;
  mcpServers?: McpServer[];
  additionalDirectories?: string[];
  /** An earlier page had it, or another one has it. */
  restored: boolean;
  /** This page carries it. */
  owned: boolean;
  /** Its number in the store; absent while it has none. */
  record?: number;
}

/**
 * The runtime below a session, wherever it runs: all requests to the agent go through it. Sessions and
 * questions have numbers there; session 0 is the connection itself.
 */
export interface SessionBackend {
  /** The agent's URL, absolute. */
  readonly url: string;
  /** The facts that the client knows of the agent now. */
  readonly facts: AgentFacts;
  /** True if this page can pass requests to the page that carries a session. */
  readonly canForward: boolean;
  /**
   * Makes a request in the scope of a session. `signal` asks the agent to end it.
   * `answered` is called when there is a result, before anything that is said next: who
   * waits for the promise hears of it only later.
   */
  request<T>(
    session: number, method: string, params: Open, signal?: AbortSignal, answered?: (result: unknown) => void,
  ): Promise<T>;
  /** Sends a notification in the scope of a session; resolves once the agent's server has it. */
  notify(session: number, method: string, params: Open): Promise<void>;
  /** Answers a question: `json` is a result, or an error object. */
  respond(question: number, ok: boolean, json: string): void;
  /** Saves what a person has typed of an answer. */
  draft(question: number, json: string): void;
  /** Forgets a session, which is not told to the agent. */
  forgetSession(session: number): void;
}
