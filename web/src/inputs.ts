import type { Call } from "./call.js";
import { HoldfastError } from "./errors.js";
import { handle, handledMethods, rpcErrorOf, unhandled, type Handlers, type InputContext } from "./handlers.js";
import type { Open } from "./mcp.js";

/** A request of the server's own (until 2025-11-25), or one inside a result. */
export interface ServerRequest {
  id?: string | number;
  method: string;
  params?: Open;
}

/**
 * Gets the answers to a call's request for input (2026-07-28
 * basic/patterns/mrtr): JSON of the responses by key, empty where nothing was
 * asked; or why there are none.
 */
export async function answerInput(
  text: string,
  call: Call<unknown>,
  handlers: Handlers,
  server: string,
): Promise<string | HoldfastError> {
  const { inputRequests = {} } = JSON.parse(text) as { inputRequests?: Record<string, ServerRequest> };
  const entries = Object.entries(inputRequests);
  const known = handledMethods(handlers);
  const missing = entries.map(([, { method }]) => method).filter((method) => !known.includes(method));
  if (missing.length > 0) return unhandled(call.method, missing);
  const context = { server, signal: call.ended };
  try {
    const answers = await Promise.all(
      entries.map(async ([key, { method, params }]) => [key, await handle(handlers, method, params ?? {}, context)] as const),
    );
    return answers.length === 0 ? "" : JSON.stringify(Object.fromEntries(answers));
  } catch (cause) {
    return new HoldfastError({
      code: "cancelled",
      op: call.method,
      message: "the input that the server asked for could not be given",
      cause,
    });
  }
}

/** Gets the answer to a request of the server's own: a result, or a JSON-RPC error. */
export async function answerRequest(
  method: string,
  params: Open,
  handlers: Handlers,
  context: InputContext,
): Promise<{ ok: boolean; json: string }> {
  try {
    await undefined; // app code never runs within the core's effects
    return { ok: true, json: JSON.stringify(await handle(handlers, method, params, context)) };
  } catch (error) {
    // What the app's own handler got wrong belongs in the app's console.
    if (error instanceof HoldfastError) reportError(error);
    return { ok: false, json: JSON.stringify(rpcErrorOf(method, error)) };
  }
}
