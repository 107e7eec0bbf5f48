import type { Agent } from "../src/agent/agent.js";
import type { AgentOptions } from "../src/agent/agentoptions.js";
import type { OpenAgent } from "../src/agent/openagent.js";
import type { AgentSession } from "../src/agent/session.js";
import { joinable } from "../src/connect/joinable.js";
import type { TokenSource } from "../src/connect/userstores.js";
import { connectAgent } from "../src/host/choose/agenthosts.js";
import { PortSession } from "../src/host/worker/portsession.js";
import { BUILD } from "../src/base/build.js";
import type { HostMessage, PageMessage } from "../src/host/wire/protocol.js";
import { HoldfastError } from "../src/base/errors.js";
import { CoreRig } from "./agentrig.js";
import { ready, settled } from "./ready.js";

export { settled };

const INITIALIZE = { info: { name: "a", version: "1" }, capabilities: { session: { prompt: {} } } };
export const OPTIONS = [{ optionId: "y", name: "Allow", kind: "allow_once" }];
export const permission = {
  method: "session/request_permission", params: { title: "Run?", options: OPTIONS },
};

export const coded =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === code;

/** A worker, whose core is the test, and the pages that it has. */
export class Worker {
  /** The clients that were opened here. */
  readonly cores: CoreRig[] = [];
  readonly sessions: PortSession[] = [];
  readonly ports: MessagePort[] = [];
  readonly channels: MessagePort[] = [];
  /** Sessions that the store brings back. */
  stored: string[] = [];
  /** The tokens of the last client that was opened. */
  tokens!: TokenSource;
  /** The first client that is opened fails, as where its server redirects. */
  redirects = false;
  /** The cores of its clients ask for their tokens; else a test asks. */
  asks = false;
  /** What waits until it is over: the client's opening, and its sessions. */
  opening: Promise<void> | undefined;
  /** Messages to pages that have not arrived. */
  readonly held: HostMessage[] = [];
  #arrivals: (() => void)[] = [];
  /** What happens where the lock of a page's session is free. */
  readonly #hostEnds: (() => void)[] = [];

  constructor() {
    const worker = this;
    class SharedWorker {
      readonly port: MessagePort;
      constructor() {
        const { port1, port2 } = new MessageChannel();
        worker.sessions.push(new PortSession(port2, worker.open));
        worker.ports.push(port1);
        worker.channels.push(port2);
        this.port = port1;
      }
    }
    // A page holds its lock, and so does its session: whoever watches another's waits.
    const held = new Set<string>();
    const locks = {
      request: (
        name: string, ...[options, work]: [() => unknown] | [{ signal?: AbortSignal }, () => unknown]
      ) => {
        const isWatch = held.has(name);
        held.add(name);
        if (isWatch && name.startsWith("holdfast.port.")) worker.#hostEnds.push(() => void work?.());
        return isWatch ? new Promise(() => {}) : Promise.resolve((work ?? (options as () => unknown))());
      },
    };
    Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
    Object.assign(globalThis, {
      SharedWorker, location: new URL("https://app.test/"), origin: "https://app.test",
      addEventListener: () => {},
    });
  }

  readonly open: OpenAgent = async (_plan, _signal, tokens, made) => {
    this.tokens = tokens("https://example.com/acp");
    if (this.redirects) {
      const first = new CoreRig();
      made(first.core);
      const failed = first.core.start({}, "omit").catch(() => {});
      first.recall(1, "s1", { restored: true });
      first.port.state(
        JSON.stringify({
          state: "failed",
          error: {
            code: "http_error", message: "it redirects", op: "connect", status: 308, retryable: false,
          },
        }),
        0,
      );
      await failed;
    }
    const core = new CoreRig(this.asks ? { keeping: { journal: undefined, stores: this.tokens } } : {});
    this.cores.push(core);
    made(core.core);
    const opened = core.core.start({}, "omit");
    await this.opening;
    this.stored.forEach((id, at) => core.recall(at + 1, id, { restored: true }));
    core.port.state(
      JSON.stringify({
        state: "open", version: 2, restored: false, transport: "http", initialize: INITIALIZE,
      }),
      0,
    );
    await opened;
    return core.core;
  };

  get core(): CoreRig {
    return this.cores.at(-1)!;
  }

  /** Another page connects; each has a worker's address of its own, since a page keeps its link. */
  page(options: AgentOptions = {}): Promise<Agent> {
    return connectAgent("https://example.com/acp", {
      host: "shared", worker: `https://app.test/w${this.sessions.length}.mjs`,
      wasm: "https://app.test/x.wasm", ...options
    });
  }

