import type { Call } from "../client/call.js";
import type { McpClient } from "../client/client.js";
import { isKept } from "../client/idempotency.js";
import type { CallOptions, RequestOptions } from "../client/options.js";
import { HoldfastError } from "../base/errors.js";
import type { ListToolsResult, Open } from "../base/mcp.js";
import type { ClientRequest, RequestId, SendOptions, Tell } from "./messages.js";
import { unsupported } from "./refusals.js";
import { OF_THE_SERVER } from "./servernotifications.js";

/**
 * Where a request of the Client's has the key of its call in `_meta`, as in
 * `client.callTool({ name, arguments, _meta: { [CALL_KEY]: "render-7" } })`: see {@link CallOptions.key}. The
 * server does not get it.
 */
export const CALL_KEY = "io.github.holdfast-mcp/key";

/** Options of a call that a request of the Client's becomes. */
export type TransportCallOptions =
  Pick<CallOptions, "key" | "ack" | "rerun" | "journal" | "task" | "timeouts" | "sendWithin">;

/** The inputs of an answer: the client that answers the request, its signal and its options. */
export interface Answering {
  mcp: McpClient;
  /** Aborted when the Client has cancelled it; the reason is the Client's. */
  over: AbortSignal;
  send: SendOptions;
  /** The app's options for it. */
  optionsFor: ((request: { method: string; params: Open }) => TransportCallOptions | undefined) | undefined;
  tell: Tell;
  /** Something that harms no request. */
  report: (error: HoldfastError) => void;
}

/**
 * Requests that are more than a question to the server: what they change or bring the client below has to
 * know.
 */
const BY_METHOD: Record<
  string, (mcp: McpClient, params: Open, options: RequestOptions) => Promise<unknown>
> = {
  ping: (mcp, _, options) => mcp.ping(options),
  "tools/list": async (mcp, { cursor }, options) => drivenByHoldfast(
    await mcp.listTools({ ...options, ...(cursor !== undefined && { cursor: cursor as string }) }),
  ),
  "resources/subscribe": (mcp, { uri }, options) => mcp.subscribeResource(uri as string, options),
  "resources/unsubscribe": (mcp, { uri }, options) => mcp.unsubscribeResource(uri as string, options),
  "logging/setLevel": (mcp, { level }, options) => mcp.setLoggingLevel(level as "info", options),
};

/**
 * The tools without what the Client would drive tasks by: Holdfast does, and for the Client a call is a call.
 */
function drivenByHoldfast({ tools, ...list }: ListToolsResult): ListToolsResult {
  return { ...list, tools: tools.map(({ execution: _, ...tool }) => tool) } as ListToolsResult;
}

/** Answers a request of the Client's. Rejects with what {@link asRPCError} makes an error of. */
export async function answer(
  { method, params }: ClientRequest, { mcp, over, send, optionsFor, tell, report }: Answering,
): Promise<unknown> {
  const { _meta = {}, ...rest } = params;
  const { progressToken, [CALL_KEY]: key, ...others } = _meta as Open;
  const meta: { meta?: Open } = Object.keys(others).length > 0 ? { meta: others } : {};
  refuse(method, params, send);
  if (send.resumptionToken !== undefined)
    return await follow(
      await found(mcp, method, send.resumptionToken), progressToken as RequestId, over, tell, report,
    );
  const byMethod = Object.hasOwn(BY_METHOD, method) ? BY_METHOD[method] : undefined;
  if (byMethod) return (await byMethod(mcp, rest, { ...meta, signal: over })) ?? {};
  const options = {
    ...optionsFor?.({ method, params: rest }), ...(key !== undefined && { key: key as string }), ...meta
  };
  const call: Call<unknown> = method === "tools/call"
    ? mcp.callTool<unknown>(rest as { name: string }, options)
    : mcp.request(method, Object.keys(rest).length > 0 ? rest : undefined, options);
  if (isKept(method, options) && mcp.durability !== "memory") send.onresumptiontoken?.(call.id);
  return await follow(call, progressToken as RequestId, over, tell, report);
}

/** Throws for what has no way through the transport. */
function refuse(method: string, { task }: Open, { headers = {} }: SendOptions): void {
  if (Object.keys(headers).length > 0)
    throw unsupported(
      method, "header fields for one request", "give them to the transport, in its option `headers`",
    );
  if (method === "subscriptions/listen")
    throw unsupported(
      method, "the transport listens by itself", "resources/subscribe and listChanged do the same here",
    );
  if (task !== undefined)
    throw unsupported(
      method, "a task that the Client drives",
      "leave `task` out: the call becomes a task where its tool offers that, and its result comes as any " +
        "other; options for it come from the transport's `call`",
    );
}

/** The call that has that name, which an earlier page was given. */
async function found(mcp: McpClient, method: string, token: string): Promise<Call<unknown>> {
  const call = (await mcp.calls()).find(({ id }) => id === token);
  if (call) return call as Call<unknown>;
  throw new HoldfastError({
    code: "acknowledged",
    op: method,
    message: "no call has this resumption token: its outcome was handed out, it expired, or the token is " +
      "of another transport",
  });
}

/** Gives the Client what a call brings, and the result when it ends. */
async function follow(
  call: Call<unknown>, progressToken: RequestId | undefined, over: AbortSignal, tell: Tell,
  report: (error: HoldfastError) => void,
): Promise<unknown> {
  const cancel = (): void => call.cancel(String(over.reason ?? ""));
  if (over.aborted) cancel();
  over.addEventListener("abort", cancel);
  const notify = (method: string, params: object | undefined): void => tell({
    jsonrpc: "2.0", method, ...(params && { params })
  });
  try {
    // The loop ends after the last event, so that no progress comes after the result.
    for await (const event of call) {
      const { position: _, ...said } = event;
      switch (said.type) {
        case "progress": {
          const { type: _, ...progress } = said;
          if (progressToken !== undefined) notify("notifications/progress", { progressToken, ...progress });
          break;
        }
        case "log": {
          const { type: _, ...log } = said;
          notify("notifications/message", log);
          break;
        }
        case "notification":
          if (!OF_THE_SERVER.test(said.method)) notify(said.method, said.params as object | undefined);
          break;
        case "gap":
          report(
            new HoldfastError({
              code: "limit_exceeded", op: call.method,
              message: `${said.events} events of a call are missing: more waited than limits allow`,
            }),
          );
      }
    }
    return await call.result;
  } finally {
    over.removeEventListener("abort", cancel);
  }
}
