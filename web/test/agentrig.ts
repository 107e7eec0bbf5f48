import { ready } from "./ready.js";
import { Backlog } from "../src/base/backlog.js";
import { Agent, type AgentUse } from "../src/agent/agent.js";
import { AgentClient, type AgentClientUse } from "../src/agent/agentclient.js";
import { EVENT, TokenAnswer } from "../src/base/border.js";
import type { Journal } from "../src/tabs/journal.js";
import type { JournalClient } from "../src/tabs/journalclient.js";
import type { Open } from "../src/base/mcp.js";
import type { ClientPort } from "../src/runtime/port.js";
import type { Runtime } from "../src/runtime/runtime.js";

/** The client's handle in the core. */
const CLIENT = 7;

/** A request or notification that has been sent. */
export interface SentMessage {
  id: number;
  session: number;
  method: string;
  params: Open;
  notify: boolean;
}

/** An agent's client on a core that the test is. */
export class CoreRig {
  readonly sent: SentMessage[] = [];
  readonly cancelled: number[] = [];
  readonly responses: { request: number; ok: boolean; value: unknown }[] = [];
  readonly ended: string[] = [];
  /** How often it was told that a page has come. */
  visits = 0;
  /** Drafts that were saved, by the request that they are of. */
  readonly drafts: [request: number, json: string][] = [];
  /** What was asked for other pages, and what they were told. */
  readonly served: string[] = [];
  readonly told: unknown[][] = [];
  /** What went to other pages. */
  readonly forwarded: string[] = [];
  /** The call that the next one is, which is made for another page. */
  serves = 0;
  /** The client as its journal has it. */
  client: JournalClient | undefined;
  readonly core: AgentClient;
  port!: ClientPort;
  #last = 0;

  /** `pages`: others can be reached. */
  constructor(use: Partial<AgentClientUse> = {}, pages = false) {
    const send = (notify: boolean) => (_: number, session: number, method: string, params: string, bind: (id: number) => void) => {
      const id = ++this.#last;
      this.sent.push({ id, session, method, params: JSON.parse(params) as Open, notify });
      bind(id);
    };
    const runtime = {
      connectAgent: (_options: object, port: ClientPort, stored: (handle: number) => unknown) => {
        this.port = port;
        stored(CLIENT);
        return CLIENT;
      },
      agentRequest: send(false),
      agentNotify: send(true),
      agentCancel: (_: number, id: number) => this.cancelled.push(id),
      agentServe: (_: number, text: string, bind: (id: number) => void) => {
        this.served.push(text);
        bind(this.serves);
      },
      agentForwardSettled: (_: number, ...said: unknown[]) => this.told.push(["core", ...said]),
      agentForget: (_: number, session: number) => this.tell(session, "status", { state: "closed" }),
      agentSaveDraft: (_client: number, request: number, json: string) => this.drafts.push([request, json]),
      terminate: () => this.#end("terminate"),
      logOut: () => {},
      close: () => this.#end("close"),
      closeKeepingSession: () => this.#end("closeKeepingSession"),
      token: (_: number, answer: number, text: string) => this.told.push(["token", answer === TokenAnswer.Given, text]),
      counters: () => `{"cuts":2}`,
      release: () => {},
      visited: () => this.visits++,
      respond: (_: number, request: number, ok: boolean, json: string) => this.responses.push({ request, ok, value: JSON.parse(json) }),
    };
    const journal = {
      durability: "indexeddb",
      canForward: true,
      options: () => ({}),
      attach: (client: JournalClient) => void (this.client = client),
      forward: (text: string) => this.forwarded.push(text),
      settleForward: (...said: unknown[]) => this.told.push(said),
      close: () => {},
      shared: () => false,
    };
    const keeping = { journal: pages ? (journal as unknown as Journal) : undefined };
    this.core = new AgentClient(runtime as unknown as Runtime, "https://example.com/acp", { keeping, ...use });
  }

  #end(how: string): void {
    this.ended.push(how);
    this.port.state(`{"state":"closed"}`, 0);
  }

  /** Opens it, with what the agent has answered to initialize. */
  async open(version = 2, initialize: Open = { info: { name: "a", version: "1" }, capabilities: { session: {} } }): Promise<this> {
    const started = this.core.start({}, "omit");
    this.port.state(JSON.stringify({ state: "open", version, restored: false, transport: "http", initialize }), 0);
    await started;
    return this;
  }

  /** The core knows a session. */
  recall(handle: number, sessionId: string, more: Open = {}): void {
    this.port.recall(handle, JSON.stringify({ sessionId, cwd: "/w", restored: false, owned: true, ...more }));
  }

  /** The latest message. */
  get last(): SentMessage {
    return this.sent.at(-1)!;
  }

  /** The core settles the latest message. */
  answer(value: unknown, outcome = 1, { id } = this.last): void {
    this.port.settle(id, outcome, JSON.stringify(value));
  }

  /** The core tells of something. */
  tell(session: number, kind: keyof typeof EVENT, value: object, position = 0): void {
    this.port.deliver(session, EVENT[kind], position, JSON.stringify(value));
  }

  /** A turn's event. */
  turn(turn: number, state: string, ended = false, more: Open = {}): void {
    this.tell(1, "phase", { state, turn, ended, ...more });
  }
}

/** The same, and the agent that rests on it in this page. */
export class AgentRig extends CoreRig {
  readonly agent: Agent;

  constructor(use: Partial<AgentUse & AgentClientUse> = {}, pages = false) {
    super(use, pages);
    this.agent = new Agent(this.core, { handlers: {}, elicits: true, backlog: new Backlog(100), ...use });
  }
}

export { ready };

/** Whether a promise has been settled by the time that everything has run that is ready. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = (): void => void (settled = true);
  promise.then(note, note);
  await ready();
  return settled;
}
