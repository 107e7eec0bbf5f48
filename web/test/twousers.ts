// A worker with agents of two users, and pages of theirs that come, go, freeze, sign in and out as numbers
// by a seed say. The worker's side and the page's are as they are; the core, the channel and the
// locks are the test. The oracle: what is one user's is marked, and reaches no page that has given the worker another one's token.

import { mock } from "node:test";
import { Agent } from "../src/agent/agent.js";
import { AgentClient } from "../src/agent/agentclient.js";
import type { OpenAgent } from "../src/agent/openagent.js";
import type { AgentSession } from "../src/agent/session.js";
import { joinable } from "../src/connect/joinable.js";
import type { TokenSource } from "../src/connect/userstores.js";
import { connectAgent } from "../src/host/choose/agenthosts.js";
import { Credits } from "../src/host/wire/credits.js";
import { PortSession } from "../src/host/worker/portsession.js";
import type { ClientPort } from "../src/runtime/port.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { EVENT } from "../src/base/border.js";
import { Locks, Port, random } from "./chance.js";

declare function setImmediate(work: () => void): void;

const USERS = ["ada", "bob"] as const;
type User = (typeof USERS)[number];

/** A token that says whose it is. */
const tokenOf = (user: string): string => `x.${btoa(JSON.stringify({ iss: "i", sub: user }))}.y`;
/** Whose a token is. */
const userOf = (token: unknown): User | undefined => USERS.find((user) => token === tokenOf(user));
/** What marks data as one user's. */
const markOf = (user: User): string => `<of ${user}>`;
/** Of whom there is something in there. */
const marksIn = (data: unknown): User[] => {
  const text = JSON.stringify(data);
  return USERS.filter((user) => text.includes(markOf(user)));
};

/** A client as the core has it: of one user, from the first token on. */
interface CoreClient {
  readonly handle: number;
  readonly port: ClientPort;
  user: User | undefined;
  isOver: boolean;
  /** It waits for a token: it is asked for once, as by the core (Bearer.Ask). */
  waitsForToken: boolean;
  /** Requests without an answer, and questions. */
  readonly asked: number[];
  readonly questions: number[];
}

/** The agent's client of the worker's, on a runtime that is the test. */
class Core {
  readonly clients: CoreClient[] = [];
  readonly client: AgentClient;
  #ids = 0;

  constructor(
    readonly world: World,
    tokens: TokenSource,
  ) {
    const of = (handle: number): CoreClient => this.clients.find((one) => one.handle === handle)!;
    const ends = (handle: number): void => {
      const client = of(handle);
      if (client.isOver) return;
      client.isOver = true;
      client.port.state(`{"state":"closed"}`, 0);
    };
    const send = (handle: number, session: number, method: string, params: string, bind: (id: number) => void): void => {
      const client = of(handle);
      const id = ++this.#ids;
      for (const user of marksIn(params)) if (user !== client.user && session !== 0) world.wrong(`${method} of ${user} went out as ${client.user}: ${params}`);
      bind(id);
      if (!client.isOver) client.asked.push(id);
    };
    const runtime: Partial<Record<keyof Runtime, unknown>> = {
      connectAgent: (_: object, port: ClientPort, stored: (handle: number) => unknown) => {
        const client: CoreClient = { handle: ++world.handles, port, user: undefined, isOver: false, waitsForToken: true, asked: [], questions: [] };
        this.clients.push(client);
        stored(client.handle);
        queueMicrotask(() => client.isOver || port.token());
        return client.handle;
      },
      agentRequest: send,
      agentNotify: send,
      agentCancel: () => {},
      agentForget: () => {},
      agentRest: () => {},
      saveDraft: () => {},
      terminate: ends,
      close: ends,
      closeKeepingSession: ends,
      release: () => {},
      counters: () => "{}",
      token: (handle: number, ok: boolean, text: string) => this.#token(of(handle), ok, text),
      respond: (handle: number, question: number, _: boolean, json: string) => this.#respond(of(handle), question, json),
    };
    const stores: TokenSource = { token: (...asked) => tokens.token(...asked), changed: (answer) => tokens.changed(answer), open: async () => ({ journal: undefined, why: "" }) };
    this.client = new AgentClient(runtime as unknown as Runtime, "https://agent.test/acp", { keeping: { journal: undefined, stores } });
  }

