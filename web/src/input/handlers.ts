import type { Draft } from "./drafts.js";
import { type ElicitationResult, type FormElicitation, type URLElicitation, withDefaults } from "./elicitation.js";
import { HoldfastError, type RPCError } from "../shared/errors.js";
import type { Open } from "../shared/mcp.js";

/** Whom a request for input comes from, and the answer to it that a person has begun. */
export interface InputContext extends Draft {
  /** URL of the server that asks; a person must be able to see it. */
  server: string;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** @internal A question before it is known which app answers it: it belongs to that call, or to none. */
export interface AskedContext extends InputContext {
  call?: object;
}

/**
 * What the app does when a server asks for something, however it asks: in a
 * request of its own (until 2025-11-25) or in a result (2026-07-28). A handler
 * that is given is declared as a capability; a method without one is refused.
 */
export interface Handlers {
  /** elicitation/create: ask the person. */
  elicitation?: (
    request: FormElicitation | URLElicitation,
    context: InputContext,
  ) => ElicitationResult | Promise<ElicitationResult>;
  /** sampling/createMessage: ask a model; the result is the schema's CreateMessageResult. */
  sampling?: (request: Open, context: InputContext) => Open | Promise<Open>;
  /** roots/list: the folders that the server may work in. */
  roots?: (context: InputContext) => { uri: string; name?: string }[] | Promise<{ uri: string; name?: string }[]>;
}

/** The method of each handler. */
const METHODS = {
  elicitation: "elicitation/create",
  sampling: "sampling/createMessage",
  roots: "roots/list",
} as const;

/** The methods that these handlers answer. */
export function handledMethods(handlers: Handlers): string[] {
  return (Object.keys(METHODS) as (keyof typeof METHODS)[]).filter((name) => handlers[name]).map((name) => METHODS[name]);
}

/** The client capabilities that these handlers mean (schema: ClientCapabilities). */
export function capabilitiesOf(handlers: Handlers): Open {
  return {
    ...(handlers.elicitation ? { elicitation: { form: {}, url: {} } } : {}),
    ...(handlers.sampling ? { sampling: {} } : {}),
    // listChanged is of the revisions up to 2025-11-25; later ones do not know it.
    ...(handlers.roots ? { roots: { listChanged: true } } : {}),
  };
}

/** Runs the handler for a request for input; rejects with an {@link RPCFailure} where there is no answer. */
export async function handle(handlers: Handlers, method: string, params: Open, context: InputContext): Promise<Open> {
  switch (method) {
    case METHODS.elicitation: {
      if (!handlers.elicitation) break;
      const request = params as FormElicitation | URLElicitation;
      const answer = await handlers.elicitation(request, context);
      return request.mode === "url" ? answer : withDefaults(request as FormElicitation, answer);
    }
    case METHODS.sampling:
      if (!handlers.sampling) break;
      return handlers.sampling(params, context);
    case METHODS.roots:
      if (!handlers.roots) break;
      return { roots: await handlers.roots(context) };
  }
  throw new RPCFailure({ code: -32601, message: "Method not found" });
}

/** A refusal with a JSON-RPC error of its own. */
export class RPCFailure extends Error {
  readonly rpc: RPCError;
  constructor(rpc: RPCError) {
    super(rpc.message);
    this.rpc = rpc;
  }
}

/**
 * The JSON-RPC error that a failed handler means. The text of the app's own
 * errors stays on this side: it may hold anything. A person who says no to
 * sampling is error -1 (2025-11-25 client/sampling).
 */
export function rpcErrorOf(method: string, error: unknown): RPCError {
  if (error instanceof RPCFailure) return error.rpc;
  if (method === METHODS.sampling) return { code: -1, message: "User rejected sampling request" };
  return { code: -32603, message: "The client could not answer" };
}

/** The error of a call that asks for input which the app has no handler for. */
export function unhandled(op: string, methods: string[]): HoldfastError {
  return new HoldfastError({
    code: "protocol_error",
    op,
    message: `the server asks for input that the app declared no handler for: ${methods.join(", ")}`,
  });
}
