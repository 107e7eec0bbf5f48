import type { AgentEvents } from "../agent/agentevents.js";
import type { AgentOptions } from "../agent/agentoptions.js";
import { type AgentPlan, agentPlan, agentStores, type OpenAgent } from "../agent/openagent.js";
import { unlessAborted } from "../connect/abort.js";
import type { UserStores } from "../connect/userstores.js";
import type { View } from "../connect/views.js";
import type { Handlers } from "../input/handlers.js";
import { EVENT } from "../shared/border.js";
import { HoldfastError } from "../shared/errors.js";
import type { Open } from "../shared/mcp.js";
import { type TokenView, askForToken, pageArrived } from "./askpage.js";
import { errorData } from "./errordata.js";
import { KnownPlaces } from "./knownplaces.js";
import { NewFacts } from "./newfacts.js";
import type { Presence } from "./pagepresence.js";
import type { QuestionContext } from "./portview.js";
import type { Asked, HostMessage, PageMessage } from "./protocol.js";
import type { MirroredQuestion, SessionMirror } from "./sessionmirror.js";
import { SharedAgent } from "./sharedagent.js";

const OP = "connectAgent";

/** Events beside the transcript that wait for a page that takes nothing: beyond, it misses the oldest that it can do without. */
const MISSED = 1_000;

/** The handler that answers a method. */
const HANDLER: Readonly<Record<string, string>> = { "session/request_permission": "permission", "elicitation/create": "elicitation" };

/** The page that has a view, as far as the view goes. */
export interface AgentPage {
  readonly presence: Presence;
  /** Whether the page takes events now. */
  readonly takes: boolean;
  event(number: number, kind: number, position: number, text: string, stream: number): void;
  send(message: HostMessage): void;
  /** A number that nothing else has on the port. */
  number(): number;
  question(client: number, asked: Asked, request: object, context: QuestionContext): Promise<unknown>;
}

/** That a question is the page's to answer, among the events that it has missed. */
const ASSIGNED = 0;

/** A request that has no answer. */
interface OpenRequest {
  readonly method: string;
  readonly abort: AbortController;
}

/** Requests that make sessions known. */
const MAKING: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume"]);

/** What a page has of one session. */
interface Shown {
  /** Its number on the port. */
  readonly number: number;
  /** The page has not had all of it, and what of that is no part of the transcript. */
  missed: [kind: number, position: number, text: string][] | undefined;
  /** What the page knows to be saved of answers, by their questions. */
  readonly drafts: Map<number, string | undefined>;
}

/** What one page has of an agent's client here. */
export class AgentView implements View, TokenView {
  readonly handlers: Handlers = {};
  readonly hasToken: boolean;
  readonly number: number;
  readonly page: AgentPage;
  stores!: UserStores;
  /** Where the agent is. */
  address: string;
  readonly #names: readonly unknown[];
  readonly #open: OpenAgent;
  #agent: SharedAgent | undefined;
  readonly #over = new AbortController();
  /** The app has the agent, and can listen. */
  #listens = false;
  readonly #facts: NewFacts;
  readonly #shown = new Map<SessionMirror, Shown>();
  readonly #asks = new Map<number, OpenRequest>();
  readonly #places: KnownPlaces;
  /** It has heard why sessions are not kept. */
  #knowsWhy = false;

