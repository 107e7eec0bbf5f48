import { Backlog } from "./backlog.js";
import { McpClient, type Validation } from "./client.js";
import { diagnose } from "./diagnose.js";
import { HoldfastError } from "./errors.js";
import { capabilitiesOf, handledMethods } from "./handlers.js";
import { openedAt, openedParts } from "./opening.js";
import { isForeign, sendsCookies } from "./origins.js";
import { lastRevision, noteRevision } from "./revisions.js";
import {
  badArgument,
  bound,
  callDefaults,
  checkGroup,
  checkJournal,
  checkPrincipal,
  checkSignal,
  checkToken,
  headerList,
  milliseconds,
  serverURL,
  throwIfAborted,
  type ConnectOptions,
} from "./options.js";
import { load, version } from "./runtime/load.js";
import { formerKeys, serverKey } from "./store/index.js";
import { UserStores } from "./userstores.js";

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
  const { signal, limits = {}, timeouts = {}, retention = {}, handlers = {}, credentials = "omit" } = options;
  checkSignal("connect", signal);
  checkToken("connect", options.token);
  checkPrincipal("connect", options.principal);
  checkJournal("connect", options.journal);
  checkGroup("connect", "timeouts", options.timeouts);
  checkGroup("connect", "retention", options.retention);
  checkGroup("connect", "limits", options.limits);
  const raw = {
    clientInfo: JSON.stringify(options.client ?? { name: "holdfast", version }),
    capabilities: JSON.stringify(capabilitiesOf(handlers)),
    revision: options.revision ?? "",
    handles: handledMethods(handlers),
    headers: headerList(options.headers, options.token !== undefined),
    token: options.token !== undefined,
    noListen: options.listen === false,
    // It sends cookies to the page's own origin, whatever it is told.
    eventSource: typeof EventSource === "function" && (credentials !== "omit" || isForeign(absolute)),
    answer: milliseconds("connect", "timeouts.answer", timeouts.answer),
    idle: milliseconds("connect", "timeouts.idle", timeouts.idle),
    total: milliseconds("connect", "timeouts.total", timeouts.total),
    sendWithin: milliseconds("connect", "sendWithin", options.sendWithin),
    keepEnded: milliseconds("connect", "retention.ended", retention.ended),
    keepRunning: milliseconds("connect", "retention.running", retention.running),
    maxLine: bound("limits.line", limits.line),
    maxEvent: bound("limits.event", limits.event),
    maxBody: bound("limits.body", limits.body),
    maxDepth: bound("limits.depth", limits.depth),
    maxCalls: bound("limits.calls", limits.calls),
    maxStored: bound("limits.stored", limits.stored),
  };
  const backlog = new Backlog(bound("limits.backlog", limits.backlog), bound("limits.backlogBytes", limits.backlogBytes), bound("limits.backlogTotal", limits.backlogTotal));
  const validation = validationOf(options);
  const defaults = callDefaults("connect", options);
  throwIfAborted("connect", signal);
  let client: McpClient | undefined;
  try {
    return await openedAt(absolute, async (address) => {
      const stores = new UserStores(options, sendsCookies(address, credentials), {
        of: (principal) => serverKey(address, principal),
        former: (principal) => formerKeys(address, principal),
      });
      const [runtime, opened] = await openedParts(load(options.wasm), stores.open());
      if (signal?.aborted) opened.journal?.close();
      throwIfAborted("connect", signal);
      const keeping = { journal: opened.journal, stores, defaults, reload: () => load(options.wasm) };
      const made = (client = new McpClient(runtime, address, backlog, handlers, validation, keeping));
      const close = (): void => void made.close();
      signal?.addEventListener("abort", close, { once: true });
      try {
        await made.start({ ...raw, url: address, assume: await lastRevision(address) }, credentials);
      } catch (error) {
        signal?.removeEventListener("abort", close);
        keeping.journal?.close();
        throwIfAborted("connect", signal);
        throw error;
      }
      if (options.revision === undefined && !opened.journal?.forgotten) await noteRevision(address, made.revision);
      // A long-lived signal must not keep every client that it ever served.
      made.on("state", ({ state }) => {
        if (state === "closed" || state === "failed") signal?.removeEventListener("abort", close);
      });
      setTimeout(() => made.connected(opened.why), 0); // not before the app can listen
      return made;
    });
  } catch (error) {
    if (!(error instanceof HoldfastError) || signal?.aborted) throw error;
    throw await diagnose(absolute, error, options, client?.negotiation);
  }
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
