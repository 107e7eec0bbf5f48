import { loadedChunk, type PageChunk } from "../../connect/loadchunk.js";
import { unlessAborted } from "../../connect/abort.js";
import { backlogLimits } from "../../connect/backloglimits.js";
import { principalOf } from "../../connect/principal.js";
import type { TokenProvider } from "../../connect/useroptions.js";
import type { McpClient } from "../../client/client.js";
import type { ConnectOptions } from "../../client/options.js";
import type { HoldfastError } from "../../base/errors.js";
import { badArgument, checkSignal, serverURL, throwIfAborted } from "../../base/arguments.js";
import { headerEntries } from "../../base/headerentries.js";
import { mcpWasm, recorderBeside, validatorBeside } from "../../runtime/beside.js";
import { fileName } from "../../runtime/located.js";
import { digest } from "../../storage/digest.js";
import { named } from "../page/noworker.js";
import { addressOf, checkHost, surroundings } from "./choice.js";
import { connectBy, type ConnectWays, type Starts } from "./connectby.js";
import type { WorkerWay } from "../page/connectthere.js";
import type { HostLink } from "../page/hostlink.js";
import { type Ahead, CLIENT_HANDLERS, FIRST_CLIENT, giveUp, type Opening, openingMessage } from "../wire/openingmessage.js";
import { startWorker, workerURL } from "../page/startworker.js";

declare const HOLDFAST_ONE_FILE: boolean;

/** Chunk that connects in this page. */
export const pageHost: PageChunk<Pick<typeof import("../../client/connect.js"), "connectHere" | "loadHere">> = {
  op: "connect",
  wasm: mcpWasm,
  load: () => (HOLDFAST_ONE_FILE ? Promise.reject(new TypeError("it is not in the file")) : import("../../client/connect.js")),
};

/** This page's side of a client in a worker: it is loaded while the worker starts. */
export const workerClient: PageChunk<Pick<typeof import("../page/connectthere.js"), "check" | "connectThere" | "HostLink">> = {
  op: "connect",
  wasm: mcpWasm,
  inWorker: true,
  load: () => (HOLDFAST_ONE_FILE ? Promise.reject(new TypeError("it is not in the file")) : import("../page/connectthere.js")),
};

