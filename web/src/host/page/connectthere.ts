// The page's side of an MCP client whose runtime is in a worker: a chunk, which is loaded while
// the worker starts.

import { McpClient } from "../../client/client.js";
import { CONNECT } from "../../client/clientoptionkinds.js";
import type { ConnectOptions } from "../../client/options.js";
import { closeBy } from "../../connect/abort.js";
import { check as checkKind } from "../../base/kinds.js";
import { RemoteBackend } from "./remotebackend.js";
import type { RemoteWay } from "./remoteclient.js";

export { HostLink } from "./hostlink.js";

/** A worker to come to, and what of the options crosses to it: all that is neither code nor says where it is. */
export type WorkerWay = RemoteWay & {
  crossing: { readonly wasm: string };
  /** Key that tells the worker from others. */
  where: string;
};

/** Refuses options that there are not, before the worker hears of any. */
export function check(options: object): void {
  checkKind("connect", "options", options, CONNECT);
}

/** Connects in the worker that was started. */
export async function connectThere(url: string, options: ConnectOptions, { crossing, ...way }: WorkerWay): Promise<McpClient> {
  const backend = new RemoteBackend({ ...way, url, options: crossing }, options);
  await backend.open(options.signal);
  const client = new McpClient(backend);
  closeBy(options.signal, client);
  return client;
}
