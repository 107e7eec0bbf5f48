import type { Draft } from "./drafts.js";
import { type ElicitationResult, type FormElicitation, type URLElicitation, withDefaults } from "./elicitation.js";
import { handlerFailed, readable } from "./handlerfailed.js";
import { badArgument } from "../shared/arguments.js";
import { HoldfastError, type RPCError, RPCFailure } from "../shared/errors.js";
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
 *
 * A handler that throws, or gives no answer, has failed: that is no person's "no". The server
 * gets an error where it can be told one, the call that asked ends with `handler_failed`, and the app's console
 * has the error. */
export interface Handlers {
  /** elicitation/create: ask the person. */
  elicitation?: (
    request: FormElicitation | URLElicitation,
    context: InputContext,
  ) => ElicitationResult | Promise<ElicitationResult>;
  /**
   * sampling/createMessage: ask a model; the result is the schema's CreateMessageResult, or null where the person
   * says no. A rejection with an AbortError says the same. Servers give it `tools` only where
   * `capabilities` of the options declares `sampling: { tools: {} }`.
   */
  sampling?: (request: Open, context: InputContext) => Open | null | Promise<Open | null>;
  /** roots/list: the folders that the server may work in. */
  roots?: (context: InputContext) => { uri: string; name?: string }[] | Promise<{ uri: string; name?: string }[]>;
}

/** The method of each handler. */
export const METHODS = {
  elicitation: "elicitation/create",
  sampling: "sampling/createMessage",
  roots: "roots/list",
} as const;

/** @internal Handlers, with the capabilities that the server was told of them. */
export interface DeclaredHandlers extends Handlers {
  declared?: Open;
}

/**
 * Whether a server asks for more than it was told that the client has: a mode of elicitation, or tools
 * for sampling. It gets an error (2025-11-25 client/elicitation, schema: CreateMessageRequestParams).
 */
export function isUndeclared({ declared }: DeclaredHandlers, method: string, params: Open): boolean {
  if (!declared) return false;
  if (method === METHODS.sampling) return (params["tools"] ?? params["toolChoice"]) !== undefined && !(declared["sampling"] as Open | undefined)?.["tools"];
  if (method !== METHODS.elicitation) return false;
  const { form, url } = (declared["elicitation"] ?? {}) as Open;
  const { mode = "form" } = params;
  return mode === "form" ? !form && url !== undefined : mode !== "url" || !url; // where no mode is declared it is the form
}

/** The methods that these handlers answer. */
export function handledMethods(handlers: Handlers): string[] {
  return (Object.keys(METHODS) as (keyof typeof METHODS)[]).filter((name) => handlers[name]).map((name) => METHODS[name]);
}

/** The core declares it by itself. */
const OWN_EXTENSION = "io.modelcontextprotocol/tasks";

/**
 * The client capabilities that these handlers mean (schema: ClientCapabilities), in the app's words where it has
 * declared some, with what it has declared beside them; the extensions apart. Throws `bad_argument`.
 */
export function capabilitiesOf(handlers: Handlers, declared: Open = {}): { capabilities: Open; extensions: Open } {
  const { extensions = {}, ...rest } = declared;
  for (const name of Object.keys(METHODS) as HandlerName[]) {
    if (rest[name] && !handlers[name]) throw badArgument("connect", `capabilities.${name}`, `needs handlers.${name}`);
  }
  const { [OWN_EXTENSION]: _, ...others } = extensions as Open;
  const capabilities = {
    ...(handlers.elicitation ? { elicitation: { form: {}, url: {} } } : {}),
    ...(handlers.sampling ? { sampling: {} } : {}),
    // listChanged is of the revisions up to 2025-11-25; later ones do not know it.
    ...(handlers.roots ? { roots: { listChanged: true } } : {}),
    ...rest,
  };
  return { capabilities, extensions: others };
}

type HandlerName = keyof typeof METHODS;

/**
 * Runs the handler for a request for input. Rejects with an {@link RPCFailure} where there is none or the person
 * says no, and with `handler_failed` where the handler fails: that is reported, unless nobody waits any more.
 */
export async function handle(handlers: DeclaredHandlers, method: string, params: Open, context: InputContext): Promise<Open> {
  const name = (Object.keys(METHODS) as HandlerName[]).find((each) => METHODS[each] === method);
  if (!name || !handlers[name]) throw new RPCFailure({ code: -32601, message: "Method not found" });
  if (isUndeclared(handlers, method, params)) throw new RPCFailure({ code: -32602, message: "Not among the client's capabilities" });
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
      return handlers.elicitation?.(params as FormElicitation | URLElicitation, context);
    case "sampling":
      return handlers.sampling?.(params, context);
    case "roots":
      return handlers.roots?.(context);
  }
}

/** What a handler has answered, a form with its defaults; throws where it is no answer. */
export function checkedAnswer(name: HandlerName, params: Open, answer: unknown): unknown {
  if (name === "roots" ? Array.isArray(answer) : typeof answer === "object" && (answer !== null || name === "sampling")) {
    return name === "elicitation" && params["mode"] !== "url" ? withDefaults(params as unknown as FormElicitation, answer as ElicitationResult) : answer;
  }
  throw new TypeError("it gave no answer");
}

/** Whether a person has said no to sampling, which has no other word for it. */
export function saysNo(name: string, error: unknown): boolean {
  return name === "sampling" && (error as Partial<Error> | undefined)?.name === "AbortError";
}

/** What the app's own handler got wrong belongs in the app's console; where that was in another page, it is there already. */
function reported(error: HoldfastError, { aborted }: AbortSignal): HoldfastError {
  if (!aborted && !error.rpc && (error.cause as { question?: unknown } | undefined)?.question === undefined) reportError(error);
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
