import { backlogLimits } from "../connect/backloglimits.js";
import { clientInfo, commonCore } from "../connect/commonoptions.js";
import { unlessAborted } from "../connect/abort.js";
import { checkMixedContent } from "../connect/mixedcontent.js";
import { storeKeys, UserStores } from "../connect/userstores.js";
import { capabilitiesOf, handledMethods } from "../input/handlers.js";
import { mcpWasm } from "../runtime/beside.js";
import { load } from "../runtime/loadruntime.js";
import { sendsStreams } from "../runtime/streamed.js";
import { bound, milliseconds, serverURL, throwIfAborted } from "../base/arguments.js";
import { Backlog } from "../base/backlog.js";
import { inPage } from "../base/inpage.js";
import { isForeign, sendsCookies } from "../base/origins.js";
import type { ClientView } from "./clientview.js";
import { OpenClient, type Plan } from "./openclient.js";
import { callDefaults, type ConnectOptions } from "./options.js";
import type { Validation } from "./coreclient.js";

/**
 * Opens a view of the client with those options, which have been checked in their page, of which others may
 * have views; `viewOf` makes it. `checked` is called once the arguments are good, and may throw.
 */
export async function openView<V extends ClientView>(
  url: string | URL, options: ConnectOptions,
  viewOf: (...made: ConstructorParameters<typeof ClientView>) => V, checked?: () => void,
): Promise<V> {
  const absolute = serverURL(url);
  const { signal, limits = {}, timeouts = {}, retention = {}, handlers = {}, credentials = "omit" } = options;
  const { capabilities, extensions } = capabilitiesOf(handlers, options.capabilities);
  const core = {
    ...commonCore("connect", options),
    clientInfo: clientInfo(options),
    capabilities: JSON.stringify(capabilities),
    // as before, for who needs none
    extensions: Object.keys(extensions).length > 0 ? JSON.stringify(extensions) : "",
    revision: options.revision ?? "",
    handles: handledMethods(handlers),
    noListen: options.listen === false,
    // An EventSource sends cookies to the page's own origin, whatever its options say. The recorder cannot
    // record the messages of an EventSource.
    eventSource: !options.fetch && !options.record && typeof EventSource === "function" &&
      (credentials !== "omit" || isForeign(absolute)),
    // With cookies Chromium hides a 401 that asks for a password (Basic), at whatever origin. An app's own
    // fetch gets bytes.
    streams: options.streamedBodies === true && !options.fetch && absolute.startsWith("https:") &&
      !sendsCookies(absolute, credentials) && sendsStreams(),
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
  checked?.();
  await unlessAborted("connect", signal, checkMixedContent("connect", absolute, options));
  const runtime = load(mcpWasm, options.wasm);
  runtime.catch(() => {}); // whoever opens the client hears of it
  const stores = new UserStores(
    options, sendsCookies(absolute, credentials), storeKeys(() => view.address), absolute,
  );
  const view: V = viewOf(absolute, new Backlog(...plan.backlog), handlers, stores);
  const principal = await unlessAborted("connect", signal, stores.principal());
  throwIfAborted("connect", signal); // it may have been since that was there
  await OpenClient.of(plan, principal).join(view, signal, runtime, principal);
  return view;
}

function validationOf({ validate = "reject", validator }: ConnectOptions): Validation {
  return { policy: validate, ...(validator !== undefined && { validator: new URL(inPage(validator)) }) };
}
