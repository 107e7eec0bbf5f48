import { HoldfastError } from "../base/errors.js";
import { withAction } from "../input/action.js";
import { CANCELLED } from "../input/answering.js";
import { type FormElicitation, withCheck, withDefaults } from "../input/elicitation.js";
import { handlerFailed, readable } from "../input/handlerfailed.js";
import type { Handlers } from "../input/handlers.js";
import type { Open } from "../base/mcp.js";
import { unsafeVisit } from "../base/safeaddress.js";
import type { SessionBackend } from "./sessionbackend.js";
import type { WithdrawnReason } from "./sessionevents.js";
import { ElicitationRequest, question, type AgentQuestion, type PermissionRequest } from "./questions.js";

/**
 * The app's handlers of the agent's requests. A handler fails if it throws, or answers with none of the
 * options. The agent then gets an error, which is no person's answer, and the app's console shows the
 * failure.
 */
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

/** The parts of their client or session that open questions use. */
export interface OpenQuestionsUse {
  readonly handlers: AgentHandlers;
  /** True if the client offered elicitations to the agent. */
  readonly elicits: boolean;
  /**
   * The page that answers: this one; another one, to which this page passes the answer; or another one out of
   * reach.
   */
  answers(): "here" | "there" | "nowhere";
  opened(request: AgentQuestion): void;
  withdrawn(request: AgentQuestion, reason: WithdrawnReason): void;
  /** The agent wants an unsafe page visited: `problem` says why no person is shown it. */
  unsafe(problem: string): void;
}

/** The words of `integrity` for a visit that the app is not asked about. */
export function unsafeEvent(problem: string): { what: string; cause: string } {
  return { what: "unsafe_visit", cause: `the page to visit ${problem}` };
}

/** The requests of the agent that have no answer yet, in one session or outside of all. */
export class OpenQuestions {
  readonly #backend: SessionBackend;
  readonly #use: OpenQuestionsUse;
  readonly #open = new Map<number, AgentQuestion>();
  /** Requests that were answered here, for another page to pass on: another answer may have been quicker. */
  readonly #given = new Map<number, AgentQuestion>();
  /** Requests that a handler has. */
  readonly #handled = new WeakSet<AgentQuestion>();
  /** Saved drafts for the requests that come next. */
  readonly #drafts = new Map<number, unknown>();

  constructor(backend: SessionBackend, use: OpenQuestionsUse) {
    this.#backend = backend;
    this.#use = use;
  }

  /** The requests that wait for an answer. */
  get requests(): AgentQuestion[] {
    return [...this.#open.values()];
  }

  /** The saved draft for the request that comes next. */
  draft(handle: number, text: string): void {
    this.#drafts.set(handle, JSON.parse(text));
  }

  /** The agent asks; `handle` is the backend's number for it. */
  ask(handle: number, text: string): void {
    const { method, params, restored = false } =
      JSON.parse(text) as { method: string; params: Open; restored?: boolean };
    const respond = (ok: boolean, json: string): void => this.#backend.respond(handle, ok, json);
    const answer = (ok: boolean, json: string): void => {
      const answers = this.#use.answers();
      if (answers === "nowhere") {
        throw new HoldfastError({
          code: "elsewhere",
          op: method,
          message: "another page carries the session, and cannot be reached",
          retryable: true,
        });
      }
      this.#open.delete(handle);
      if (answers === "there") this.#given.set(handle, request!);
      respond(ok, json);
    };
    const save = (json: string): void => this.#backend.draft(handle, json);
    const request = question(
      method,
      params,
      restored,
      answer,
      {
        draft: this.#drafts.get(handle),
        save,
        check: (given) => withDefaults(params as unknown as FormElicitation, given),
      },
    );
    this.#drafts.delete(handle);
    if (!request || (request instanceof ElicitationRequest && !this.#use.elicits)) {
      respond(false, `{"code":-32601,"message":"Method not found"}`);
      return;
    }
    // A mode that is not known is not shown as one that is (client MUST 7).
    if (request instanceof ElicitationRequest && request.mode !== "form" && request.mode !== "url") {
      respond(false, `{"code":-32602,"message":"The client does not know this mode"}`);
      return;
    }
    const problem = request instanceof ElicitationRequest && request.mode === "url"
      ? unsafeVisit(request.url, this.#backend.url)
      : undefined;
    if (problem !== undefined) {
      respond(true, JSON.stringify(CANCELLED));
      this.#use.unsafe(problem);
      return;
    }
    this.#open.set(handle, request);
    this.#use.opened(request);
  }

  /** The backend has assigned the request to this page: its handler answers, where there is one. */
  assign(handle: number): void {
    const request = this.#open.get(handle);
    if (!request || this.#handled.has(request) || this.#use.answers() !== "here") return;
    this.#handled.add(request);
    void this.#handle(request);
  }

  /** The request needs no answer any more. "given": another page has passed this page's answer on. */
  withdraw(handle: number, reason: WithdrawnReason | "given"): void {
    const request = this.#open.get(handle) ?? this.#given.get(handle);
    this.#open.delete(handle);
    this.#given.delete(handle);
    if (!request || reason === "given") return; // answered meanwhile
    request.end();
    this.#use.withdrawn(request, reason);
  }

  /** All requests need no answer any more. */
  withdrawAll(reason: WithdrawnReason): void {
    for (const handle of [...this.#open.keys()]) this.withdraw(handle, reason);
    this.#given.clear();
    this.#drafts.clear();
  }

  async #handle(request: AgentQuestion): Promise<void> {
    const { permission, elicitation } = this.#use.handlers;
    const name = request instanceof ElicitationRequest ? "elicitation" : "permission";
    try {
      await undefined; // app code never runs within the core's effects
      if (request.signal.aborted) return;
      if (request instanceof ElicitationRequest) {
        if (!elicitation) return;
        const { draft } = request;
        const saveDraft = (value: unknown): void => request.saveDraft(value);
        const context = withCheck(
          request.params,
          {
            server: this.#backend.url,
            signal: request.signal,
            ...(draft === undefined ? {} : { draft }),
            saveDraft,
          },
        );
        const result = withAction(await elicitation(request.request, context));
        if (!request.signal.aborted) request.respond(result);
      } else if (permission) {
        const optionId = await permission(request);
        if (request.signal.aborted) return;
        if (optionId === null) request.cancel();
        else request.select(optionId);
      }
    } catch (error) {
      if (request.signal.aborted) return;
      // An error of the app's own handler belongs in the app's console. The person has not answered: the
      // agent gets an error.
      reportError(handlerFailed(name, request.method, readable(error)));
      request.refuse(-32603, "The client could not answer");
    }
  }
}
