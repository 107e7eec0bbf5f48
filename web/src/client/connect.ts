import { backlogLimits } from "../connect/backloglimits.js";
import { clientInfo, commonCore } from "../connect/commonoptions.js";
import { closeBy, unlessAborted } from "../connect/abort.js";
import { storeKeys, UserStores } from "../connect/userstores.js";
import { capabilitiesOf, handledMethods } from "../input/handlers.js";
import { load } from "../runtime/loadruntime.js";
import { badArgument, bound, checkGroup, milliseconds, serverURL, throwIfAborted } from "../shared/arguments.js";
import { Backlog } from "../shared/backlog.js";
import type { HostEvent } from "../shared/host.js";
import { isForeign, sendsCookies } from "../shared/origins.js";
import { McpClient } from "./client.js";
import { ClientView } from "./clientview.js";
import { OpenClient, type Plan } from "./openclient.js";
import { callDefaults, type ConnectOptions } from "./options.js";
import type { Validation } from "./sharedclient.js";

/** Connects in this page; `notice` is what the app hears of where it might have been. */
export async function connectHere(url: string | URL, options: ConnectOptions, notice?: HostEvent): Promise<McpClient> {
  const view = await openView(url, options, (...made) => new ClientView(...made));
  const client = new McpClient(view);
  setTimeout(() => {
    if (notice) view.listeners.emit("host", notice);
    view.connected();
  }, 0); // not before the app can listen
  closeBy(options.signal, client);
  return client;
}

/** Opens a view of the client with those options, of which others may have views; `viewOf` makes it. */
export async function openView<V extends ClientView>(url: string | URL, options: ConnectOptions, viewOf: (...made: ConstructorParameters<typeof ClientView>) => V): Promise<V> {
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
    // It sends cookies to the page's own origin, whatever its options say.
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
  const stores = new UserStores(options, sendsCookies(absolute, credentials), storeKeys(() => view.address), absolute);
  const view: V = viewOf(absolute, new Backlog(...plan.backlog), handlers, stores);
  const principal = await unlessAborted("connect", signal, stores.principal());
  await OpenClient.of(plan, principal).join(view, signal, runtime, principal);
  return view;
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