  /** `open` opens a client here. */
  constructor(page: AgentPage, open: OpenAgent, { client, url, handlers, token }: Extract<PageMessage, { t: "agent" }>) {
    this.page = page;
    this.#open = open;
    this.number = client;
    this.address = url;
    this.hasToken = token;
    this.#names = handlers;
    this.#facts = new NewFacts(
      () => this.#known(),
      (facts) => this.page.send({ t: "facts", client: this.number, facts }),
    );
    this.#places = new KnownPlaces((facts) => this.page.send({ t: "facts", client: this.number, facts }));
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  get peers(): readonly AgentView[] {
    const all = (this.#agent?.views.all ?? []) as readonly AgentView[];
    return all.length > 0 ? all : [this];
  }

  /** Whether the page has gone. */
  get isGone(): boolean {
    return this.page.presence === "gone";
  }

  /** Whether this page can answer what the agent asks. */
  get canAnswer(): boolean {
    return this.#listens && this.page.presence === "here";
  }

  /** Whether the app has a handler for a question, or would show it. */
  handles(question: string): boolean {
    const { method } = JSON.parse(question) as { method: string };
    const name = HANDLER[method];
    return name === undefined || this.#names.includes(name) || !this.peers.some((other) => other.canAnswer && other.#names.includes(name));
  }

  /** Opens the client, or joins it; tells the page. */
  async open({ url, options, token }: Extract<PageMessage, { t: "agent" }>): Promise<void> {
    try {
      const plan = this.#plan(url, options as AgentOptions, token);
      this.stores = agentStores(plan, () => this.address);
      const principal = await unlessAborted(OP, this.over, this.stores.principal());
      this.#agent = SharedAgent.of(plan, principal, this.#open);
      await unlessAborted(OP, this.over, this.#agent.join(this, principal));
    } catch (error) {
      this.#leave();
      this.#agent = undefined;
      this.page.send({ t: "failed", client: this.number, error: errorData(error) });
      return;
    }
    this.#tell();
    this.page.send({ t: "opened", client: this.number });
  }

  #plan(url: string, options: AgentOptions, token: boolean): AgentPlan {
    // The core is to know whether elicitations are answered; who answers them is this view's affair.
    const elicitation = this.#names.includes("elicitation") && { handlers: { elicitation: () => ({ action: "cancel" as const }) } };
    return agentPlan(url, { ...options, ...elicitation, ...(token && { token: () => askForToken(this, url) }) });
  }

  /** Whether it is open. */
  get isOpen(): boolean {
    return this.#agent?.client !== undefined;
  }

  /** The app can listen from here on. */
  listening(): void {
    const agent = this.#agent;
    if (!agent) return;
    this.#listens = true;
    const { why } = agent;
    if (why && !this.#knowsWhy) this.page.send({ t: "emit", client: this.number, event: "durability", value: { durability: "memory", why }, call: 0 });
    agent.listens(this);
    pageArrived();
  }

  /** The page is away, or back: what it was to answer may be another's. */
  presenceChanged(): void {
    this.#agent?.reassign();
  }

  /** The page has gone. */
  left(): void {
    if (this.#agent?.client) this.#agent.left(this);
    else this.abort();
  }

  /** The page wants it no more while it is being opened. */
  abort(): void {
    this.#over.abort();
    this.#leave();
    this.#facts.end();
  }

  #leave(): void {
    const agent = this.#agent;
    if (agent?.leave(this)) void agent.client?.close();
  }

  /** Ends it, for the app: the client with it, where it is the last, or the app wants the client's end. */
  async close(how: "close" | "terminate" | "logout"): Promise<void> {
    await this.#places.known;
    const agent = this.#agent;
    const client = agent?.client;
    const isLast = agent?.leave(this) ?? false;
    this.#endAsks((op) => new HoldfastError({ code: "closed", op, message: "the client is closed" }));
    this.#over.abort();
    this.#facts.end();
    if (how === "logout") {
      await client?.logout();
      await this.stores?.forgetFormer();
    } else if (isLast || how === "terminate") {
      await client?.close(how === "terminate");
    }
    if (client?.state === "failed") return;
    this.page.send({ t: "facts", client: this.number, facts: { state: "closed" } });
    this.page.send({ t: "emit", client: this.number, event: "state", value: { state: "closed" }, call: 0 });
  }

  leaves(): void {
    this.#agent?.leave(this);
    this.#endAsks((op) => new HoldfastError({ code: "closed", op, message: "the token provider gave a token of another user" }));
    this.#over.abort();
    this.#facts.end();
    this.page.send({ t: "ended", client: this.number, again: true });
  }

  /** What the store holds. */
  async stored(): Promise<unknown> {
    return this.#agent?.client?.stored() ?? null;
  }

  /** Something has happened to the client. */
  emit<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void {
    this.#tell();
    this.#facts.touched();
    if (event === "durability") this.#knowsWhy = true;
    let data: object = value;
    const { error } = value as AgentEvents["state"];
    if (event === "state") data = { state: (value as AgentEvents["state"]).state };
    this.page.send({ t: "emit", client: this.number, event, value: data, call: 0, ...(event === "state" && error && { error: errorData(error) }) });
  }

  /** The sessions are over. */
  ended(error?: HoldfastError): void {
    this.#shown.clear();
    this.page.send({ t: "ended", client: this.number, again: false, ...(error && { error: errorData(error) }) });
  }

  /** Facts may follow from what was sent. */
  touched(): void {
    this.#facts.touched();
  }

  /** Tells the page what it does not know of the client, and what a logout deletes. */
  #tell(): void {
    this.#facts.tell();
    if (this.stores) this.#places.tell(this.stores, this.address);
  }

  #known(): Record<string, unknown> | undefined {
    const client = this.#agent?.client;
    if (!client) return undefined;
    const { url, state, durability, counters, canForward, facts } = client;
    return { url, state, durability, counters, canForward, said: facts.said };
  }

