import type { AgentBackend, AgentCounters, AgentViewer } from "../../agent/agentbackend.js";
import type { AgentEvents } from "../../agent/agentevents.js";
import { AgentFacts } from "../../agent/agentfacts.js";
import { requestText } from "../../agent/exchanges.js";
import { OP } from "../../agent/op.js";
import type { AgentHandlers } from "../../agent/openquestions.js";
import type { Recalled } from "../../agent/sessionbackend.js";
import { checkSignal, throwIfAborted } from "../../base/arguments.js";
import { HoldfastError } from "../../base/errors.js";
import type { Open } from "../../base/mcp.js";
import type { Usage } from "../../storage/storage.js";
import type { Durability } from "../../tabs/journalclient.js";
import { holdfastErrorFrom } from "../wire/errordata.js";
import { AGENT_HANDLERS } from "../wire/openingmessage.js";
import type { HostMessage, PageMessage } from "../wire/protocol.js";
import { asData } from "./remotecalls.js";
import { RemoteClient, type RemoteWay } from "./remoteclient.js";

/** Options of connectAgent that cross to a host, and the way to the host. */
export interface RemoteAgentPlan extends RemoteWay {
  url: string;
  /** Without functions. */
  options: object;
  handlers: AgentHandlers;
}

/** Facts of an agent that its host sends, beside the state. */
interface RemoteFacts {
  url: string;
  durability: Durability;
  counters: AgentCounters;
  canForward: boolean;
}

/** An agent's client whose runtime is in a worker: what is asked of it crosses a port. */
export class RemoteAgent extends RemoteClient<AgentEvents> implements AgentBackend {
  facts: AgentFacts = new AgentFacts();
  readonly #plan: RemoteAgentPlan;
  #viewer!: AgentViewer;
  #known: RemoteFacts;
  /** The host's numbers of sessions, by those that they have here: another worker gives its own anew. */
  readonly #there = new Map<number, number>();
  #sessions = 0;

  constructor(plan: RemoteAgentPlan) {
    super(OP, plan, {});
    this.#plan = plan;
    this.#known = { url: plan.url, durability: "memory", counters: {}, canForward: false };
  }

  bind(viewer: AgentViewer): void {
    this.#viewer = viewer;
  }

  get url(): string {
    return this.#known.url;
  }

  get durability(): Durability {
    return this.#known.durability;
  }

  get counters(): AgentCounters {
    return this.#known.counters;
  }

  get canForward(): boolean {
    return this.#known.canForward;
  }

  async request<T>(session: number, method: string, params: Open, signal?: AbortSignal, answered?: (result: unknown) => void): Promise<T> {
    checkSignal(method, signal);
    throwIfAborted(method, signal); // as with fetch: nothing is sent
    const result = await this.#send(session, method, params, false, signal);
    answered?.(result); // the next message of the host's comes later
    return result as T;
  }

  async notify(session: number, method: string, params: Open): Promise<void> {
    await this.#send(session, method, params, true);
  }

  async #send(session: number, method: string, params: Open, notifies: boolean, signal?: AbortSignal): Promise<unknown> {
    const json = requestText(method, params, (op) => this.overError(op));
    const wait = this.ready(method, signal);
    if (wait) await wait;
    const there = session === 0 ? 0 : this.#there.get(session);
    if (there === undefined) throw new HoldfastError({ code: "runtime_exited", op: method, message: "the worker that the runtime was in has ended", retryable: true });
    return this.askUntil(method, signal, (ask) => ({ t: "request", client: this.number, ask, session: there, method, params: json, notifies }));
  }

  respond(question: number, ok: boolean, json: string): void {
    this.link.send({ t: "respond", client: this.number, question, ok, json });
  }

  draft(question: number, json: string): void {
    this.link.send({ t: "save", client: this.number, question, json });
  }

  forgetSession(session: number): void {
    const there = this.#there.get(session);
    if (there !== undefined) this.link.send({ t: "forgetSession", client: this.number, session: there });
  }

  stored(): Promise<Usage | null> {
    return this.ownUntilEnd<Usage | null>("stored", null);
  }

  event(number: number, kind: number, position: number, text: string): void {
    const session = this.#here(number);
    if (session !== undefined) this.#viewer.deliver(session, kind, position, text);
  }

  protected override linked(): void {
    this.link.addCall(this.number, this); // what happens outside of any session
  }

  protected hello(): PageMessage {
    const { url, options, handlers, token, signIn } = this.#plan;
    const auth = signIn && { auth: signIn.at(this.link) };
    return { t: "agent", client: this.number, url, options: asData(OP, options), handlers: AGENT_HANDLERS.filter((name) => handlers[name as keyof AgentHandlers]), token: token !== undefined, ...auth, again: this.again, ifKeys: false };
  }

  protected lost(): void {
    this.#there.clear();
    if (this.isClosed || this.overError(OP)) this.#viewer.end(this.overError(OP)?.cause as HoldfastError | undefined);
    this.#viewer.withdraw();
  }

  /** Number that a session has here, 0 for none; undefined where there is no such session. */
  #here(there: number): number | undefined {
    if (there === this.number) return 0;
    for (const [session, number] of this.#there) if (number === there) return session;
    return undefined;
  }

  #numbered(there: number): number {
    this.#there.set(++this.#sessions, there);
    return this.#sessions;
  }

  protected heard(facts: object): void {
    const { said, ...known } = facts as Partial<RemoteFacts> & { said?: Open };
    if (said) this.facts.heard("open", said);
    this.#known = { ...this.#known, ...known };
  }

  protected take(message: HostMessage): void {
    switch (message.t) {
      case "session":
        this.link.addCall(message.session, this);
        this.#viewer.recall(this.#here(message.session) ?? this.#numbered(message.session), message.made as Recalled);
        break;
      case "forgotten":
        this.#there.delete(this.#here(message.call) ?? 0);
        break;
      case "assigned": {
        const session = this.#here(message.session);
        if (session !== undefined) this.#viewer.assign(session, message.number);
        break;
      }
      case "ended":
        this.#there.clear();
        if (message.again) this.facts = this.facts.ofAnotherUser();
        this.#viewer.end(message.error && holdfastErrorFrom(message.error, OP, (question) => this.thrown(question)));
        if (message.again) this.givenUp();
        break;
    }
  }

  protected happened({ event, value, error }: Extract<HostMessage, { t: "emit" }>): void {
    const full = error ? { ...value, error: holdfastErrorFrom(error, OP, (question) => this.thrown(question)) } : value;
    this.listeners.emit(event as keyof AgentEvents, full as never);
  }
}
