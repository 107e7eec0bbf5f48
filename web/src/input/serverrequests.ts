import { draftOf, draftText } from "./drafts.js";
import type { Handlers } from "./handlers.js";
import { answerRequest, type ServerRequest } from "./inputs.js";
import type { Open } from "../base/mcp.js";
import type { Wire } from "../runtime/wire.js";

/** Requests that the server itself makes (until 2025-11-25), while the app's handlers answer them. */
export class ServerRequests {
  readonly #wire: Wire;
  readonly #handlers: Handlers;
  readonly #url: string;
  /** Drafts of the answers that earlier pages have saved, as JSON. */
  readonly #drafts = new Map<number, string>();
  readonly #open = new Map<number, { id: unknown; call: number; controller: AbortController }>();

  constructor(wire: Wire, handlers: Handlers, url: string) {
    this.#wire = wire;
    this.#handlers = handlers;
    this.#url = url;
  }

  /** An earlier page has saved this of the answer to a request that comes next: JSON. */
  draft(request: number, text: string): void {
    this.#drafts.set(request, text);
  }

  /**
   * Answers a request: `text` is its JSON, `request` the core's number for it, `call` that of the call that
   * it came on, if any, and `of` that call.
   */
  async answer(request: number, text: string, call = 0, of?: object): Promise<void> {
    const controller = new AbortController();
    const { id, method, params } = JSON.parse(text) as ServerRequest;
    this.#open.set(request, { id, call, controller });
    const draft = this.#drafts.get(request);
    const drafts = draft === undefined ? {} : { saved: JSON.parse(draft) as unknown };
    this.#drafts.delete(request);
    const { runtime, handle } = this.#wire;
    const save = (_: string, value: unknown): void => runtime.saveDraft(handle, 0, request, "", draftText(value));
    const context = {
      server: this.#url,
      signal: controller.signal,
      ...(of && { call: of }),
      ...draftOf(drafts, "saved", save),
    };
    const { ok, json } = await answerRequest(method, params ?? {}, this.#handlers, context);
    // cancelled, or the next runtime has given the number to another one
    if (this.#open.get(request)?.controller !== controller) return;
    this.#open.delete(request);
    runtime.respond(handle, request, ok, json);
  }

  /**
   * The server has cancelled the request with that id (notifications/cancelled): it wants no answer any more.
   */
  cancelled(params: Open | undefined): void {
    for (const [request, { id, controller }] of this.#open) {
      if (id !== params?.["requestId"]) continue;
      this.#open.delete(request);
      controller.abort();
      this.#wire.runtime.respond(this.#wire.handle, request, false, "");
    }
  }

  /** A call was cancelled, or is lost, and with it what the server has asked on it. */
  failed(call: number): void {
    for (const open of this.#open.values()) if (open.call === call) open.controller.abort();
  }

  /** Aborts every open request: the server waits for no answer any more. */
  abort(): void {
    for (const { controller } of this.#open.values()) controller.abort();
  }
}
