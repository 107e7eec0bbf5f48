import { closeBy } from "../connect/abort.js";
import { needsBrowser } from "../connect/needsbrowser.js";
import { mcpWasm } from "../runtime/beside.js";
import { load } from "../runtime/loadruntime.js";
import type { HostEvent } from "../base/host.js";
import { check } from "../base/kinds.js";
import { McpClient } from "./client.js";
import { CONNECT } from "./clientoptionkinds.js";
import { ClientView } from "./clientview.js";
import { openView } from "./openview.js";
import type { ConnectOptions } from "./options.js";

/** Connects in this page; `notice` is what the app hears of where it might have been. */
export async function connectHere(
  url: string | URL, options: ConnectOptions, notice?: HostEvent,
): Promise<McpClient> {
  check("connect", "options", options, CONNECT);
  const view =
    await openView(url, options, (...made) => new ClientView(...made), () => needsBrowser("connect"));
  const client = new McpClient(view);
  setTimeout(() => {
    if (notice) view.listeners.emit("host", notice);
    view.connected();
  }, 0); // not before the app can listen
  closeBy(options.signal, client);
  return client;
}

/** Loads what clients with these options run in, for preload. */
export async function loadHere(options: Pick<ConnectOptions, "wasm">): Promise<void> {
  check("connect", "options", options, CONNECT);
  await load(mcpWasm, options.wasm);
}
