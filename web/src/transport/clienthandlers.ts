import type { ElicitationResult } from "../input/elicitation.js";
import type { Handlers, InputContext } from "../input/handlers.js";
import { HoldfastError, RPCFailure } from "../base/errors.js";
import type { Open } from "../base/mcp.js";
import type { JSONRPCMessage, RequestId, Tell } from "./messages.js";

/** How SDK 1.x and 2.x say that a person has refused sampling (2025-11-25 client/sampling). */
const REJECTED = -1;

interface Waiting {
  resolve(result: Open): void;
  reject(error: unknown): void;
}

/**
 * Hands the server's questions to the Client as requests, and the Client's handlers answer. The server may
 * ask in a request, in a result (2026-07-28) or in a task, and also for a call of an earlier page.
 */
export class ClientHandlers {
  readonly #tell: Tell;
  readonly #open = new Map<RequestId, Waiting>();
  #last = 0;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** The handlers that a Client with these capabilities has. */
  handlersOf(capabilities: Open): Handlers {
    return {
      ...(capabilities["elicitation"] !== undefined && {
        elicitation: (request, context) =>
          this.#ask<ElicitationResult>("elicitation/create", request, context)
      }),
      ...(capabilities["sampling"] !== undefined && {
        sampling: (request, context) => this.#ask(
          "sampling/createMessage", request, context,
        ).catch(nullIfRejected)
      }),
      ...(capabilities["roots"] !== undefined && {
        roots: async (context) => (
          await this.#ask<{ roots: { uri: string }[] }>("roots/list", undefined, context)
        ).roots
      }),
    } as Handlers;
  }

  #ask<T extends Open>(method: string, params: Open | undefined, { signal }: InputContext): Promise<T> {
    return new Promise((resolve, reject) => {
      const id = `server-request-${++this.#last}`;
      this.#open.set(id, { resolve: (result) => resolve(result as T), reject });
      signal.addEventListener("abort", () => {
        if (!this.#open.delete(id)) return;
        this.#tell({
          jsonrpc: "2.0", method: "notifications/cancelled",
          params: { requestId: id, reason: "nobody waits for the answer any more" },
        });
        reject(signal.reason as Error);
      });
      this.#tell({ jsonrpc: "2.0", id, method, ...(params && { params }) });
    });
  }

  /** The Client's response to one of them. */
  answered({ id, result, error }: JSONRPCMessage): void {
    const waiting = this.#open.get(id!);
    if (!waiting)
      throw new HoldfastError({
        code: "bad_argument", op: "send",
        message: "a response to no request: it was cancelled, or never made",
      });
    this.#open.delete(id!);
    if (error) waiting.reject(new RPCFailure(error));
    else waiting.resolve((result ?? {}) as Open);
  }
}

function nullIfRejected(error: unknown): null {
  if (error instanceof RPCFailure && error.rpc.code === REJECTED) return null;
  throw error;
}
