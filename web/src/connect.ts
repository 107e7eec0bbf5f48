import { McpClient } from "./client.js";
import { diagnose } from "./diagnose.js";
import { HoldfastError } from "./errors.js";
import { capabilitiesOf, handledMethods } from "./handlers.js";
import { lastRevision, noteRevision } from "./revisions.js";
import { badArgument, bound, checkSignal, headerList, milliseconds, serverURL, type ConnectOptions } from "./options.js";
import { load, version } from "./runtime/load.js";

/** Events of one call that wait for a reader, unless limits.backlog says otherwise. */
const BACKLOG = 100_000;

/**
 * Connects to an MCP server over Streamable HTTP: loads the runtime (once per
 * page), initializes, opens the stream for unasked messages.
 *
 * @param url the server's endpoint, absolute or relative to the page
 * @throws HoldfastError `bad_argument` that names the argument; `network_error`,
 *   `cors_blocked`, `http_error`, `unauthorized`, `protocol_error`,
 *   `no_revision` or `timeout` where there is no connection, with a `hint` for a
 *   person where the cause could be found; `load_failed` where there is no wasm
 */
export async function connect(url: string | URL, options: ConnectOptions = {}): Promise<McpClient> {
  const absolute = serverURL(url);
  const { signal, limits = {}, timeouts = {}, handlers = {} } = options;
  checkSignal("connect", signal);
  if (options.token !== undefined && typeof options.token !== "function") {
    throw badArgument("connect", "token", "has to be a function that gives a token");
  }
  const raw = {
    clientInfo: JSON.stringify(options.client ?? { name: "holdfast", version }),
    capabilities: JSON.stringify(capabilitiesOf(handlers)),
    revision: options.revision ?? "",
    handles: handledMethods(handlers),
    headers: headerList(options.headers, options.token !== undefined),
    token: options.token !== undefined,
    noListen: options.listen === false,
    eventSource: typeof EventSource === "function",
    answer: milliseconds("connect", "timeouts.answer", timeouts.answer),
    idle: milliseconds("connect", "timeouts.idle", timeouts.idle),
    total: milliseconds("connect", "timeouts.total", timeouts.total),
    maxLine: bound("limits.line", limits.line),
    maxEvent: bound("limits.event", limits.event),
    maxBody: bound("limits.body", limits.body),
    maxDepth: bound("limits.depth", limits.depth),
    maxCalls: bound("limits.calls", limits.calls),
  };
  const backlog = bound("limits.backlog", limits.backlog) || BACKLOG;
  throwIfAborted(signal);
  let address = absolute;
  let restarted = false;
  let redirected: HoldfastError | undefined;
  for (;;) {
    const runtime = await load(options.wasm);
    throwIfAborted(signal);
    const client = new McpClient(runtime, address, backlog, handlers);
    const close = (): void => void client.close();
    signal?.addEventListener("abort", close, { once: true });
    try {
      await client.start({ ...raw, url: address, assume: lastRevision(address) }, options.credentials ?? "same-origin", options.token);
      if (options.revision === undefined) noteRevision(address, client.revision);
      // A long-lived signal must not keep every client that it ever served.
      client.on("state", ({ state }) => {
        if (state === "closed" || state === "failed") signal?.removeEventListener("abort", close);
      });
      return client;
    } catch (error) {
      signal?.removeEventListener("abort", close);
      throwIfAborted(signal);
      if (!(error instanceof HoldfastError)) throw error;
      // A runtime that turns out to be dead is loaded anew, once.
      if (error.code === "runtime_exited" && !restarted) {
        restarted = true;
        continue;
      }
      // Redirects are not followed, but nearly all of them are a web
      // framework's that wants a slash at the end, or none: that is the same
      // server, so it can be asked there.
      if (error.code === "http_error" && error.status === REDIRECTED && !redirected) {
        redirected = error;
        address = otherSlash(absolute);
        continue;
      }
      throw await diagnose(absolute, redirected ?? error, options);
    }
  }
}

/** The status that stands for any redirect (runtime/exchange.ts). */
const REDIRECTED = 300;

/** The URL with a slash at the end of its path where it has none, without it where it has one. */
function otherSlash(url: string): string {
  const other = new URL(url);
  other.pathname = other.pathname.endsWith("/") ? other.pathname.slice(0, -1) : `${other.pathname}/`;
  return other.href;
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new HoldfastError({ code: "cancelled", op: "connect", message: "the signal was aborted", cause: signal.reason });
  }
}
