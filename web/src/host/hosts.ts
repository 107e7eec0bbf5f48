import { loadedChunk, type PageChunk } from "../connect/loadchunk.js";
import { closeBy, unlessAborted } from "../connect/abort.js";
import { principalOf } from "../connect/principal.js";
import type { TokenProvider } from "../connect/useroptions.js";
import { McpClient } from "../client/client.js";
import type { ConnectOptions } from "../client/options.js";
import { badArgument, checkSignal, serverURL, throwIfAborted } from "../shared/arguments.js";
import { headerEntries } from "../shared/headerentries.js";
import { validatorBeside, wasmBeside } from "../runtime/beside.js";
import { digest } from "../storage/digest.js";
import { HostLink } from "./hostlink.js";
import { RemoteBackend } from "./remotebackend.js";
import type { RemoteWay } from "./remoteclient.js";
import { workerURL } from "./startworker.js";
import { unavailable } from "./unavailable.js";

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
  if (host === "auto" || host === "page") return (await loadedChunk(pageHost, options)).connectHere(url, options);
  if (host !== "shared" && host !== "worker") throw badArgument("connect", "host", 'has to be "auto", "page", "worker" or "shared"');
  return connectThere(url, options, host);
}

/** Connects in a worker. */
async function connectThere(url: string | URL, options: ConnectOptions, kind: "shared" | "worker"): Promise<McpClient> {
  const absolute = serverURL(url);
  const { handlers: _, ...rest } = options;
  const { crossing, ...way } = await wayTo("connect", kind, rest);
  const backend = new RemoteBackend({ ...way, url: absolute, options: crossing }, options);
  await backend.open(options.signal);
  const client = new McpClient(backend);
  closeBy(options.signal, client);
  return client;
}

/** What says which worker it is, of the options of connect and connectAgent. */
type WorkerOptions = Pick<ConnectOptions, "signal" | "token" | "host" | "worker" | "wasm" | "validator" | "headers" | "principal">;

/** The way to a worker of that kind and user, and what of the options crosses to it: all that is neither code nor says where it is. */
export async function wayTo(op: string, kind: "shared" | "worker", options: WorkerOptions): Promise<RemoteWay & { crossing: object }> {
  const { signal, token: provider, host: _, worker, wasm, validator, headers, ...plain } = options;
  checkSignal(op, signal);
  throwIfAborted(op, signal);
  if (provider !== undefined && typeof provider !== "function") throw badArgument(op, "token", "has to be a function that gives a token");
  if (typeof wasm === "object" && !(wasm instanceof URL)) throw unavailable("wasm is no URL: a worker loads it by itself");
  const { token, user } = await unlessAborted(op, signal, userOf(options));
  const script = workerURL(worker);
  const crossing = {
    ...plain,
    ...(headers !== undefined && { headers: headerEntries(headers) }),
    // A bundler moves each file by itself and renames it: only the page's module knows where they are.
    wasm: inPage(wasm ?? wasmBeside),
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
 * Who the user is, so that two of them never share a worker; and the token provider, which is
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
