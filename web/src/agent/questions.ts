import { draftText, type Draft } from "../input/drafts.js";
import type { ElicitationResult, FormElicitation, URLElicitation } from "../input/elicitation.js";
import { closedError } from "../base/errors.js";
import { badArgument } from "../base/arguments.js";
import type { JSONSchema, Open } from "../base/mcp.js";
import type { PermissionOption, PermissionSubject } from "./acp.js";
import { isObject } from "./patch.js";

/** Sends an answer: JSON of a result, or of an error object. Throws where it cannot be sent from here. */
type Answer = (ok: boolean, json: string) => void;

/** The state of a form that a person fills in. */
export interface Filling {
  /** The draft of the answer that was saved last. */
  draft: unknown;
  /** Saves the next draft: JSON, or nothing. */
  save(json: string): void;
  /**
   * Completes and checks it. It comes with what asks: before the host is there, a page has no use for it.
   * Without it whoever has asked checks.
   */
  check?: ((answer: ElicitationResult) => ElicitationResult) | undefined;
}

/** A request of the agent. It is answered once; later answers are refused. */
abstract class Question {
  /** The method: "session/request_permission" or "elicitation/create". */
  readonly method: string;
  /** The params of the request, as the agent sent it. */
  readonly params: Open;
  /** True if the agent had asked an earlier page already, which did not answer. */
  readonly restored: boolean;
  // Neither is `#`: an app may put what it is asked into a framework's proxy, and answer that.
  private readonly sends: Answer;
  private readonly over = new AbortController();

  constructor(method: string, params: Open, restored: boolean, answer: Answer) {
    this.method = method;
    this.params = params;
    this.restored = restored;
    this.sends = answer;
  }

  /**
   * Aborted when nobody waits for the answer any more: it was given, here or elsewhere, or the agent took the
   * request back.
   */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** @internal Nobody waits for it any more. */
  end(): void {
    this.over.abort();
  }

  /** @internal */
  protected answer(ok: boolean, value: object): void {
    if (this.signal.aborted) {
      throw closedError(this.method, "nobody waits for the answer any more");
    }
    this.sends(ok, JSON.stringify(value));
    this.end();
  }

  /** @internal Refuses it: with the error, which no text of the app's is part of. */
  refuse(code: number, message: string): void {
    this.answer(false, { code, message });
  }
}

/** The agent asks whether it may do something (session/request_permission). */
export class PermissionRequest extends Question {
  /** The agent's question, in words. */
  readonly title: string;
  readonly description: string | undefined;
  /** The subject: a tool call, a command, or one that is new; undefined where the agent does not say. */
  readonly subject: PermissionSubject | undefined;
  /** The answers that there are. */
  readonly options: readonly PermissionOption[];

  /** @internal */
  constructor(params: Open, restored: boolean, answer: Answer) {
    super("session/request_permission", params, restored, answer);
    const { title, description, subject, toolCall, options } = params;
    // Version 1 has nothing but the tool call.
    const about = subject ?? (isObject(toolCall) ? { type: "tool_call", toolCall } : undefined);
    this.subject = isObject(about) ? (about as PermissionSubject) : undefined;
    this.title = text(title) ?? text(this.subject?.toolCall?.title) ?? "";
    this.description = text(description);
    this.options = Array.isArray(options) ? (options.filter(isObject) as PermissionOption[]) : [];
  }

  /** Answers with an option; throws `bad_argument` where there is none of that id. */
  select(optionId: string): void {
    if (!this.options.some((option) => option.optionId === optionId)) {
      throw badArgument(this.method, "optionId", "is none of the options");
    }
    this.answer(true, { outcome: { outcome: "selected", optionId } });
  }

  /** Answers that the person did not decide. */
  cancel(): void {
    this.answer(true, { outcome: { outcome: "cancelled" } });
  }
}

/** The agent asks a person for something (elicitation/create): to fill in a form, or to visit a page. */
export class ElicitationRequest extends Question implements Draft {
  /** "form" or "url". */
  readonly mode: string;
  /** The agent's message to the person. */
  readonly message: string;
  /** The schema of a form: a flat object of strings, numbers, booleans and lists of choices. */
  readonly requestedSchema: JSONSchema | undefined;
  /** The address of a page to visit. Never fetch or open it without consent. Show the whole of it. */
  readonly url: string | undefined;
  /** The draft of the answer that this page or an earlier one saved last; undefined where there is none. */
  readonly draft: unknown;
  private readonly filling: Filling;

  /** @internal */
  constructor(params: Open, restored: boolean, answer: Answer, filling: Filling) {
    super("elicitation/create", params, restored, answer);
    this.draft = filling.draft;
    this.filling = filling;
    this.mode = text(params["mode"]) ?? "form";
    this.message = text(params["message"]) ?? "";
    this.requestedSchema = isObject(params["requestedSchema"]) ? params["requestedSchema"] : undefined;
    this.url = text(params["url"]);
  }

  /** @internal As a handler of MCP's takes it. */
  get request(): FormElicitation | URLElicitation {
    return this.params as unknown as FormElicitation | URLElicitation;
  }

  /**
   * The person agrees: with what the form holds, members that are left out get the
   * schema's defaults. Throws `bad_argument`, which names the member, where that
   * does not fit the schema.
   */
  accept(content: Record<string, string | number | boolean | string[]> = {}): void {
    this.respond({ action: "accept", content });
  }

  /**
   * Saves what the person has typed so far: see {@link Draft.saveDraft}. After a
   * reload it is {@link ElicitationRequest.draft} of the request that is asked
   * again. What is asked outside of any session is not kept.
   *
   * @throws HoldfastError `bad_argument` where `value` is no JSON or has more than 64 KiB of it
   */
  saveDraft(value: unknown): void {
    const json = draftText(value);
    if (!this.signal.aborted) this.filling.save(json);
  }

  /** The person says no. */
  decline(): void {
    this.respond({ action: "decline" });
  }

  /** The person did not decide. */
  cancel(): void {
    this.respond({ action: "cancel" });
  }

  /** @internal */
  respond(result: ElicitationResult): void {
    const isForm = this.mode === "form" && this.requestedSchema;
    this.answer(true, isForm ? (this.filling.check?.(result) ?? result) : { action: result.action });
  }
}

/** A request of the agent. `instanceof` tells which. */
export type AgentQuestion = PermissionRequest | ElicitationRequest;

/** Makes one of what the core says; undefined for a method that is none. */
export function question(
  method: string, params: Open, restored: boolean, answer: Answer, filling: Filling,
): AgentQuestion | undefined {
  if (method === "session/request_permission") return new PermissionRequest(params, restored, answer);
  if (method === "elicitation/create") return new ElicitationRequest(params, restored, answer, filling);
  return undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
