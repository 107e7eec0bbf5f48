import { backlogLimits, clientInfo, commonCore } from "../connect/commonoptions.js";
import { closeBy, unlessAborted } from "../connect/opening.js";
import { storeKeys, UserStores } from "../connect/userstores.js";
import { capabilitiesOf, handledMethods } from "../input/handlers.js";
import { load } from "../runtime/loadruntime.js";
import { badArgument, bound, checkGroup, milliseconds, serverURL, throwIfAborted } from "../shared/arguments.js";
import { Backlog } from "../shared/backlog.js";
import { isForeign, sendsCookies } from "../shared/origins.js";
import { McpClient } from "./client.js";
import { ClientView } from "./clientview.js";
import { OpenClient, type Plan } from "./openclient.js";
import { callDefaults, type ConnectOptions } from "./options.js";
import type { Validation } from "./sharedclient.js";

/**
 * Connects to an MCP server over Streamable HTTP: loads the runtime (once per
 * page), initializes, opens the stream for unasked messages.
 *
 * Called again in one page with the same URL, user and plain options, as a module that
 * is replaced or a component that is mounted again does, it gives another client over the
 * same connection. Handlers, `token`, `signal` and listeners belong to each; what the
 * server asks, and for tokens, the newest is asked. The last that closes ends the session.
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
  checkGroup("connect", "retention", options.retention);
  const core = {
    ...commonCore("connect", options),
    clientInfo: clientInfo(options),
    capabilities: JSON.stringify(capabilitiesOf(handlers)),
    revision: options.revision ?? "",
    handles: handledMethods(handlers),
    noListen: options.listen === false,
    // It sends cookies to the page's own origin, whatever it is told.
    eventSource: typeof EventSource === "function" && (credentials !== "omit" || isForeign(absolute)),
    total: milliseconds("connect", "timeouts.total", timeouts.total),
    sendWithin: milliseconds("connect", "sendWithin", options.sendWithin),
    keepEnded: milliseconds("connect", "retention.ended", retention.ended),
    keepRunning: milliseconds("connect", "retention.running", retention.running),
    maxCalls: bound("limits.calls", limits.calls),
  };
  const plan: Plan = {
    url: absolute,
    options,
    core,
    credentials,
    backlog: backlogLimits("connect", options),
    validation: validationOf(options),
    defaults: callDefaults("connect", options),
  };
  throwIfAborted("connect", signal);
  const runtime = load(options.wasm);
  runtime.catch(() => {}); // whoever opens the client hears of it
  const stores = new UserStores(options, sendsCookies(absolute, credentials), storeKeys(() => view.address));
  const view: ClientView = new ClientView(absolute, new Backlog(...plan.backlog), handlers, stores);
  const principal = await unlessAborted("connect", signal, stores.principal());
  await OpenClient.of(plan, principal).join(view, signal, runtime, principal);
  const client = new McpClient(view);
  setTimeout(() => view.connected(), 0); // not before the app can listen
  closeBy(signal, client);
  return client;
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
