import type { Handlers } from "./handlers.js";
import { answerRequest, type ServerRequest } from "./inputs.js";
import type { Open } from "./mcp.js";
import type { Wire } from "./wire.js";

/** Requests that the server itself makes (until 2025-11-25), while the app's handlers answer them. */
export class ServerRequests {
  readonly #wire: Wire;
  readonly #handlers: Handlers;
  readonly #url: string;
  readonly #open = new Map<number, { id: unknown; controller: AbortController }>();

  constructor(wire: Wire, handlers: Handlers, url: string) {
    this.#wire = wire;
    this.#handlers = handlers;
    this.#url = url;
  }

  /** Answers a request: `text` is its JSON, `request` the core's number for it. */
  async answer(request: number, text: string): Promise<void> {
    const controller = new AbortController();
    const { id, method, params } = JSON.parse(text) as ServerRequest;
    this.#open.set(request, { id, controller });
    const context = { server: this.#url, signal: controller.signal };
    const { ok, json } = await answerRequest(method, params ?? {}, this.#handlers, context);
    this.#open.delete(request);
    this.#wire.runtime.respond(this.#wire.handle, request, ok, json);
  }

  /** The server has cancelled the request with that id (notifications/cancelled). */
  cancelled(params: Open | undefined): void {
    for (const { id, controller } of this.#open.values()) if (id === params?.["requestId"]) controller.abort();
  }

  /** Nobody waits for an answer any more. */
  abort(): void {
    for (const { controller } of this.#open.values()) controller.abort();
  }
}