  /** The client that it has now, where that is open. */
  get now(): CoreClient | undefined {
    const client = this.clients.at(-1);
    return client && !client.isOver && client.user ? client : undefined;
  }

  #token(client: CoreClient, ok: boolean, text: string): void {
    const user = ok ? userOf(text) : undefined;
    client.waitsForToken = false;
    if (client.isOver) return;
    if (!user) {
      client.isOver = true;
      client.port.state(`{"state":"failed","error":{"code":"unauthorized","message":"no token","op":"connect","status":401,"retryable":false}}`, 0);
      return;
    }
    if (client.user) {
      if (client.user !== user) this.world.wrong(`the client of ${client.user} got a token of ${user}`);
      return;
    }
    client.user = user;
    client.port.recall(1, JSON.stringify({ sessionId: `s ${markOf(user)}`, cwd: "/", restored: true, owned: true }));
    client.port.state(JSON.stringify({ state: "open", version: 2, restored: false, transport: "http", initialize: { info: { name: markOf(user), version: "1" }, capabilities: { session: { prompt: {} } } } }), 0);
  }

  #respond(client: CoreClient, question: number, json: string): void {
    if (!client.questions.includes(question)) return this.world.wrong(`an answer to ${question}, which is not open: ${json}`);
    client.questions.splice(client.questions.indexOf(question), 1);
    const option = `${markOf(client.user!)} ${question}`;
    if (!json.includes(`"${option}"`)) this.world.wrong(`the answer to ${option} is ${json}`);
  }

  /** The agent does something. */
  act(pick: (n: number) => number): void {
    const client = this.now;
    if (!client) return;
    const { port } = client;
    const mark = markOf(client.user!);
    const tell = (kind: keyof typeof EVENT, value: object, position = 0): void => port.deliver(1, EVENT[kind], position, JSON.stringify(value));
    switch (pick(6)) {
      case 0:
        return tell("item", { op: "put", at: 0, type: "agent_message", id: "m", patch: { content: [{ type: "text", text: mark }] } });
      case 1:
        return port.deliver(0, EVENT.notification, 0, JSON.stringify({ method: "x", params: mark }));
      case 2: {
        const question = ++this.world.questions;
        client.questions.push(question);
        return tell("question", { method: "session/request_permission", params: { title: mark, options: [{ optionId: `${mark} ${question}`, name: "Allow", kind: "allow_once" }] } }, question);
      }
      case 3: {
        const question = client.questions.pop();
        return question === undefined ? undefined : tell("withdrawn", { reason: "agent" }, question);
      }
      case 4: {
        const [id] = client.asked.splice(pick(client.asked.length || 1), 1);
        return id === undefined ? undefined : port.settle(id, 1, JSON.stringify({ mark }));
      }
      case 5:
        if (client.waitsForToken) return;
        client.waitsForToken = true;
        return port.token();
    }
  }
}

/** A page with one agent's client, as an app has it. */
class Page {
  agent: Agent | undefined;
  /** Whose token it gives. */
  user: User;
  /** Whose token it has given last. */
  given: User | undefined;
  /** Whose token the worker has had from it last. */
  heard: User | undefined;
  /** The same, from the moment that the message arrives: both count until its turn of the event loop is over. */
  hears: User | undefined;
  lock = "";
  isFrozen = false;
  isGone = false;
  isClosing = false;
  near: Port | undefined;
  far: Port | undefined;
  readonly promises: { name: string; isSettled: boolean }[] = [];

  constructor(
    readonly world: World,
    readonly name: number,
    user: User,
  ) {
    this.user = user;
  }

  /** Notes that something is to come of a promise. */
  watch(name: string, promise: Promise<unknown>): void {
    const entry = { name, isSettled: false };
    this.promises.push(entry);
    const settle = (): void => void (entry.isSettled = true);
    promise.then(settle, settle);
  }