  /** Makes a session known to the page, with all that is in it, or what is asked outside of all; `isNew`: it came to be known just now. */
  show(mirror: SessionMirror, isNew = false): void {
    let shown = this.#shown.get(mirror);
    if (!shown) this.#shown.set(mirror, (shown = { number: mirror.handle === 0 ? this.number : this.page.number(), missed: undefined, drafts: new Map() }));
    if (mirror.handle !== 0) {
      const { made } = mirror;
      this.page.send({ t: "session", client: this.number, session: shown.number, made: { ...made, restored: made.restored || !isNew || !this.#mayHaveMade } });
      shown.missed = undefined;
      if (this.page.takes) this.#tellAll(shown, mirror);
      else shown.missed = [...this.#rest(mirror)];
    }
    for (const [question, open] of mirror.questions) {
      this.#ask(mirror, question, open);
      open.isShown ||= !this.isGone;
    }
  }

  /** Whether a session that is new may be of this page's making. */
  get #mayHaveMade(): boolean {
    return this.peers.length === 1 || [...this.#asks.values()].some(({ method }) => MAKING.has(method));
  }

  /** The transcript and the turns, from the start. */
  #tellAll({ number }: Shown, mirror: SessionMirror): void {
    for (const [kind, text] of mirror.transcript()) this.page.event(number, kind, 0, text, 0);
    for (const [kind, position, text] of this.#rest(mirror)) this.page.event(number, kind, position, text, 0);
  }

  *#rest(mirror: SessionMirror): Generator<[number, number, string]> {
    for (const [kind, text] of mirror.turns()) yield [kind, 0, text];
  }

  /** Something has happened in a session. */
  deliver(mirror: SessionMirror, kind: number, position: number, text: string): void {
    if (kind === EVENT.question) return this.#ask(mirror, position, mirror.questions.get(position)!);
    if (kind !== EVENT.draft) this.#event(mirror, kind, position, text); // it comes with its question
    if (mirror.isOver) this.#shown.delete(mirror);
  }

  #event(mirror: SessionMirror, kind: number, position: number, text: string): void {
    const shown = this.#shown.get(mirror);
    if (!shown || this.isGone) return;
    if (!shown.missed && this.page.takes) return this.page.event(shown.number, kind, position, text, 0);
    shown.missed ??= [];
    if (kind === EVENT.transcript) return;
    if (shown.missed.push([kind, position, text]) > MISSED) forgetOne(shown.missed);
  }

  #ask(mirror: SessionMirror, question: number, open: MirroredQuestion): void {
    if (this.isGone) return;
    const { text, draft, isShown } = open;
    this.#shown.get(mirror)?.drafts.set(question, draft);
    if (draft !== undefined) this.#event(mirror, EVENT.draft, question, draft);
    this.#event(mirror, EVENT.question, question, isShown ? JSON.stringify({ ...(JSON.parse(text) as Open), restored: true }) : text);
  }

  /** That question is this page's to answer. */
  assign(mirror: SessionMirror, question: number, open: MirroredQuestion): void {
    const shown = this.#shown.get(mirror);
    if (!shown) return;
    if (open.draft !== shown.drafts.get(question)) {
      // The page before this one has saved it since.
      this.#event(mirror, EVENT.withdrawn, question, `{"reason":"moved"}`);
      this.#ask(mirror, question, open);
    }
    if (shown.missed) shown.missed.push([ASSIGNED, question, ""]);
    else this.#assigned(shown, question);
  }

  #assigned({ number }: Shown, question: number): void {
    this.page.send({ t: "assigned", client: this.number, session: number, number: question });
  }

