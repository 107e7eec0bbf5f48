// Pages of one app, whose core is the test: it notes what it is given, and says what the test has it say. Their
// runtime is in the page, in a shared worker, or in the page with the worker's host behind a loopback ("loop"). All
// else between a page's connect() and the core is as it is, both sides of the port included.

import { afterEach } from "node:test";
import { OpenClient, type Plan } from "../src/client/openclient.js";
import { ClientView } from "../src/client/clientview.js";
import { McpClient } from "../src/client/client.js";
import type { openView } from "../src/client/openview.js";
import { callDefaults, type ConnectOptions } from "../src/client/options.js";
import { joinable } from "../src/connect/joinable.js";
import { UserStores } from "../src/connect/userstores.js";
import { pageHost } from "../src/host/choose/hosts.js";
import { HostLink } from "../src/host/page/hostlink.js";
import { pageLock } from "../src/host/page/pagelock.js";
import type { StartedWorker } from "../src/host/page/startworker.js";
import { RemoteBackend } from "../src/host/page/remotebackend.js";
import { loopback } from "../src/host/wire/loopback.js";
import { PortSession } from "../src/host/worker/portsession.js";
import type { ClientPort } from "../src/runtime/port.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { Backlog } from "../src/base/backlog.js";
import { BUILD } from "../src/base/build.js";
import { CallFlags } from "../src/base/border.js";
import type { Open } from "../src/base/mcp.js";
import type { Journal } from "../src/tabs/journal.js";
import { type LogRow, serverKey } from "../src/storage/storage.js";
import { Locks } from "./chance.js";

/** A request as the core has it. */
export interface CoreCall {
  readonly id: number;
  readonly method: string;
  readonly params: Open;
  /** Its `_meta`. */
  readonly meta: Open;
  readonly key: string;
  readonly isKept: boolean;
  /** When the app made it, in ms since 1970. */
  readonly madeAt: number;
}

/** A client in the core. */
export class CoreClient {
  readonly calls: CoreCall[] = [];
  isOver = false;
  /** What it was given for the answers to calls' requests for input, and to the server's own. */
  readonly answers: { call: number; value: unknown }[] = [];
  readonly responses: { request: number; ok: boolean; value: unknown }[] = [];
  /** Calls whose outcome the app has had, by what it was told while it was open. */
  readonly handed: number[] = [];
  /** The resources that it was told to listen for, where one stream carries them. */
  watched: string[] = [];

  constructor(readonly port: ClientPort) {}

  /** The request of that method that came last. */
  last(method: string): CoreCall {
    return this.calls.filter((call) => call.method === method).at(-1)!;
  }
}

// A client that lingers, or a request's long timeout, does not keep Node from its end.
const { setTimeout: set } = globalThis;
globalThis.setTimeout = ((run: () => void, ms = 0, ...given: unknown[]) => {
  const timer = set(run, ms, ...given) as unknown as { unref?(): void };
  if (ms >= 1_000) timer.unref?.();
  return timer;
}) as unknown as typeof setTimeout;

const ports: MessagePort[] = [];
/** Tests so far: a page of one that is over, which runs on here, starts no worker any more. */
let tests = 0;
/** Ports that are open keep Node from its end. */
afterEach(() => {
  tests++;
  for (const port of ports.splice(0)) port.close();
});

/** What stays in the page of what an app gives connect(). */
const OF_PAGE = ["fetch", "handlers", "token", "signal", "auth", "host", "worker"];

/** What the core is given with a call. */
type CallOfCore = [
  handle: number,
  how: number,
  frame: [method: string, params: string, meta: string, key: string],
  times: { made: number },
  bind: (id: number) => void,
];

/** An origin: what its pages have in common, in either host. */
export class Origin {
  readonly clients: CoreClient[] = [];
  /** Its workers outlive their pages. */
  outlives = false;
  readonly #locks = new Locks();
  readonly #test = tests;
  readonly #held = new Set<string>();
  /** Of the page to its own host, over a loopback. */
  #link: Promise<HostLink> | undefined;
  /** How often the page was loaded again. */
  #reloads = 0;
  readonly #host: "page" | "shared" | "loop";
  readonly #revision: string;
  /** What is stored: kept calls without an outcome. */
  #stored: CoreCall[] = [];
  #ids = 0;
  /** The next rows of a call's log. */
  rows: () => Promise<LogRow[]> = async () => [];

