// A worker with MCP clients of two users, and pages of theirs that come, go, freeze, call, sign in and out as
// numbers by a seed say. It is what twousers.ts is for agents: both sides of the port are as they are; the core, the
// channel and the locks are the test. The oracle: what is one user's is marked. It reaches no page that has given the worker
// another one's token, and what a page makes once it has given its token goes out as that user's.

import { mock } from "node:test";
import type { McpClient } from "../src/client/client.js";
import type { Call } from "../src/client/call.js";
import { OpenClient, type Plan } from "../src/client/openclient.js";
import type { openView } from "../src/client/openview.js";
import { callDefaults } from "../src/client/options.js";
import { joinable } from "../src/connect/joinable.js";
import { UserStores } from "../src/connect/userstores.js";
import { Credits } from "../src/host/wire/credits.js";
import { connect } from "../src/host/choose/hosts.js";
import { PortSession } from "../src/host/worker/portsession.js";
import type { ClientPort } from "../src/runtime/port.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { Backlog } from "../src/base/backlog.js";
import { EVENT, OUTCOME, TokenAnswer } from "../src/base/border.js";
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

/** A call as the core has it. */
interface CoreCall {
  readonly id: number;
  readonly params: string;
}

/** A client as the core has it: of one user, from the first token on. */
class CoreClient {
  user: User | undefined;
  isOver = false;
  /** What was made while a token is asked for, and waits for that. */
  #waiting: CoreCall[] | undefined = [];
  /** Calls without an outcome. */
  readonly calls: CoreCall[] = [];
  /** What the server has asked. */
  readonly questions: number[] = [];
  #position = 0;

  constructor(
    readonly world: World,
    readonly port: ClientPort,
  ) {}

  token(ok: boolean, text: string): void {
    const user = ok ? userOf(text) : undefined;
    if (this.isOver) return;
    if (!user) {
      this.isOver = true;
      return this.port.state(`{"state":"failed","error":{"code":"unauthorized","message":"no token","op":"connect","status":401,"retryable":false}}`, 0);
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    if (this.user) {
      if (this.user !== user) this.world.wrong(`the client of ${this.user} got a token of ${user}`);
      for (const call of waiting) this.#leaves(call);
      return;
    }
    this.user = user;
    this.port.state(JSON.stringify({ state: "open", revision: "2025-11-25", session: true, initialize: { serverInfo: { name: markOf(user), version: "1" } } }), 0);
    for (const call of waiting) this.#leaves(call);
  }

  call(call: CoreCall): void {
    this.calls.push(call);
    if (this.#waiting) this.#waiting.push(call);
    else this.#leaves(call);
  }

  /** As the core has it: a call that waits for the token. */
  revoke(id: number): void {
    if (this.#waiting?.some((call) => call.id === id)) this.#settles(id, "closed");
    this.#waiting = this.#waiting?.filter((call) => call.id !== id);
  }

  /** A call that has not left ends. */
  cancel(id: number): void {
    this.#waiting = this.#waiting?.filter((call) => call.id !== id);
    this.#settles(id, "cancelled");
  }

  #settles(id: number, code: string): void {
    const at = this.calls.findIndex((call) => call.id === id);
    if (at < 0) return;
    this.calls.splice(at, 1);
    this.port.settle(id, OUTCOME.failure, `{"code":"${code}","message":"${code}","op":"tools/call","status":0,"retryable":false}`);
  }

  /** A call goes out, with the user's token. */
  #leaves({ id, params }: CoreCall): void {
    if (!this.calls.some((call) => call.id === id)) return;
    const decision = /<decided by (\d+)>/.exec(params)?.[1];
    const decided = decision && this.world.decided.get(Number(decision));
    if (decided && decided !== this.user) this.world.wrong(`what ${decided} made while a token was asked for went out as ${this.user}: ${params}`);
    for (const user of marksIn(params)) if (user !== this.user) this.world.wrong(`a call of ${user} went out as ${this.user}: ${params}`);
  }

  respond(question: number, ok: boolean, json: string): void {
    if (this.isOver) return;
    const at = this.questions.indexOf(question);
    if (at < 0) return this.world.wrong(`an answer to ${question}, which is not open: ${json}`);
    this.questions.splice(at, 1);
    const by = this.world.answeredAs;
    if (ok && by && by !== this.user) this.world.wrong(`a page of ${by} answered ${this.user}'s question: ${json}`);
    for (const user of marksIn(json)) if (ok && user !== this.user) this.world.wrong(`the answer of ${user} to ${this.user}'s question: ${json}`);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const { id } of this.calls.splice(0)) this.port.settle(id, OUTCOME.failure, `{"code":"closed","message":"the client was closed","op":"tools/call","status":0,"retryable":false}`);
    this.port.state(`{"state":"closed"}`, 0);
  }

  /** Everything has its outcome. */
  finish(): void {
    for (const { id } of this.calls.splice(0)) this.port.settle(id, OUTCOME.result, `{"content":[]}`);
  }

