import { draftOf } from "./drafts.js";
import { HoldfastError, type RPCError } from "../base/errors.js";
import { CANCELLED, handle, isUndeclared, isUnsafe, rpcErrorOf, unhandled } from "./answering.js";
import { handledMethods, type AskedContext, type DeclaredHandlers, type Handlers } from "./handlers.js";
import type { Open } from "../base/mcp.js";

/** A request of the server's own (until 2025-11-25), or one inside a result. */
export interface ServerRequest {
  id?: string | number;
  method: string;
  params?: Open;
}

/** A call of the app's that asks for input. */
interface AskingCall {
  readonly method: string;
  /** Aborted when it has ended. */
  readonly ended: AbortSignal;
  saveDraft(key: string, value: unknown): void;
}

/**
 * Gets the answers to a call's request for input (2026-07-28
 * basic/patterns/mrtr): JSON of the responses by key, empty where nothing was
 * asked; or why there are none.
 */
export async function answerInput(
  text: string,
  call: AskingCall,
  handlers: DeclaredHandlers,
  server: string,
): Promise<string | HoldfastError> {
  const { inputRequests = {}, drafts = {} } =
    JSON.parse(text) as { inputRequests?: Record<string, ServerRequest>; drafts?: object };
  const entries = Object.entries(inputRequests);
  const known = handledMethods(handlers);
  const missing = entries
    .map(([, asked]) => asked)
    .filter(({ method, params }) => !known.includes(method) || isUndeclared(handlers, method, params ?? {}))
    .map(({ method }) => method);
  if (missing.length > 0) return unhandled(call.method, missing);
  const save = (key: string, value: unknown): void => call.saveDraft(key, value);
  const context = (key: string): AskedContext =>
    ({ server, signal: call.ended, call, ...draftOf(drafts, key, save) });
  try {
    const answers = await Promise.all(
      entries.map(
        async ([key, { method, params }]) =>
          [key, sent(params ?? {}, await handle(handlers, method, params ?? {}, context(key)))] as const,
      ),
    );
    return answers.length === 0 ? "" : JSON.stringify(Object.fromEntries(answers));
  } catch (cause) {
    if (cause instanceof HoldfastError) return cause; // of the handler that failed
    return new HoldfastError({
      code: "cancelled",
      op: call.method,
      message: "the input that the server asked for was refused",
      cause,
    });
  }
}

/**
 * A call's request for input, for an app that answers itself: what it is shown, empty for nothing, and the
 * answers to visits that nobody is.
 */
export function shownInput(
  text: string, handlers: DeclaredHandlers, server: string,
): { shown: string; cancelled: Record<string, Open> } {
  const { inputRequests = {}, ...rest } =
    JSON.parse(text) as { inputRequests?: Record<string, ServerRequest> };
  const all = Object.entries(inputRequests);
  const unsafe =
    new Set(all.filter(([, { method, params }]) => isUnsafe(handlers, method, params ?? {}, server)));
  if (unsafe.size === 0) return { shown: text, cancelled: {} };
  const safe = all.filter((one) => !unsafe.has(one));
  const shown = safe.length === 0 ? "" : JSON.stringify({ ...rest, inputRequests: Object.fromEntries(safe) });
  return { shown, cancelled: Object.fromEntries([...unsafe].map(([key]) => [key, CANCELLED])) };
}

/**
 * Has the pages visited that an error names (OUTCOME.visitRequired), each with the person's consent;
 * resolves to whether the request may be made again: all were accepted, and of each the
 * server has said that it is complete, or the person, since the server need not say it
 * (2025-11-25 client/elicitation: clients should let the user retry).
 */
export async function visitPages(
  rpc: RPCError,
  call: AskingCall,
  handlers: Handlers,
  server: string,
  completed: (elicitationId: string) => Promise<void>,
): Promise<boolean> {
  const visits = (rpc.data as { elicitations?: Open[] } | undefined)?.elicitations;
  if (!handlers.elicitation || !Array.isArray(visits) || visits.length === 0) return false;
  // Listened for first: a page may be done with before the answer is in. Then nobody need answer any more.
  const asked = visits.map((request) => {
    const id = request["elicitationId"];
    if (typeof id !== "string") return { request, signal: call.ended };
    const over = new AbortController();
    const word = completed(id).then((): Open => (over.abort(call.ended.reason), { action: "accept" }));
    return { request, signal: over.signal, word };
  });
  const open: Promise<Open>[] = [];
  for (const { request, signal, word } of asked) {
    // To visit a page leaves nothing half-filled here.
    const context: AskedContext = { server, signal, call, saveDraft: () => {} };
    const answered = handle(handlers, "elicitation/create", { ...request, mode: "url" }, context);
    const answer = await (word ? Promise.race([answered, word]) : answered);
    if (call.ended.aborted || answer["action"] !== "accept") return false;
    if (word && answer["complete"] !== true) open.push(word);
  }
  await Promise.all(open);
  return true;
}

/** The part of an answer that the server gets: the member `complete` of a visit is for the client alone. */
function sent(params: Open, answer: Open): Open {
  if (params["mode"] !== "url") return answer;
  const { complete: _, ...rest } = answer;
  return rest;
}

/** Gets the answer to a request of the server's own: a result, or a JSON-RPC error. */
export async function answerRequest(
  method: string,
  params: Open,
  handlers: Handlers,
  context: AskedContext,
): Promise<{ ok: boolean; json: string }> {
  try {
    await undefined; // app code never runs within the core's effects
    return { ok: true, json: JSON.stringify(sent(params, await handle(handlers, method, params, context))) };
  } catch (error) {
    return { ok: false, json: JSON.stringify(rpcErrorOf(error)) };
  }
}
