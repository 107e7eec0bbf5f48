import { HoldfastError } from "../errors.js";
import type { Handlers } from "../handlers.js";
import type { Open } from "../mcp.js";
import type { Wire } from "../wire.js";
import type { WithdrawnReason } from "./agentevents.js";
import { ElicitationRequest, question, type AgentQuestion, type PermissionRequest } from "./questions.js";

/** What the app does when the agent asks for something. */
export interface AgentHandlers {
  /** elicitation/create: ask the person. The same as for MCP ({@link Handlers.elicitation}). */
  elicitation?: Exclude<Handlers["elicitation"], undefined>;
  /**
   * session/request_permission: the id of the option that was chosen, or null where
   * the person did not decide. Without it requests wait in
   * {@link AgentSession.requests} to be answered there.
   */
  permission?: (request: PermissionRequest) => string | null | Promise<string | null>;
}

/** What those who are asked need to know. */
export interface AskedUse {
  readonly handlers: AgentHandlers;
  /** Whether elicitations were offered to the agent. */
  readonly elicits: boolean;
  /** The agent's URL. */
  readonly url: string;
  /** Whether another page has to answer. */
  elsewhere(): boolean;
  asked(request: AgentQuestion): void;
  withdrawn(request: AgentQuestion, reason: WithdrawnReason): void;
}

/** What the agent asks, in one session or outside of all, until it has its answer. */
export class Asked {
  readonly #wire: Wire;
  readonly #use: AskedUse;
  readonly #open = new Map<number, AgentQuestion>();

  constructor(wire: Wire, use: AskedUse) {
    this.#wire = wire;
    this.#use = use;
  }

  /** Those that wait for an answer. */
  get requests(): AgentQuestion[] {
    return [...this.#open.values()];
  }

  /** The agent asks; `handle` is the core's number for it. */
  ask(handle: number, text: string): void {
    const { method, params, restored = false } = JSON.parse(text) as { method: string; params: Open; restored?: boolean };
    const respond = (ok: boolean, json: string): void => this.#wire.runtime.respond(this.#wire.handle, handle, ok, json);
    const request = question(method, params, restored, (ok, json) => {
      if (this.#use.elsewhere()) {
        throw new HoldfastError({ code: "elsewhere", op: method, message: "another page carries the session, and answers", retryable: true });
      }
      this.#open.delete(handle);
      respond(ok, json);
    });
    if (!request || (request instanceof ElicitationRequest && !this.#use.elicits)) {
      respond(false, `{"code":-32601,"message":"Method not found"}`);
      return;
    }
    // A mode that is not known is not shown as one that is (client MUST 7).
    if (request instanceof ElicitationRequest && request.mode !== "form" && request.mode !== "url") {
      respond(false, `{"code":-32602,"message":"The client does not know this mode"}`);
      return;
    }
    this.#open.set(handle, request);
    this.#use.asked(request);
    if (!this.#use.elsewhere()) void this.#handle(request);
  }

  /** Nobody waits for that answer any more. */
  withdraw(handle: number, reason: WithdrawnReason): void {
    const request = this.#open.get(handle);
    if (!request) return; // answered meanwhile
    this.#open.delete(handle);
    request.end();
    this.#use.withdrawn(request, reason);
  }

  /** Nobody waits for any. */
  withdrawAll(reason: WithdrawnReason): void {
    for (const handle of [...this.#open.keys()]) this.withdraw(handle, reason);
  }

  async #handle(request: AgentQuestion): Promise<void> {
    const { permission, elicitation } = this.#use.handlers;
    try {
      await undefined; // app code never runs within the core's effects
      if (request.signal.aborted) return;
      if (request instanceof ElicitationRequest) {
        if (!elicitation) return;
        // To save what a person has begun is of the calls of MCP.
        const context = { server: this.#use.url, signal: request.signal, saveDraft: () => {} };
        const result = await elicitation(request.request, context);
        if (!request.signal.aborted) request.respond(result);
      } else if (permission) {
        const optionId = await permission(request);
        if (request.signal.aborted) return;
        if (optionId === null) request.cancel();
        else request.select(optionId);
      }
    } catch (error) {
      // What the app's own handler got wrong belongs in the app's console.
      reportError(error);
      if (!request.signal.aborted && !this.#use.elsewhere()) request.refuse(-32603, "The client could not answer");
    }
  }
}