  constructor(host: "page" | "shared" | "loop", revision = "2025-11-25") {
    this.#host = host;
    this.#revision = revision;
    joinable.clear();
    const origin = this;
    class SharedWorker {
      readonly port: MessagePort;
      constructor(_: unknown, options: { readonly extendedLifetime: boolean }) {
        if (origin.outlives) void options.extendedLifetime; // a browser that knows it reads it
        if (origin.#test !== tests) throw new TypeError("the test is over");
        const { port1, port2 } = new MessageChannel();
        ports.push(port1, port2);
        new PortSession(port2, undefined, origin.#open as typeof openView);
        this.port = port1;
      }
    }
    const globals = { SharedWorker, navigator: { locks: { request: this.#lock } }, location: new URL("https://app.test/"), origin: "https://app.test", addEventListener: () => {} };
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    pageHost.here = {
      loadHere: async () => {},
      connectHere: async (url, options) => {
        if (host === "loop") return this.#loop(String(url), options);
        const view = await this.#open(String(url), options, (...made) => new ClientView(...made));
        setTimeout(() => view.connected(), 0);
        return new McpClient(view);
      },
    };
  }

  /** The worker is killed, and what it has with it but for the calls that are stored: its pages open their clients in the next one. */
  kill(stores = false): void {
    if (stores) this.#stored = this.core.calls.filter(({ isKept }) => isKept);
    joinable.clear();
    for (const name of this.#held) if (!name.includes("page.")) this.#locks.free(name);
  }

  /** What a page of this origin gives connect(). */
  get options(): ConnectOptions {
    // A page that was loaded again has no link to a worker yet: links are kept by the address.
    return { host: this.#host === "loop" ? "page" : this.#host, worker: `https://app.test/${this.#reloads}/worker.mjs`, wasm: "https://app.test/x.wasm" };
  }

  /** A client whose host is that of a worker, in the page: a loopback is between them. */
  async #loop(url: string, options: ConnectOptions): Promise<McpClient> {
    const crossing = Object.fromEntries(Object.entries(options).filter(([name]) => !OF_PAGE.includes(name)));
    const link = (): Promise<HostLink> => (this.#link ??= this.#linked());
    const way = { kind: "page" as "worker", url, options: crossing, token: options.token, link };
    const backend = new RemoteBackend(way, options);
    await backend.open(options.signal);
    return new McpClient(backend);
  }

  #linked(): Promise<HostLink> {
    const [port, other] = loopback();
    new PortSession(other as MessagePort, undefined, this.#open as typeof openView);
    const lock = pageLock();
    port.postMessage({ t: "hello", build: BUILD, lock: `holdfast.${lock.name}`, outlives: false });
    const started: StartedWorker = {
      port: port as MessagePort,
      outlives: false,
      failed: new Promise<never>(() => {}),
      lock,
      ahead: undefined,
      early: [],
      stop: () => {},
    };
    return HostLink.open("worker", "loop", () => started, () => (this.#link = undefined));
  }

  /** The client that was begun last. */
  get core(): CoreClient {
    return this.clients.at(-1)!;
  }

  /** Who waits for a lock that another has waits for that one's end. A page that has gone, which runs on here, hears of none. */
  readonly #lock = (name: string, ...[options, work]: [() => unknown] | [{ signal?: AbortSignal }, () => unknown]): Promise<unknown> => {
    const [of, watches] = [this.#reloads, this.#held.has(name)];
    this.#held.add(name);
    const run = (work ?? options) as () => unknown;
    return this.#locks.request(name, work ? (options as { signal?: AbortSignal }) : {}, () => (watches && of !== this.#reloads ? undefined : run()));
  };

  /** The page is loaded again; the next one has what is kept. */
  reload(): void {
    this.#reloads++;
    if (this.#host === "shared") {
      ports.at(-2)!.postMessage({ t: "bye" });
      return;
    }
    joinable.clear();
    this.#stored = this.core.calls.filter(({ isKept }) => isKept);
  }

  /** As openView() has it, on a runtime that is the test. */
  readonly #open = async <V extends ClientView>(url: string | URL, options: ConnectOptions, viewOf: (...made: ConstructorParameters<typeof ClientView>) => V): Promise<V> => {
    const plan: Plan = {
      url: String(url),
      options,
      core: { revision: this.#revision },
      credentials: "omit",
      backlog: [1_000, 1_000_000, 1_000_000],
      validation: { policy: false },
      defaults: callDefaults("test", {}),
    };
    const stores = new UserStores(options, false, { of: async (name) => name }, plan.url);
    let user: string | undefined;
    Object.defineProperty(stores, "opened", { get: () => user });
    stores.open = async () => ({ journal: { ...journal, rows: () => this.rows(), server: await serverKey(plan.url, (user = await stores.principal()) ?? "") } as unknown as Journal, why: "" });
    const view = viewOf(plan.url, new Backlog(...plan.backlog), options.handlers ?? {}, stores);
    const principal = await stores.principal();
    await OpenClient.of(plan, principal).join(view, options.signal, Promise.resolve(this.#runtime as unknown as Runtime), principal);
    return view;
  };

  readonly #runtime: Partial<Record<keyof Runtime, unknown>> = {
    connect: (_: object, port: ClientPort, stored: (handle: number) => unknown) => {
      const handle = this.clients.push(new CoreClient(port));
      void port.fetch?.("https://mcp.example/mcp", { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize" }) }).then((response) => response.text());
      stored(handle);
      queueMicrotask(() => {
        for (const call of this.#stored.splice(0)) this.#recall(handle, call);
        const capabilities = { tools: {}, prompts: {}, resources: {} };
        port.state(JSON.stringify({ state: "open", revision: this.#revision, session: true, initialize: { serverInfo: { name: "core", version: "1" }, capabilities } }), 0);
      });
      return handle;
    },
    call: (...[handle, how, [method, params, meta, key], times, bind]: CallOfCore) => {
      const id = ++this.#ids;
      bind(id);
      const { port } = this.clients[handle - 1]!;
      void port.fetch?.("https://mcp.example/mcp", { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id, method, params: JSON.parse(params || "{}") as object }) }).then((response) => response.text());
      this.clients[handle - 1]!.calls.push({ id, method, params: open(params), meta: open(meta), key, isKept: (how & CallFlags.Durable) !== 0, madeAt: times.made });
    },
    answer: (handle: number, call: number, json: string) => this.clients[handle - 1]!.answers.push({ call, value: JSON.parse(json || "{}") }),
    respond: (handle: number, request: number, ok: boolean, json: string) => this.clients[handle - 1]!.responses.push({ request, ok, value: JSON.parse(json || "{}") }),
    counters: () => "{}",
    subscribe: (handle: number, uris: string) => void (this.clients[handle - 1]!.watched = JSON.parse(uris) as string[]),
    mirrored: () => "",
    record: (_: number, id: number) => id,
    missing: () => {},
    handed: (handle: number, id: number) => {
      const { isOver, handed } = this.clients[handle - 1]!;
      if (!isOver) handed.push(id);
    },
    ...Object.fromEntries(["close", "terminate", "closeKeepingSession"].map((what) => [what, (handle: number) => this.#close(handle)])),
    ...Object.fromEntries(["cancel", "revoke", "logOut", "token", "ack", "release", "pause", "acted", "visited", "hold", "saveDraft", "tools", "peek", "park", "hide"].map((what) => [what, () => {}])),
  };

  #recall(handle: number, call: CoreCall): void {
    const client = this.clients[handle - 1]!;
    client.calls.push(call);
    const made = { id: call.id, method: call.method, params: call.params, meta: call.meta, ...(call.key !== "" && { key: call.key }), createdAt: call.madeAt, acked: 0, base: 0, manual: false, owned: true, guarantee: "resumable" };
    client.port.recall(call.id, JSON.stringify(made));
  }

  #close(handle: number): void {
    const client = this.clients[handle - 1]!;
    if (client.isOver) return;
    client.isOver = true;
    client.port.state(`{"state":"closed"}`, 0);
  }
}

function open(text: string): Open {
  return JSON.parse(text || "{}") as Open;
}

/** A journal that keeps what the test keeps. */
const journal = {
  durability: "indexeddb",
  forgotten: false,
  options: () => ({}),
  attach: () => undefined,
  landed: () => Promise.resolve(),
  usage: async () => null,
  lastToUse: async () => true,
  logout: () => true,
  forget: async () => {},
  commit: () => {},
  tabs: () => {},
  handshake: () => {},
  left: () => {},
  close: () => {},
  cancel: () => {},
  said: () => {},
};
