// Pages of one browser whose servers say how long their lists may be kept: the client, the store and the
// cipher are as they are, the core and the server are the test.

import { CoreCall } from "../src/client/corecall.js";
import { CoreClient } from "../src/client/coreclient.js";
import { callDefaults, type CallKeeping } from "../src/client/options.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { ServerFacts } from "../src/client/serverfacts.js";
import { FACT, OUTCOME } from "../src/base/border.js";
import { Backlog } from "../src/base/backlog.js";
import type { ListToolsResult, Open } from "../src/base/mcp.js";
import { openStore, type Results, type Store } from "../src/storage/storage.js";

const DAY = 24 * 3_600_000;
const SLACK = 5_000;

/** As core/durable/fresh.go has it, which has tests of its own. */
const fresh = (at: number, ttl: number, latest: number, ran: number): number =>
  Math.max(at, latest) > Date.now() + SLACK
    ? 0
    : Math.max(Math.min(ttl, DAY) - Math.max(Date.now() - at, ran, 0), 0);

/** A server: what it answers, and what it was asked. */
export class Server {
  readonly asked: string[] = [];
  version = 1;
  hints: Open = { ttlMs: 60_000, cacheScope: "private" };
  /** What a list has beside its tools. */
  more: Open = {};
  /** A cursor that it does not know any more. */
  unknown: string | undefined;
  /** Holds answers back, where it is set. */
  gate: Promise<void> | undefined;

  answer(method: string, params: Open | undefined, whose: string): Open {
    this.asked.push(params?.["cursor"] === undefined ? method : `${method} ${String(params["cursor"])}`);
    const tools = [{ name: `v${this.version} of ${whose}`, inputSchema: {} }];
    const prompts = [{ name: `p${this.version}` }];
    return {
      tools, prompts, resources: [], resourceTemplates: [], contents: [], ...this.hints, ...this.more
    };
  }
}

/** How a page connects. */
export interface Visit {
  /** Of the server and the user. */
  key?: string;
  token?: string;
  /** It signs in by itself, so that its token stands for others. */
  signsIn?: boolean;
  revision?: string;
  variant?: string;
  /** No store. */
  memory?: boolean;
}

class Client extends CoreClient {
  readonly #server: Server;
  readonly #visit: Visit;
  rounds = 0;
  constructor(server: Server, visit: Visit, keeping: CallKeeping) {
    const runtime: Partial<Record<keyof Runtime, unknown>> = { fresh, tools: () => {} };
    super(
      runtime as unknown as Runtime, "http://localhost/mcp", new Backlog(1), {}, { policy: false }, keeping,
    );
    this.#server = server;
    this.#visit = visit;
  }
  override get revision(): string {
    return this.#visit.revision ?? "2026-07-28";
  }
  protected override get serverFacts(): ServerFacts {
    return Object.assign(new ServerFacts(), { bits: this.revision >= "2026" ? FACT.selfDescribing : 0 });
  }
  override request<T>(method: string, params?: Open): CoreCall<T> {
    const call = new CoreCall<T>(method, new Backlog(1));
    call.rounds = this.rounds;
    const text = JSON.stringify(this.#server.answer(method, params, this.#visit.token ?? "all"));
    const isKnown = params?.["cursor"] === undefined || params["cursor"] !== this.#server.unknown;
    const error = JSON.stringify({ code: -32602, message: "unknown cursor" });
    void (this.#server.gate ?? Promise.resolve()).then(
      () => (isKnown ? call.settle(OUTCOME.result, text) : call.settle(OUTCOME.rpcError, error)),
    );
    return call;
  }
  /** A notification comes. */
  hears(method: string, params?: Open): void {
    this.noticed(method, params);
  }
  /** A token has come. */
  takesToken(): void {
    this.forgotten();
  }
}

/** A page that is connected. */
export class Page {
  readonly client: Client;
  readonly store: Store | undefined;
  readonly #stores: { given: string | undefined; sender?: object };

  private constructor(server: Server, visit: Visit, store: Store | undefined) {
    this.store = store;
    this.#stores = { given: visit.token, ...(visit.signsIn && { sender: {} }) };
    const journal = store && { get results(): Results | undefined { return store.results; } };
    const keeping = {
      journal, stores: this.#stores, defaults: callDefaults("test", {}), variant: visit.variant,
    };
    this.client = new Client(server, visit, keeping as unknown as CallKeeping);
    if (visit.token !== undefined) this.client.takesToken();
  }

  static async open(server: Server, visit: Visit = {}): Promise<Page> {
    const store = visit.memory
      ? undefined
      : await openStore({ server: visit.key ?? "https://s.test/mcp#ada", tab: `tab ${++tabs}` });
    return new Page(server, visit, store);
  }

  /** The names of the tools. */
  async list(): Promise<string[]> {
    const { tools }: ListToolsResult = await this.client.listTools();
    return tools.map(({ name }) => name);
  }

  /** The token is another one from here on. */
  takes(token: string): void {
    this.#stores.given = token;
    this.client.takesToken();
  }
}

let tabs = 0;
