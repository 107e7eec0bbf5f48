import type { Draft } from "./drafts.js";
import type { ElicitationResult, FormElicitation, URLElicitation } from "./elicitation.js";
import { badArgument } from "../base/arguments.js";
import type { Open } from "../base/mcp.js";

/** Whom a request for input comes from, and the answer to it that a person has begun. */
export interface InputContext extends Draft {
  /** URL of the server that asks; a person must be able to see it. */
  server: string;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /**
   * Of an elicitation with a form: what the server will be given for an answer, with the schema's defaults
   * for what it leaves out. An app checks with it before its handler answers, while the form is open.
   *
   * @throws HoldfastError `bad_argument` where the schema does not allow the answer; the message names the
   * member
   */
  check?: (answer: ElicitationResult) => ElicitationResult;
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
 * gets an error where it can be told one, the call that asked ends with `handler_failed`, and the app's
 * console has the error. */
export interface Handlers {
  /** elicitation/create: ask the person. */
  elicitation?: (
    request: FormElicitation | URLElicitation,
    context: InputContext,
  ) => ElicitationResult | Promise<ElicitationResult>;
  /**
   * sampling/createMessage: ask a model; the result is the schema's CreateMessageResult, or null where the
   * person says no. A rejection with an AbortError says the same. Servers give it `tools` only where
   * `capabilities` of the options declares `sampling: { tools: {} }`.
   */
  sampling?: (request: Open, context: InputContext) => Open | null | Promise<Open | null>;
  /** roots/list: the folders that the server may work in. */
  roots?: (context: InputContext) => {
    uri: string; name?: string;
  }[] | Promise<{ uri: string; name?: string }[]>;
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
  /** Hears of a visit that the server asked for and that nobody is shown, and what is wrong with it. */
  unsafe?(problem: string): void;
}

/** @internal */
export type HandlerName = keyof typeof METHODS;

/** The methods that these handlers answer. */
export function handledMethods(handlers: Handlers): string[] {
  return (Object.keys(METHODS) as HandlerName[])
    .filter((name) => handlers[name])
    .map((name) => METHODS[name]);
}

/** The core declares it by itself. */
const OWN_EXTENSION = "io.modelcontextprotocol/tasks";

/**
 * The client capabilities that these handlers mean (schema: ClientCapabilities), in the app's words where it
 * has declared some, with what it has declared beside them; the extensions apart. Throws `bad_argument`.
 */
export function capabilitiesOf(
  handlers: Handlers, declared: Open = {},
): { capabilities: Open; extensions: Open } {
  const { extensions = {}, ...rest } = declared;
  for (const name of Object.keys(METHODS) as HandlerName[]) {
    if (rest[name] && !handlers[name])
      throw badArgument("connect", `capabilities.${name}`, `needs handlers.${name}`);
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
