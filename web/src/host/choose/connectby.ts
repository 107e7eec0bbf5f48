// Connects in the host that the options ask for: the one place for connect and connectAgent.

import type { TokenProvider } from "../../connect/useroptions.js";
import { badArgument, checkGroup } from "../../base/arguments.js";
import type { HoldfastError } from "../../base/errors.js";
import type { Host, HostEvent } from "../../base/host.js";
import { type NoWorker, noWorkerOf, reasonOf } from "../page/noworker.js";

/**
 * Callback that runs before a worker is started. It gets the worker's script, and the provider of the app's
 * tokens from then on. It may throw.
 */
export type Starts = (script: string, token: TokenProvider | undefined) => void;

/** Options that concern the host. */
interface HostOptions {
  readonly host?: "auto" | Host;
  readonly token?: TokenProvider;
  readonly auth?: { used?(): void };
}

/** How a client of some kind is connected. */
export interface ConnectWays<O extends HostOptions, C> {
  /** Operation that errors name. */
  readonly op: string;
  /** True for a preload: it loads the client's code and connects nothing. */
  readonly isAhead?: true;
  /** Connects in the page; `notice` is what the app hears of where the client might have been. */
  here(url: string | URL, options: O, notice?: HostEvent): Promise<C>;
  /** Connects in a worker; rejects with `host_unavailable` where there is none. */
  there(url: string | URL, options: O, kind: "shared" | "worker", starts: Starts): Promise<C>;
}

/** Connects in the host that the options name. */
export async function connectBy<O extends HostOptions, C>(ways: ConnectWays<O, C>, url: string | URL, options: O): Promise<C> {
  checkGroup(ways.op, "options", options);
  const { host = "auto", auth } = options;
  if (!ways.isAhead) auth?.used?.(); // what is loaded ahead may wait for a click
  switch (host) {
    case "auto":
      return connectAnywhere(ways, url, options);
    case "page":
      return ways.here(url, options);
    case "shared":
    case "worker":
      return ways.there(url, options, host, () => {});
    default:
      throw badArgument(ways.op, "host", 'has to be "auto", "page", "worker" or "shared"');
  }
}

/** Scripts that no shared worker could be started from: a page waits for each once. */
const failed = new Map<string, NoWorker>();

/** Connects in the shared worker, and in the page where that cannot be had: the event `host` says why. */
async function connectAnywhere<O extends HostOptions, C>(ways: ConnectWays<O, C>, url: string | URL, options: O): Promise<C> {
  let given = options;
  let script = "";
  try {
    return await ways.there(url, options, "shared", (started, token) => {
      script = started;
      if (token !== options.token) given = { ...options, token: token! }; // what the provider has given is not asked for again
      const error = failed.get(script);
      if (error) throw error;
    });
  } catch (error) {
    const why = reasonOf(error);
    if (!why) throw error;
    const none = noWorkerOf(error);
    if (none && script !== "") failed.set(script, none);
    return ways.here(url, given, { host: "page", why, error: error as HoldfastError });
  }
}
