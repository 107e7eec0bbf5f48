import { loadedChunk, type PageChunk } from "../connect/loadchunk.js";
import { closeBy, unlessAborted } from "../connect/abort.js";
import { principalOf } from "../connect/principal.js";
import type { TokenProvider } from "../connect/useroptions.js";
import { McpClient } from "../client/client.js";
import type { ClientEvents } from "../client/clientevents.js";
import type { ConnectOptions } from "../client/options.js";
import { badArgument, checkSignal, serverURL, throwIfAborted } from "../shared/arguments.js";
import { headerEntries } from "../shared/headerentries.js";
import { validatorBeside, wasmBeside } from "../runtime/beside.js";
import type { HoldfastError } from "../shared/errors.js";
import { digest } from "../storage/digest.js";
import { AUTO, checkHost, reasonOf, surroundings } from "./choice.js";
import { HostLink } from "./hostlink.js";
import { RemoteBackend } from "./remotebackend.js";
import type { RemoteWay } from "./remoteclient.js";
import { workerURL } from "./startworker.js";

declare const HOLDFAST_ONE_FILE: boolean;

/** What connects in this page. */
export const pageHost: PageChunk<Pick<typeof import("../client/connect.js"), "connectHere">> = {
  op: "connect",
  load: () => (HOLDFAST_ONE_FILE ? Promise.reject(new TypeError("it is not in the file")) : import("../client/connect.js")),
};

/** The hosts that this page speaks to, by what tells them apart. */
const links = new Map<string, Promise<HostLink>>();

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
  const { host = "auto" } = options;
  switch (host) {
    case "auto":
      return AUTO === "shared" ? connectAnywhere(url, options) : connectInPage(url, options);
    case "page":
      return connectInPage(url, options);
    case "shared":
    case "worker":
      return connectThere(url, options, host, () => {});
    default:
      throw badArgument("connect", "host", 'has to be "auto", "page", "worker" or "shared"');
  }
}

async function connectInPage(url: string | URL, options: ConnectOptions, notice?: ClientEvents["host"]): Promise<McpClient> {
  return (await loadedChunk(pageHost, options)).connectHere(url, options, notice);
}

/** Scripts that no shared worker could be started from: a page waits for each once. */
const failed = new Map<string, HoldfastError>();

/** Connects in the shared worker, and in the page where that cannot be had: the event `host` says why. */
export async function connectAnywhere(url: string | URL, options: ConnectOptions): Promise<McpClient> {
  let given = options;
  let script = "";
  try {
    return await connectThere(url, options, "shared", (started, token) => {
      script = started;
      if (token !== options.token) given = { ...options, token: token! }; // what the provider has given is not asked for again
      const error = failed.get(script);
      if (error) throw error;
    });
  } catch (error) {
    const why = reasonOf(error);
    if (!why) throw error;
    if (script !== "" && why !== "load_failed") failed.set(script, error as HoldfastError);
    return connectInPage(url, given, { host: "page", why, error: error as HoldfastError });
  }
}

/** Connects in a worker; `starts` is called before one is started, and may throw. */
async function connectThere(
  url: string | URL,
  options: ConnectOptions,
  kind: "shared" | "worker",
  starts: (script: string, token: TokenProvider | undefined) => void,
): Promise<McpClient> {
  const absolute = serverURL(url);
  const { handlers: _, ...rest } = options;
  const { crossing, ...way } = await wayTo("connect", kind, rest, starts);
  const backend = new RemoteBackend({ ...way, url: absolute, options: crossing }, options);
  await backend.open(options.signal);
  const client = new McpClient(backend);
  closeBy(options.signal, client);
  return client;
}

/** What says which worker it is, of the options of connect and connectAgent. */
type WorkerOptions = Pick<ConnectOptions, "signal" | "token" | "host" | "worker" | "wasm" | "validator" | "headers" | "principal">;

/** The way to a worker of that kind and user, and what of the options crosses to it: all that is neither code nor says where it is. `starts` is called before a worker is started, and may throw. */
export async function wayTo(
  op: string,
  kind: "shared" | "worker",
  options: WorkerOptions,
  starts: (script: string, token: TokenProvider | undefined) => void = () => {},
): Promise<RemoteWay & { crossing: object }> {
  const { signal, token: provider, host: _, worker, wasm, validator, headers, ...plain } = options;
  checkSignal(op, signal);
  throwIfAborted(op, signal);
  if (provider !== undefined && typeof provider !== "function") throw badArgument(op, "token", "has to be a function that gives a token");
  const script = workerURL(worker);
  checkHost(surroundings(kind, options, script));
  const { token, user } = await unlessAborted(op, signal, userOf(options));
  starts(script, token);
  const crossing = {
    ...plain,
    ...(headers !== undefined && { headers: headerEntries(headers) }),
    // A bundler moves each file by itself and renames it: only the page's module knows where they are.
    wasm: inPage((wasm as string | URL | undefined) ?? wasmBeside),
    validator: inPage(validator ?? validatorBeside),
  };
  const name = await digest([user, crossing.wasm]);
  const key = JSON.stringify([kind, script, name]);
  const link = (): Promise<HostLink> => {
    let open = links.get(key);
    if (!open) {
      const forget = (): void => void links.delete(key);
      open = HostLink.open(kind, script, name, forget);
      open.catch(forget);
      links.set(key, open);
    }
    return open;
  };
  return { kind, token, link, crossing };
}

/** The same address for the worker, whose own is another. */
function inPage(url: string | URL): string {
  return new URL(url, globalThis.location?.href).href;
}

/**
 * Who the user is, so that pages of two users start two workers; and the token provider, which is
 * asked once for that, and gives that token first.
 */
async function userOf({ principal, token }: Pick<ConnectOptions, "principal" | "token">): Promise<{ user: string; token: TokenProvider | undefined }> {
  if (principal !== undefined || !token) return { user: String(principal ?? ""), token };
  let ahead: { token: string | Promise<string> } | undefined;
  try {
    ahead = { token: await token() };
  } catch (error) {
    ahead = { token: Promise.reject(error as Error) };
    (ahead.token as Promise<string>).catch(() => {});
  }
  const user = principalOf(await Promise.resolve(ahead.token).catch(() => "")) ?? "";
  return {
    user,
    token: () => {
      const first = ahead;
      ahead = undefined;
      return first ? first.token : token();
    },
  };
}
