// Answers to a server's requests, by the app's handlers. This file is apart from the types of the handlers
// (handlers.ts): before the host is there, a page needs only the names of the handlers it has.

import { withAction } from "./action.js";
import { isForm, type FormElicitation, type URLElicitation, withCheck, withDefaults } from "./elicitation.js";
import { handlerFailed, readable } from "./handlerfailed.js";
import {
  type DeclaredHandlers, type HandlerName, type Handlers, type InputContext, METHODS,
} from "./handlers.js";
import { HoldfastError, type RPCError, RPCFailure } from "../base/errors.js";
import type { Open } from "../base/mcp.js";
import { unsafeVisit } from "../base/safeaddress.js";

/**
 * True if a server asks for more than the client declared. Example: an undeclared mode of elicitation, or
 * tools for sampling. The server gets an error (2025-11-25 client/elicitation, schema:
 * CreateMessageRequestParams).
 */
export function isUndeclared({ declared }: DeclaredHandlers, method: string, params: Open): boolean {
  if (!declared) return false;
  if (method === METHODS.sampling)
    return (params["tools"] ?? params["toolChoice"]) !== undefined &&
      !(declared["sampling"] as Open | undefined)?.["tools"];
  if (method !== METHODS.elicitation) return false;
  const { form, url } = (declared["elicitation"] ?? {}) as Open;
  const { mode = "form" } = params;
  // where no mode is declared it is the form
  return mode === "form" ? !form && url !== undefined : mode !== "url" || !url;
}

/**
 * True if a request asks a person to visit an address that is no page: the client answers it with `cancel`,
 * and reports it.
 */
export function isUnsafe(
  { unsafe }: DeclaredHandlers, method: string, params: Open, server: string,
): boolean {
  const problem =
    method === METHODS.elicitation && !isForm(params) ? unsafeVisit(params["url"], server) : undefined;
  if (problem !== undefined) unsafe?.(problem);
  return problem !== undefined;
}

/** The answer to a visit that nobody is shown. */
export const CANCELLED: Open = { action: "cancel" };

/**
 * Runs the handler for a request for input. Rejects with an {@link RPCFailure} where there is none or the
 * person says no, and with `handler_failed` where the handler fails: that is reported, unless nobody waits
 * any more.
 */
export async function handle(
  handlers: DeclaredHandlers, method: string, params: Open, context: InputContext,
): Promise<Open> {
  const name = (Object.keys(METHODS) as HandlerName[]).find((each) => METHODS[each] === method);
  if (!name || !handlers[name]) throw new RPCFailure({ code: -32601, message: "Method not found" });
  if (isUndeclared(handlers, method, params))
    throw new RPCFailure({ code: -32602, message: "Not among the client's capabilities" });
  if (isUnsafe(handlers, method, params, context.server)) return CANCELLED;
  let answer: unknown;
  try {
    answer = checkedAnswer(name, params, await run(handlers, name, params, context));
  } catch (thrown) {
    const cause = readable(thrown);
    if (!saysNo(name, cause)) throw reported(handlerFailed(name, method, cause), context.signal);
    answer = null;
  }
  // 2025-11-25 client/sampling
  if (answer === null) throw new RPCFailure({ code: -1, message: "User rejected sampling request" });
  return name === "roots" ? { roots: answer } : (answer as Open);
}

/** Runs a handler, as a method of what has it. */
export function run(handlers: Handlers, name: HandlerName, params: Open, context: InputContext): unknown {
  switch (name) {
    case "elicitation":
      return handlers.elicitation?.(params as FormElicitation | URLElicitation, withCheck(params, context));
    case "sampling":
      return handlers.sampling?.(params, context);
    case "roots":
      return handlers.roots?.(context);
  }
}

/** The checked answer of a handler, a form with its defaults; throws if the value is no answer. */
export function checkedAnswer(name: HandlerName, params: Open, answer: unknown): unknown {
  if (
    name === "roots"
      ? Array.isArray(answer)
      : typeof answer === "object" && (answer !== null || name === "sampling")
  ) {
    if (name !== "elicitation") return answer;
    const result = withAction(answer);
    return isForm(params) ? withDefaults(params as unknown as FormElicitation, result) : result;
  }
  throw new TypeError("it gave no answer");
}

/**
 * True if a person has declined sampling: an `AbortError` is the only sign, because sampling has no answer
 * for that.
 */
export function saysNo(name: string, error: unknown): boolean {
  return name === "sampling" && (error as Partial<Error> | undefined)?.name === "AbortError";
}

/**
 * Reports a handler's error on the app's console; an error of a handler in another page is on that page's
 * console already.
 */
function reported(error: HoldfastError, { aborted }: AbortSignal): HoldfastError {
  if (!aborted && !error.rpc && (error.cause as { question?: unknown } | undefined)?.question === undefined)
    reportError(error);
  return error;
}

/** The JSON-RPC error that a failed handler means: its own where it has one. */
export function rpcErrorOf(error: unknown): RPCError {
  const rpc = error instanceof RPCFailure || error instanceof HoldfastError ? error.rpc : undefined;
  return rpc ?? { code: -32603, message: "The client could not answer" };
}

/** The error of a call that asks for input which the app has no handler for. */
export function unhandled(op: string, methods: string[]): HoldfastError {
  return new HoldfastError({
    code: "protocol_error",
    op,
    message: `the server asks for input that the app declared no handler for: ${methods.join(", ")}`,
  });
}