  /** That page goes without a word. */
  async leave(at: number): Promise<void> {
    this.channels[at]!.onmessage?.({ data: { t: "bye" } } as MessageEvent);
    this.ports[at]!.close();
    await settled();
  }

  /** The worker is killed: its pages see that by its locks, and find nothing of it in the next one. */
  die(): void {
    joinable.clear();
    for (const end of this.#hostEnds.splice(0)) end();
  }

  /** From here on messages of those names do not arrive at a page. */
  hold(at: number, ...names: HostMessage["t"][]): void {
    const port = this.ports[at]!;
    const take = port.onmessage!;
    port.onmessage = (event: MessageEvent): void => {
      const message = event.data as HostMessage;
      if (!names.includes(message.t)) return void take.call(port, event);
      this.held.push(message);
      this.#arrivals.push(() => void take.call(port, event));
    };
  }

  /** What was held arrives. */
  async letGo(): Promise<void> {
    this.held.length = 0;
    for (const arrive of this.#arrivals.splice(0)) arrive();
    await settled();
  }

  /** What a page says, by hand. */
  say(at: number, message: object): void {
    this.channels[at]!.onmessage?.({ data: message } as MessageEvent);
  }

  close(): void {
    for (const port of [...this.ports, ...this.channels]) port.close();
  }
}

/** A page that is a test: it says what it wants, and takes what it wants. */
export class HandPage {
  readonly heard: HostMessage[] = [];
  readonly session: PortSession;
  readonly #port = {
    onmessage: null as ((event: MessageEvent) => void) | null,
    postMessage: (message: HostMessage) => void this.heard.push(message), start: () => {}, close: () => {},
  };

  constructor(worker: Worker) {
    this.session = new PortSession(this.#port as unknown as MessagePort, worker.open);
  }

  say(message: PageMessage): void {
    this.#port.onmessage?.({ data: message } as MessageEvent);
  }

  /** It has an agent's client of that user, under the number 2. */
  async attach(principal: string, listens = true): Promise<void> {
    this.say({ t: "hello", build: BUILD, lock: "", outlives: true });
    this.say({
      t: "agent", client: 2, url: "https://example.com/acp", options: { principal }, handlers: [],
      token: false, again: false, ifKeys: false,
    });
    for (let n = 0; n < 100 && !this.hears("opened"); n++) await (n < 50 ? undefined : ready());
    if (listens) this.say({ t: "listening", client: 2 });
  }

  hears(name: HostMessage["t"]): boolean {
    return this.heard.some(({ t }) => t === name);
  }
}

/** What is looked at after a while: whether a client is used that no page is left of. */
export const looks: (() => void)[] = [];

/** A client that nobody uses is kept for so many ms, which no test waits for. */
const IDLE = 30_000;
const later = globalThis.setTimeout;
globalThis.setTimeout = ((work: () => void, ms: number) => {
  if (ms === IDLE) looks.push(work);
  const timer = later(work, ms);
  if (ms >= 1_000) (timer as unknown as { unref(): void }).unref();
  return timer;
}) as typeof setTimeout;

let users = 0;

/** Somebody whom no other test knows. */
export function somebody(): string {
  return `user ${++users}`;
}

/** A token that says whose it is. */
export function tokenOf(subject: string): string {
  return `x.${btoa(JSON.stringify({ iss: "i", sub: subject }))}.y`;
}

/** A worker and a page with session s1; `options` are those of every page. */
export async function started(
  stored: string[] = ["s1"],
): Promise<{ worker: Worker; join(more?: AgentOptions): Promise<Agent>; agent: Agent; session: AgentSession }> {
  const worker = new Worker();
  worker.stored = stored;
  const principal = somebody(); // a worker of its own
  const join = (more: AgentOptions = {}): Promise<Agent> => worker.page({ principal, ...more });
  const agent = await join();
  const [session] = await agent.sessions();
  return { worker, join, agent, session: session! };
}

export function say(core: CoreRig, text: string): void {
  core.tell(1, "item", {
    op: "put", at: 0, type: "agent_message", id: "m", patch: { content: [{ type: "text", text }] },
  });
}

export const textOf = (session: AgentSession): unknown => (
  session.transcript[0] as { content?: { text?: string }[] } | undefined
)?.content?.[0]?.text;