  /** The server does something. */
  act(pick: (n: number) => number): void {
    const { port, user } = this;
    if (this.isOver || !user) return;
    const mark = markOf(user);
    const at = this.calls[pick(this.calls.length || 1)];
    switch (pick(6)) {
      case 0:
        return at && port.deliver(at.id, EVENT.progress, ++this.#position, JSON.stringify({ progress: this.#position, message: mark }));
      case 1: {
        if (!at) return;
        this.calls.splice(this.calls.indexOf(at), 1);
        return port.settle(at.id, OUTCOME.result, JSON.stringify({ content: [{ type: "text", text: mark }] }));
      }
      case 2:
        return port.deliver(0, EVENT.notification, 0, JSON.stringify({ method: "x/y", params: { mark } }));
      case 3:
        return port.deliver(0, EVENT.log, 0, JSON.stringify({ level: "info", data: mark }));
      case 4: {
        const question = ++this.world.questions;
        this.questions.push(question);
        const request = { id: `r${question}`, method: "elicitation/create", params: { message: `${mark} ${question}`, requestedSchema: { type: "object", properties: { who: { type: "string" } } } } };
        return port.deliver(at?.id ?? 0, EVENT.request, question, JSON.stringify(request));
      }
      case 5:
        if (this.#waiting) return;
        this.#waiting = [];
        return port.token();
    }
  }
}

/** A page with one client, as an app has it. */
class Page {
  client: McpClient | undefined;
  /** Whose token it gives. */
  user: User;
  /** Whose token it has given last. */
  given: User | undefined;
  /** Whose token the worker has had from it last. */
  heard: User | undefined;
  /** The same, from the moment that the message arrives: both count until its turn of the event loop is over. */
  hears: User | undefined;
  /** The token that the app is asked for: it says whose is what the page makes meanwhile. */
  deciding: number | undefined;
  /** Those that it has given, and that the worker has not had yet. */
  readonly answered: number[] = [];
  lock = "";
  isFrozen = false;
  isGone = false;
  isClosing = false;
  near: Port | undefined;
  far: Port | undefined;
  readonly promises: { name: string; isSettled: boolean }[] = [];
  readonly #calls: Call<unknown>[] = [];

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

  /** Resolves some steps later. */
  async #later(): Promise<void> {
    for (let n = this.world.pick(4); n > 0; n--) await this.world.next();
  }

  connect(): void {
    const elicitation = async ({ message }: { message: string }): Promise<{ action: "accept"; content: { who: string } }> => {
      await this.#later();
      return { action: "accept", content: { who: message } };
    };
    const token = async (): Promise<string> => {
      const decision = (this.deciding = ++this.world.decisions);
      if (this.world.pick(3) === 0) await this.#later();
      if (this.deciding === decision) this.deciding = undefined;
      this.answered.push(decision);
      return tokenOf((this.given = this.user));
    };
    const { pick } = this.world;
    const connecting = connect("https://mcp.test/mcp", { host: "shared", worker: `https://app.test/${this.world.seed}/${this.name}.mjs`, wasm: "https://app.test/x.wasm", journal: false, token, handlers: { elicitation } });
    connecting.then(
      (client) => {
        this.client = client;
        client.on("restored", ({ call }) => pick(2) && this.#calls.push(call as Call<unknown>));
      },
      () => {},
    );
    this.watch("connect", connecting);
  }

  /** The app does something. */
  act(pick: (n: number) => number): void {
    const { client } = this;
    if (!client || this.isClosing || this.isFrozen) return;
    const text = this.deciding === undefined ? markOf(this.given ?? this.user) : `<decided by ${this.deciding}>`;
    const known = this.#calls[pick(this.#calls.length || 1)];
    switch (pick(7)) {
      case 0:
      case 1: {
        const call = client.callTool("work", { text }, { ...(pick(3) === 0 && { key: `${text} ${pick(3)}` }), journal: pick(3) > 0 }) as Call<unknown>;
        this.#calls.push(call);
        this.watch("call", call.result);
        break;
      }
      case 2:
        this.watch("request", client.request("x/y", { text }).result);
        break;
      case 3:
        known?.cancel();
        break;
      case 4:
        this.watch("calls", client.calls());
        break;
      case 5:
        this.user = USERS[pick(2)]!;
        break;
      case 6:
        if (known?.settled) known.ack().catch(() => {});
        break;
    }
  }

  close(): void {
    if (!this.client || this.isClosing || this.isFrozen) return;
    this.isClosing = true;
    this.watch("close", this.client.close());
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
  readonly clients: CoreClient[] = [];
  readonly sessions: PortSession[] = [];
  readonly errors: string[] = [];
  readonly pick: (n: number) => number;
  questions = 0;
  decisions = 0;
  /** Whose token the page had given that has answered last. */
  answeredAs: User | undefined;
  /** Whose token those that the worker has had were. */
  readonly decided = new Map<number, User>();
  #calls = 0;
  /** What the worker has heard in the turn that goes on. */
  readonly #heard: (() => void)[] = [];
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
          if (data["t"] === "reply") world.answeredAs = page.heard;
          if (!user) return;
          const decision = page.answered.shift();
          if (decision !== undefined) world.decided.set(decision, user);
          page.hears = user;
          world.#heard.push(() => (page.heard = user));
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
        world.sessions.push(new PortSession(far as unknown as MessagePort, undefined, world.#open as typeof openView, new Credits(credit)));
        this.port = near;
      }
    }
    const globals = { SharedWorker, navigator: { locks: this.locks }, location: new URL("https://app.test/"), origin: "https://app.test", addEventListener: () => {} };
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }

  /** As openView() has it, on a runtime that is the test. */
  readonly #open = async (url: string, options: Parameters<typeof openView>[1], viewOf: Parameters<typeof openView>[2]): Promise<unknown> => {
    const plan: Plan = {
      url,
      options,
      core: { revision: "2025-11-25" },
      credentials: "omit",
      backlog: [1_000, 1_000_000, 1_000_000],
      validation: { policy: false },
      defaults: callDefaults("test", {}),
    };
    const stores = new UserStores(options, false, { of: async (name) => name }, url);
    const view = viewOf(url, new Backlog(...plan.backlog), options.handlers ?? {}, stores);
    const principal = await stores.principal();
    if (options.signal?.aborted) throw new TypeError("the page has gone");
    await OpenClient.of(plan, principal).join(view, options.signal, Promise.resolve(this.#runtime as unknown as Runtime), principal);
    return view;
  };

  readonly #runtime: Partial<Record<keyof Runtime, unknown>> = {
    connect: (_: object, port: ClientPort, stored: (handle: number) => unknown) => {
      const handle = this.clients.push(new CoreClient(this, port));
      stored(handle);
      queueMicrotask(() => this.clients[handle - 1]!.isOver || port.token());
      return handle;
    },
    call: (handle: number, _how: number, [, params]: string[], _times: object, bind: (id: number) => void) => {
      const id = ++this.#calls;
      bind(id);
      this.clients[handle - 1]!.call({ id, params: params! });
    },
    cancel: (handle: number, id: number) => {
      this.clients[handle - 1]!.cancel(id);
    },
    revoke: (handle: number, id: number) => this.clients[handle - 1]?.revoke(id),
    ack: (handle: number, _: number, __: number, ticket: number) => ticket > 0 && queueMicrotask(() => this.clients[handle - 1]!.port.deliver(0, EVENT.acked, ticket, `{"stored":true}`)),
    token: (handle: number, answer: number, text: string) => this.clients[handle - 1]!.token(answer === TokenAnswer.Given, text),
    respond: (handle: number, question: number, ok: boolean, json: string) => this.clients[handle - 1]!.respond(question, ok, json),
    counters: () => "{}",
    mirrored: () => "",
    ...Object.fromEntries(["close", "terminate", "closeKeepingSession"].map((what) => [what, (handle: number) => this.clients[handle - 1]!.end()])),
    ...Object.fromEntries(["release", "pause", "handed", "visited", "hold", "saveDraft", "tools", "peek", "park", "logOut"].map((what) => [what, () => {}])),
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
      for (const note of this.#heard.splice(0)) note(); // what a message brings about is done with its microtasks
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
    else if (what < 70) this.clients.filter(({ isOver }) => !isOver).at(-1 - pick(2))?.act(pick);
    else if (what < 84) one?.act(pick);
    else if (what < 90) this.#attach();
    else if (what < 92) one?.freeze();
    else if (what < 94) one?.thaw();
    else if (what < 96) one?.leave(pick(2) === 0);
    else if (what < 97) one?.close();
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
      if (page.client) page.close();
      else page.leave(true);
    }
    await this.#quiet();
    for (const { name, promises, isGone } of this.pages) {
      for (const { name: what, isSettled } of promises) if (!isSettled && !isGone) this.wrong(`${what} of page ${name} never settles`);
    }
    for (const page of this.#there) page.leave(true);
    await this.#quiet();
    const clients = this.clients.filter(({ isOver }) => !isOver);
    const ports = this.sessions.filter(({ presence }) => presence !== "gone" && presence !== "new");
    if (clients.length > 0) this.wrong(`${clients.length} clients stay: ${clients.map(({ user }) => user).join()}`);
    if (ports.length > 0) this.wrong(`${ports.length} ports stay`);
    if (joinable.size > 0) this.wrong(`${joinable.size} clients can be joined`);
  }

  /** Everything has arrived, the servers have answered, and minutes have gone by. */
  async #quiet(): Promise<void> {
    for (let round = 0; round < 6; round++) {
      for (let n = 0; n < 2_000; n++) {
        const some = this.#deliver();
        if (!some && n > 4) break;
        await this.settle();
      }
      for (const client of this.clients) if (!client.isOver && client.user) client.finish();
      mock.timers.tick(31_000);
      await this.settle();
    }
  }
}