/** This page's side of a sign-in in a worker. */
export const pageOfSignIn: PageChunk<Pick<typeof import("../page/remotesignin.js"), "RemoteSignIn">> = {
  op: "oauth",
  inWorker: true,
  load: () => (HOLDFAST_ONE_FILE ? Promise.reject(new TypeError("it is not in the file")) : import("../page/remotesignin.js")),
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
 * @param url the server's endpoint, absolute or relative to the page (its base, as with `fetch`)
 * @throws HoldfastError `bad_argument` that names the argument; `network_error`,
 *   `cors_blocked`, `http_error`, `unauthorized`, `protocol_error`,
 *   `no_revision` or `timeout` where there is no connection, with a `hint` for a
 *   person where the cause could be found; `load_failed` where there is no wasm
 */
export function connect(url: string | URL, options: ConnectOptions = {}): Promise<McpClient> {
  return connectBy(clientWays, url, options);
}

/** How an MCP client is connected. */
export const clientWays: ConnectWays<ConnectOptions, McpClient> = {
  op: "connect",
  here: async (url, options, notice) => (await loadedChunk(pageHost, options)).connectHere(url, options, notice),
  there: async (url, options, kind, starts) => {
    loadSide(workerClient, options);
    const absolute = serverURL(url);
    backlogLimits("connect", options); // refused before a worker is started for it
    const { side, way } = await wayTo(workerClient, kind, options, starts, { t: "connect", url: absolute, handlers: CLIENT_HANDLERS });
    return side.connectThere(absolute, options, way);
  },
};

/** Options of connect and connectAgent that select the worker. */
type WorkerOptions = Pick<ConnectOptions, "signal" | "token" | "host" | "worker" | "wasm" | "validator" | "record" | "recorder" | "headers" | "principal" | "auth"> & { handlers?: object };

/** Loads a page's side, where the page will have a worker as far as can be seen at once. It takes the longest of all that a connect waits for, so it comes first: before the options are looked at. */
export function loadSide(chunk: PageChunk<unknown>, { fetch }: { fetch?: unknown }): void {
  if (!fetch && globalThis.SharedWorker && (navigator.locks as LockManager | undefined)) loadedChunk(chunk, {}).catch(() => {}); // it is waited for where it is needed
}

/** A chunk that is a page's side of clients in workers. */
export type PageSide = Pick<typeof import("../page/hostlink.js"), "HostLink"> & { check(options: object): void };

/**
 * The way to a worker of that kind and user, and the page's side of it: the worker starts, and opens the client, while that
 * is loaded. Rejects with `host_unavailable`, which names the operation; and so does the way.
 */
export async function wayTo<T extends PageSide>(chunk: PageChunk<T>, kind: "shared" | "worker", options: WorkerOptions, starts: Starts, opening: Opening): Promise<{ side: T; way: WorkerWay }> {
  const { op } = chunk;
  const { auth } = options;
  const rename = (error: unknown): never => {
    throw named(op, error);
  };
  const chosen = await chosenWay(chunk, kind, options, starts, opening.url).catch(rename);
  const readByChunk = auth || Object.values(chosen.crossing).some((option: unknown) => (option as { toJSON?: unknown } | undefined)?.toJSON); // a clone of it is not what its toJSON says
  const ahead: Ahead | undefined = readByChunk ? undefined : { message: openingMessage(opening, FIRST_CLIENT, chosen, options) };
  const linked = chosen.link(ahead);
  const linking = linked.then((link) => checkKept(link, options, ahead)).catch(rename);
  const first = [linking];
  linking.catch(() => {}); // whoever takes it hears of it
  try {
    const checked = checkedBy(chunk, options);
    const side = await unlessAborted(op, options.signal, Promise.race([checked, linking.then(() => checked)])); // where there is no worker, the chunk is not waited for
    const link = (): Promise<HostLink> => first.pop() ?? chosen.link().catch(rename);
    return { side, way: { ...chosen, ahead, link, signIn: auth && pageOfSignIn.here!.RemoteSignIn.of(auth, opening.url, options.principal ?? "", chosen.where, link) } }; // the sign-in is in the worker as well
  } catch (error) {
    giveUp(ahead);
    linked.then((link) => link.unused(ahead)).catch(() => {});
    throw error;
  }
}

/** Lets go of the link, and throws a NoWorker, where the app has asked for no host and the worker would keep less than the page. */
export function checkKept(link: HostLink, { host = "auto" }: Pick<ConnectOptions, "host">, ahead?: Ahead): HostLink {
  const error = host === "auto" && link.keepsLess();
  if (!error) return link;
  link.unused(ahead);
  throw error;
}

/** The page's side, which knows what the options take. */
async function checkedBy<T extends PageSide>(chunk: PageChunk<T>, options: WorkerOptions): Promise<T> {
  const side = await loadedChunk(chunk, options.auth ? { auth: { chunk: pageOfSignIn } } : {});
  side.check(options);
  return side;
}

/** The way to a worker of that kind and user, which is not started yet. */
export async function chosenWay(chunk: PageChunk<PageSide>, kind: "shared" | "worker", options: WorkerOptions, starts: Starts, url?: string): Promise<WorkerWay & { link(ahead?: Ahead): Promise<HostLink> }> {
  const { op } = chunk;
  const { signal, token: provider, auth: ___, host = "auto", handlers: __, worker, wasm, validator, recorder, headers, ...plain } = options;
  checkSignal(op, signal);
  throwIfAborted(op, signal);
  if (provider !== undefined && typeof provider !== "function") throw badArgument(op, "token", "has to be a function that gives a token");
  const script = workerURL(worker);
  checkHost(surroundings(kind, options, script, url));
  const { token, user } = await unlessAborted(op, signal, userOf(options));
  starts(script, token);
  const crossing = {
    ...plain,
    ...(headers !== undefined && { headers: headerEntries(headers) }),
    // A bundler moves each file by itself and renames it: only the page's module knows how.
    wasm: addressOf(wasm ?? chunk.wasm!.beside),
    ...(op === "connect" && { validator: fileName(addressOf(validator) || validatorBeside) }),
    ...(plain.record && { recorder: fileName(addressOf(recorder) || recorderBeside) }),
  };
  const link = async (ahead?: Ahead): Promise<HostLink> => {
    // The user's by then: one who has come since has a worker of their own.
    const name = user() && (await digest([user()])); // who is nobody has nothing to hide, and waits for no digest
    const key = JSON.stringify([kind, script, name]);
    for (;;) {
      let open = links.get(key);
      if (!open) {
        const forget = (): void => void links.delete(key);
        open = linkTo(chunk, kind, script, name, ahead, forget, host === "auto");
        open.catch(forget);
        links.set(key, open);
      }
      try {
        return await open;
      } catch (error) {
        const { op: failed = op } = error as Partial<HoldfastError>;
        if (failed === op) throw error; // else it was the chunk of the other kind of client that has not come
      }
    }
  };
  return { kind, token, link, crossing, where: JSON.stringify([kind, script, user()]) };
}

/** Starts the worker at once, or joins it, while the page's side of it is loaded. Rejects with a NoWorker where there is none. */
async function linkTo(chunk: PageChunk<PageSide>, kind: "shared" | "worker", script: string, of: string, ahead: Ahead | undefined, ended: () => void, isOptional: boolean): Promise<HostLink> {
  const first = [startWorker(kind, script, of, ahead)];
  try {
    const { HostLink } = await Promise.race([loadedChunk(chunk, {}), first[0]!.failed]);
    return await HostLink.open(kind, script, () => first.pop() ?? startWorker(kind, script, of, ahead), ended, isOptional);
  } catch (error) {
    first[0]?.stop();
    throw error;
  }
}

/**
 * User by the last token that the provider gave, so that pages of two users start two workers. The provider
 * is asked once for that, and the returned provider gives that token first.
 */
async function userOf({ principal, token }: Pick<ConnectOptions, "principal" | "token">): Promise<{ user: () => string; token: TokenProvider | undefined }> {
  if (principal !== undefined || !token) return { user: () => String(principal ?? ""), token };
  let first: Promise<string> | undefined = (async () => token())(); // what it throws is said by whoever asks next
  let user = principalOf(await first.catch(() => "")) ?? "";
  return {
    user: () => user,
    token: async () => {
      const asked = first ?? token();
      first = undefined;
      const given = await asked;
      user = principalOf(given) ?? "";
      return given;
    },
  };
}
