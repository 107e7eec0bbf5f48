import { McpClient, type Validation } from "./client.js";
import { diagnose } from "./diagnose.js";
import { Journal } from "./durable/journal.js";
import { principalOf } from "./durable/principal.js";
import { HoldfastError } from "./errors.js";
import { capabilitiesOf, handledMethods } from "./handlers.js";
import { lastRevision, noteRevision } from "./revisions.js";
import { badArgument, bound, checkSignal, headerList, milliseconds, serverURL, type ConnectOptions, type TokenProvider } from "./options.js";
import { load, version } from "./runtime/load.js";
import { serverKey } from "./store/index.js";

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
    maxStored: bound("limits.stored", limits.stored),
  };
  const backlog = bound("limits.backlog", limits.backlog) || BACKLOG;
  const validation = validationOf(options);
  const ack = options.ack ?? "auto";
  if (ack !== "auto" && ack !== "manual") throw badArgument("connect", "ack", 'has to be "auto" or "manual"');
  if (options.principal !== undefined && typeof options.principal !== "string") throw badArgument("connect", "principal", "has to be a string");
  throwIfAborted(signal);
  let address = absolute;
  let restarted = false;
  let redirected: HoldfastError | undefined;
  for (;;) {
    const provider = onceAhead(options.token);
    // Side by side: the store is open by the time that the wasm runs.
    const [runtime, opened] = await Promise.all([load(options.wasm), openJournal(address, options, provider)]);
    if (signal?.aborted) opened.journal?.close();
    throwIfAborted(signal);
    const keeping = { journal: opened.journal, ack, reload: () => load(options.wasm) };
    const client = new McpClient(runtime, address, backlog, handlers, validation, keeping);
    const close = (): void => void client.close();
    signal?.addEventListener("abort", close, { once: true });
    try {
      const start = (): Promise<void> =>
        client.start({ ...raw, url: address, assume: lastRevision(address) }, options.credentials ?? "same-origin", provider);
      await start();
      if (opened.why) setTimeout(() => client.tellMemory(opened.why), 0); // not before the app can listen
      if (options.revision === undefined) noteRevision(address, client.revision);
      // A long-lived signal must not keep every client that it ever served.
      client.on("state", ({ state }) => {
        if (state === "closed" || state === "failed") signal?.removeEventListener("abort", close);
      });
      return client;
    } catch (error) {
      signal?.removeEventListener("abort", close);
      opened.journal?.close();
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
      throw await diagnose(absolute, redirected ?? error, options, client.negotiation);
    }
  }
}

/** Opens the store of a server and user; `why` says why calls end with the page. */
async function openJournal(
  url: string,
  options: ConnectOptions,
  provider: TokenProvider | undefined,
): Promise<{ journal: Journal | undefined; why: string }> {
  if (options.journal === false) return { journal: undefined, why: "" };
  let principal = options.principal;
  if (principal === undefined && provider) {
    // Without a name for the user, one user might be shown another's calls.
    principal = await Promise.resolve(provider()).then(principalOf, () => undefined);
    if (principal === undefined) return { journal: undefined, why: "principal" };
  }
  return Journal.open(await serverKey(url, principal ?? ""));
}

/**
 * A token provider whose first answer may be asked for ahead of the core: the
 * app is asked once.
 */
function onceAhead(provider: TokenProvider | undefined): TokenProvider | undefined {
  if (!provider) return undefined;
  let ahead: Promise<string> | undefined;
  let asked = 0;
  return () => {
    asked++;
    if (asked === 1) return (ahead = Promise.resolve().then(provider));
    const first = ahead;
    ahead = undefined;
    return first ?? provider();
  };
}

function validationOf({ validate = "reject", validator }: ConnectOptions): Validation {
  if (validate !== "reject" && validate !== "report" && validate !== false) {
    throw badArgument("connect", "validate", 'has to be "reject", "report" or false');
  }
  if (validator === undefined) return { policy: validate };
  try {
    return { policy: validate, validator: new URL(validator, globalThis.location?.href) };
  } catch {
    throw badArgument("connect", "validator", "is not a URL");
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