  /** The page takes events again: it gets the transcripts of which it has missed something. */
  resume(): void {
    if (!this.page.takes) return;
    for (const [mirror, shown] of this.#shown) {
      const { missed } = shown;
      if (!missed) continue;
      shown.missed = undefined;
      if (mirror.handle !== 0) for (const [kind, text] of mirror.transcript()) this.page.event(shown.number, kind, 0, text, 0);
      for (const [kind, position, text] of missed) {
        if (kind === ASSIGNED) this.#assigned(shown, position);
        else this.page.event(shown.number, kind, position, text, 0);
      }
    }
  }

  /** Carries out a request of the page's. */
  request({ ask, session, method, params, notifies }: Extract<PageMessage, { t: "request" }>): void {
    const client = this.#agent?.client;
    const handle = session === 0 ? 0 : this.#mirrorOf(session)?.handle;
    if (!client || handle === undefined) {
      const error = new HoldfastError({ code: "closed", op: method, message: session === 0 ? "the client is closed" : "the session is closed" });
      return this.page.send({ t: "answered", ask, error: errorData(error) });
    }
    const given = JSON.parse(params) as Open;
    const abort = new AbortController();
    this.#asks.set(ask, { method, abort });
    const answer = (said: { value?: unknown; error?: unknown }): void => {
      if (!this.#asks.delete(ask)) return;
      this.page.send({ t: "answered", ask, ...("error" in said ? { error: errorData(said.error) } : { value: said.value }) });
    };
    // The answer crosses before all that the core says next.
    const made = notifies ? client.notify(handle, method, given) : client.request(handle, method, given, abort.signal, (value) => answer({ value }));
    made.then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error }),
    );
  }

  /** Nobody waits for that answer any more. */
  giveUp(ask: number, why: string): void {
    this.#asks.get(ask)?.abort.abort(why);
  }

  #endAsks(why: (op: string) => HoldfastError): void {
    for (const [ask, { method }] of this.#asks) this.page.send({ t: "answered", ask, error: errorData(why(method)) });
    this.#asks.clear();
  }

  respond({ question, ok, json }: Extract<PageMessage, { t: "respond" }>): void {
    this.#agent?.respond(this, question, ok, json);
  }

  save({ question, json }: Extract<PageMessage, { t: "save" }>): void {
    this.#agent?.save(question, json);
  }

  forget({ session }: Extract<PageMessage, { t: "forgetSession" }>): void {
    const mirror = this.#mirrorOf(session);
    if (mirror) this.#agent?.client?.forgetSession(mirror.handle);
  }

  #mirrorOf(number: number): SessionMirror | undefined {
    for (const [mirror, shown] of this.#shown) if (shown.number === number && mirror.handle !== 0) return mirror;
    return undefined;
  }
}

/** Lets go of the oldest event that nobody has to hear late: no question, and no turn that has ended. */
function forgetOne(missed: [kind: number, position: number, text: string][]): void {
  const needless = ([kind, , text]: [number, number, string]): boolean => kind === EVENT.status || kind === EVENT.notification || (kind === EVENT.turn && text.includes(`"ended":false`));
  const at = missed.findIndex(needless);
  if (at >= 0) missed.splice(at, 1);
}