  connect(): void {
    const permission = async ({ options }: { options: readonly { optionId: string }[] }): Promise<string> => {
      for (let n = this.world.pick(3); n > 0; n--) await this.world.next();
      return options[0]!.optionId;
    };
    const token = (): string => tokenOf((this.given = this.user));
    this.world.connecting = this;
    const connecting = connectAgent("https://agent.test/acp", {
      host: "shared",
      worker: `https://app.test/${this.world.seed}/${this.name}.mjs`,
      wasm: "https://app.test/x.wasm",
      token,
      ...(this.world.pick(2) && { handlers: { permission } }),
    });
    connecting.then(
      (agent) => (this.agent = agent),
      () => {},
    );
    this.watch("connectAgent", connecting);
  }

  /** The app does something. */
  act(pick: (n: number) => number): void {
    const { agent } = this;
    if (!agent || this.isClosing || this.isFrozen) return;
    const text = markOf(this.given ?? this.user);
    switch (pick(6)) {
      case 0:
      case 1:
        void agent.sessions().then(([session]: AgentSession[]) => session && this.watch("prompt", session.prompt(text)));
        break;
      case 2:
        this.watch("request", agent.request("x/y", { text }));
        break;
      case 3:
        void agent.sessions().then(([session]: AgentSession[]) => session?.requests.forEach((request) => "select" in request && request.select((request.options[0] as { optionId: string }).optionId)));
        break;
      case 4:
        this.watch("stored", agent.stored());
        break;
      case 5:
        this.user = USERS[pick(2)]!;
        break;
    }
  }

  close(how: number): void {
    if (!this.agent || this.isClosing || this.isFrozen) return;
    this.isClosing = true;
    this.watch("close", how === 0 ? this.agent.close({ terminate: true }) : this.agent.close());
  }

  freeze(): void {
    if (this.isFrozen || !this.near) return;
    this.near.postMessage({ t: "away", cached: false });
    this.isFrozen = true;
  }

  thaw(): void {
    if (!this.isFrozen) return;
    this.isFrozen = false;
    this.near!.postMessage({ t: "back" });
  }

  /** It is reloaded, or closed, with a word or without. */
  leave(says: boolean): void {
    this.isGone = true;
    if (says && !this.isFrozen) this.near?.postMessage({ t: "bye" });
    if (this.near) this.near.onmessage = null;
    this.near?.close();
    this.world.locks.free(this.lock);
  }
}

/** A worker, and pages that come and go. */
export class World {
  readonly locks = new Locks();
  readonly pages: Page[] = [];
  readonly cores: Core[] = [];
  readonly sessions: PortSession[] = [];
  readonly errors: string[] = [];
  readonly pick: (n: number) => number;
  connecting: Page | undefined;
  handles = 0;
  questions = 0;
  /** What the worker has heard in the turn that goes on. */
  readonly heard: (() => void)[] = [];
  #turn: (() => void)[] = [];

  constructor(readonly seed: number) {
    this.pick = random(seed);
    const world = this;
    class SharedWorker {
      readonly port: Port;
      constructor(script: string) {
        const page = world.pages.find(({ name }) => script.includes(`/${name}.mjs`))!;
        if (page.isGone) throw new TypeError("a page that has gone starts nothing");
        const [near, far] = [new Port(), new Port()];
        [near.peer, far.peer] = [far, near];
        near.sends = (data) => data["t"] === "hello" && void (page.lock = String(data["lock"]));
        far.arrives = (data) => {
          const user = data["t"] === "reply" ? userOf(data["value"]) : undefined;
          if (!user) return;
          page.hears = user;
          world.heard.push(() => (page.heard = user));
        };
        far.sends = (data) => {
          for (const user of marksIn(data)) if (page.heard && page.heard !== user && page.hears !== user) world.wrong(`page ${page.name} of ${page.heard} is sent what is ${user}'s: ${JSON.stringify(data).slice(0, 300)}`);
        };
        const credit = [Infinity, 500][world.pick(2)]!;
        let taken = 0; // what the page has not said yet that it took
        near.arrives = (data) => {
          taken += Number(data["size"] ?? 0);
          if (taken < credit / 2 && world.pick(3) > 0) return;
          near.postMessage({ t: "credit", bytes: taken });
          taken = 0;
        };
        page.near?.close();
        [page.near, page.far] = [near, far];
        world.sessions.push(new PortSession(far as unknown as MessagePort, world.#open, undefined, new Credits(credit)));
        this.port = near;
      }
    }
    const globals = { SharedWorker, navigator: { locks: this.locks }, location: new URL("https://app.test/"), origin: "https://app.test", addEventListener: () => {} };
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }

  readonly #open: OpenAgent = async (_plan, signal, tokens, made) => {
    const core = new Core(this, tokens("https://agent.test/acp"));
    this.cores.push(core);
    made(core.client);
    signal?.addEventListener("abort", () => void core.client.close());
    await core.client.start({}, "omit");
    return core.client;
  };

  wrong(what: string): void {
    this.errors.push(what);
  }

  /** Resolves with the next step. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#turn.push(resolve));
  }

  /** Lets all run that is ready. */
  async settle(): Promise<void> {
    for (let n = 0; n < 3; n++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      for (const note of this.heard.splice(0)) note(); // what a message brings about is done with its microtasks
      mock.timers.tick(1);
    }
    for (const goOn of this.#turn.splice(0)) goOn();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  get #there(): Page[] {
    return this.pages.filter(({ isGone }) => !isGone);
  }

  /** A message arrives at one of those that have some; reports whether there was any. */
  #deliver(): boolean {
    const ports = this.pages.flatMap(({ near, far, isFrozen }) => [...(near?.waits && !isFrozen ? [near] : []), ...(far?.waits ? [far] : [])]);
    if (ports.length === 0) return false;
    ports[this.pick(ports.length)]!.deliver();
    return true;
  }

  async step(): Promise<void> {
    const { pick } = this;
    const there = this.#there;
    const one = there[pick(there.length || 1)];
    const what = pick(100);
    if (what < 55) for (let n = pick(4); n >= 0 && this.#deliver(); n--) await new Promise<void>((resolve) => setImmediate(resolve)); // each message is a task
    else if (what < 70) this.cores[pick(this.cores.length || 1)]?.act(pick);
    else if (what < 84) one?.act(pick);
    else if (what < 90) this.#attach();
    else if (what < 92) one?.freeze();
    else if (what < 94) one?.thaw();
    else if (what < 96) one?.leave(pick(2) === 0);
    else if (what < 97) one?.close(pick(2));
    else mock.timers.tick([100, 1_000, 6_000, 31_000][pick(4)]!);
    await this.settle();
  }

  #attach(): void {
    if (this.#there.length >= 4) return;
    const page = new Page(this, this.pages.length, USERS[this.pick(2)]!);
    this.pages.push(page);
    page.connect();
  }

  /** All pages close, or leave; nothing is left then. */
  async end(): Promise<void> {
    for (const page of this.#there) page.thaw();
    await this.#quiet();
    for (const page of this.#there) {
      if (page.agent) page.close(1);
      else page.leave(true);
    }
    await this.#quiet();
    for (const { name, promises, isGone } of this.pages) {
      for (const { name: what, isSettled } of promises) if (!isSettled && !isGone) this.wrong(`${what} of page ${name} never settles`);
    }
    for (const page of this.#there) page.leave(true);
    await this.#quiet();
    const [clients, ports] = [this.cores.flatMap(({ clients: all }) => all.filter(({ isOver }) => !isOver)), this.sessions.filter(({ presence }) => presence !== "gone" && presence !== "new")];
    if (clients.length > 0) this.wrong(`${clients.length} clients stay: ${clients.map(({ handle, user }) => `${handle} of ${user}`).join()}`);
    if (ports.length > 0) this.wrong(`${ports.length} ports stay`);
    if (joinable.size > 0) this.wrong(`${joinable.size} clients can be joined`);
  }

  /** Everything has arrived, the agents have answered, and minutes have gone by. */
  async #quiet(): Promise<void> {
    for (let round = 0; round < 6; round++) {
      for (let n = 0; n < 2_000; n++) {
        const some = this.#deliver();
        if (!some && n > 4) break;
        await this.settle();
      }
      for (const { now } of this.cores) {
        for (const id of now?.asked.splice(0) ?? []) now!.port.settle(id, 1, "{}");
        for (const question of now?.questions.splice(0) ?? []) now!.port.deliver(1, EVENT.withdrawn, question, `{"reason":"agent"}`); // a question waits for a page, however long
      }
      mock.timers.tick(31_000);
      await this.settle();
    }
  }
}
