import type { AgentEvents } from "../../agent/agentevents.js";
import { CONNECT_AGENT } from "../../agent/agentoptionkinds.js";
import type { AgentOptions } from "../../agent/agentoptions.js";
import { OP } from "../../agent/op.js";
import { type AgentPlan, agentPlan, agentStores, type OpenAgent } from "../../agent/openagent.js";
import { unlessAborted } from "../../connect/abort.js";
import { OTHER_USER } from "../../connect/otheruser.js";
import type { UserStores } from "../../connect/userstores.js";
import type { Handlers } from "../../input/handlers.js";
import { closedError, HoldfastError } from "../../base/errors.js";
import { check } from "../../base/kinds.js";
import { AgentRequests, type AskingPage } from "./agentrequests.js";
import { type TokenView, askForToken, pageArrived } from "./askpage.js";
import { errorData } from "../wire/errordata.js";
import { KnownPlaces } from "./knownplaces.js";
import { NewFacts } from "./newfacts.js";
import type { PageSignIn, QuestionContext } from "./portview.js";
import type { Asked, PageMessage } from "../wire/protocol.js";
import type { MirroredQuestion, SessionMirror } from "./sessionmirror.js";
import { HostedAgent, type SharingPage } from "./hostedagent.js";
import { type ShownPage, ShownSessions } from "./shownsessions.js";

// How a page hangs on to an agent's client in its worker. Where the page itself is, here or
// away or gone, is another thing: pagepresence.ts.

/** One value; docs/states.md has what each means. */
export type Attachment = "joining" | "open" | "listening" | "lingering" | "over";

/** Meaning of each attachment, for docs/states.md. */
export const ATTACHMENTS: { readonly [A in Attachment]: string } = {
  joining: "the client is opened, or joined; the page hears of its sessions, and asks for nothing yet",
  open: "the page has it; its app cannot listen yet, and is not asked to answer",
  listening: "its app can listen, and answers what the agent asks",
  lingering: "the page has gone; the client goes on for the next one",
  over: "nothing goes to the page any more, and nothing is taken from it: it was closed, its user is another one, or another page has come",
};

/** Attachments that may follow each. */
const NEXT: { readonly [A in Attachment]: readonly Attachment[] } = {
  joining: ["open", "lingering", "over"],
  open: ["listening", "lingering", "over"],
  listening: ["lingering", "over"],
  lingering: ["over"],
  over: [],
};

/** True if a view may go from one attachment to the other, as from "open" to "listening". */
export function mayAttach(from: Attachment, next: Attachment): boolean {
  return NEXT[from].includes(next);
}

/** The handler that answers a method. */
const HANDLER: Readonly<Record<string, string>> = { "session/request_permission": "permission", "elicitation/create": "elicitation" };

/** The page that has a view, as far as the view goes. */
export interface AgentPage extends ShownPage, AskingPage {
  /** Takes back what waits for the page of the client's last user: the client's user is another one. */
  takeBack(client: number): void;
  /** The sign-in that a client of its names. */
  signIn(number: number | undefined, url: string, principal: unknown): PageSignIn | undefined;
  question(client: number, asked: Asked, request: object, context: QuestionContext): Promise<unknown>;
}

/** One page's hold on an agent's client here: from its joining to its end. */
export class AgentView implements SharingPage, TokenView {
  readonly handlers: Handlers = {};
  readonly hasToken: boolean;
  readonly number: number;
  readonly page: AgentPage;
  stores!: UserStores;
  address: string;
  readonly #names: readonly unknown[];
  readonly #open: OpenAgent;
  readonly #ended: (view: AgentView) => void;
  #agent: HostedAgent | undefined;
  #attachment: Attachment = "joining";
  /** Aborted with the end. */
  readonly #over = new AbortController();
  /** Resolves when the page has given the token that it is asked for; undefined where it is asked for none. */
  #asking: Promise<void> | undefined;
  readonly #facts: NewFacts;
  readonly #places: KnownPlaces;
  readonly #shown: ShownSessions;
  readonly #requests: AgentRequests;
  #signIn: PageSignIn | undefined;

  /** `open` opens a client here; `ended` hears when this is over. */
  constructor(page: AgentPage, open: OpenAgent, ended: (view: AgentView) => void, { client, url, handlers, token }: Extract<PageMessage, { t: "agent" }>) {
    this.page = page;
    this.#open = open;
    this.#ended = ended;
    this.number = client;
    this.address = url;
    this.hasToken = token;
    this.#names = handlers;
    const tell = (facts: object): void => this.page.send({ t: "facts", client, facts });
    this.#facts = new NewFacts(() => this.#known(), tell);
    this.#places = new KnownPlaces(tell, true);
    this.#shown = new ShownSessions(client, page);
    this.#requests = new AgentRequests(page);
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  get peers(): readonly AgentView[] {
    const all = (this.#agent?.views.all ?? []) as readonly AgentView[];
    return all.length > 0 ? all : [this];
  }

  get isGone(): boolean {
    return this.page.presence === "gone";
  }

  get canAnswer(): boolean {
    return this.#attachment === "listening" && this.page.presence === "here";
  }

  handles(question: string): boolean {
    const { method } = JSON.parse(question) as { method: string };
    const name = HANDLER[method];
    return name === undefined || this.#names.includes(name) || !this.peers.some((other) => other.canAnswer && other.#names.includes(name));
  }

  /** True once the page has been told that the client is open. */
  get isOpen(): boolean {
    return this.#attachment === "open" || this.#attachment === "listening";
  }

  /** Opens the client, or joins it; tells the page once that has all of its sessions. */
  async open({ url, options, token, auth, again }: Extract<PageMessage, { t: "agent" }>): Promise<void> {
    try {
      check(OP, "options", options, CONNECT_AGENT);
      this.#signIn = this.page.signIn(auth, url, (options as AgentOptions).principal);
      await unlessAborted(OP, this.over, this.#signIn?.ready ?? Promise.resolve());
      const plan = this.#plan(url, options as AgentOptions, token, again);
      this.stores = agentStores(plan, () => this.address);
      const principal = await unlessAborted(OP, this.over, this.stores.principal());
      this.#agent = HostedAgent.of(plan, principal, this.#open);
      await unlessAborted(OP, this.over, this.#agent.join(this, principal));
      for (let rest = this.#shown.whole; rest; rest = this.#shown.whole) await unlessAborted(OP, this.over, rest);
    } catch (error) {
      if (this.#attachment !== "joining") return; // the page wants it no more, or has gone
      this.page.send({ t: "failed", client: this.number, error: errorData(error) });
      this.abort();
      return;
    }
    if (!this.#enter("open")) return;
    this.#tell();
    this.page.send({ t: "opened", client: this.number });
  }

  #plan(url: string, options: AgentOptions, token: boolean, again: boolean): AgentPlan {
    // The core is to know whether elicitations are answered; who answers them is this view's affair.
    const elicitation = this.#names.includes("elicitation") && { handlers: { elicitation: () => ({ action: "cancel" as const }) } };
    return agentPlan(url, { ...options, ...elicitation, ...(token && { token: () => this.#askForToken(url) }), ...(this.#signIn && { auth: this.#signIn.auth(again) }) });
  }

  /** Asks for the next token. What the page wants meanwhile waits for that: it may be another user's, and then until the client is that user's. */
  #askForToken(url: string): Promise<string> {
    const token = askForToken(this, url);
    const done = (): void => {
      if (this.#asking === asking) this.#asking = undefined;
    };
    const asking = (this.#asking = token.then((given) => this.#taken(given)).then(done, done));
    return token;
  }

  /** Waits for the client where that token is another user's: that of a page that is alone has it a few microtasks later, and is the last user's until then. */
  async #taken(token: string): Promise<void> {
    if (this.stores.isAnothers({ ok: true, text: token })) await this.#agent?.client?.takingToken;
  }

  /** Reports whether it may stand so from here on. */
  #enter(next: Attachment): boolean {
    const may = mayAttach(this.#attachment, next);
    if (may) this.#attachment = next;
    return may;
  }

  /** The app can listen from here on. */
  listening(): void {
    const agent = this.#agent;
    if (!agent || !this.#enter("listening")) return;
    if (agent.why) this.#tellEvent("durability", { durability: "memory", why: agent.why });
    if (agent.client?.subject) this.#tellEvent("subject", agent.client.subject);
    agent.listens(this);
    pageArrived();
  }

  /** The page is away, or back: what it was to answer may be another's. */
  presenceChanged(): void {
    this.#agent?.reassign();
  }

  /** The page takes events again. */
  resume(): void {
    this.#shown.resume();
  }

  /** The page has gone. */
  left(): void {
    const agent = this.#agent;
    if (!agent?.client || !this.#enter("lingering")) return this.abort();
    this.#shown.clear();
    agent.left(this);
  }

  /**
   * Ends a view that its page never had and wants no more. Views of pages that have gone stay for the next
   * page.
   */
  abandon(): void {
    if (this.#end("the client is closed", true)) void this.#agent?.client?.close();
  }

  abort(): void {
    if (this.#end("the client is closed")) void this.#agent?.client?.close();
  }

  heardToken(token: unknown, isLate = false): void {
    // The client of a page that is alone becomes that user's with it, unless it does not wait for it.
    if (this.#agent && (isLate || this.peers.length > 1) && this.stores.shows(token)) this.leaves();
  }

  userChanged(): void {
    this.page.takeBack(this.number);
    this.#facts.repeatAll();
  }

  leaves(): void {
    const { client } = this.#agent ?? {};
    if (this.#end(OTHER_USER, true)) void client?.close();
    this.page.send({ t: "ended", client: this.number, again: true });
  }

  /**
   * Ends the view for the app. The client ends too if the view is its last, or if the app wants the client's
   * end.
   */
  async close(how: "close" | "terminate" | "logout"): Promise<void> {
    await this.#places.known;
    const client = this.#agent?.client;
    if (this.#attachment === "over") return this.#closeLate(how);
    const isLast = this.#end("the client is closed");
    if (how === "logout") {
      await client?.logout();
      await this.stores?.forgetOthers();
    } else if (isLast || how === "terminate") {
      await client?.close(how === "terminate");
    }
    if (client?.state === "failed") return;
    this.page.send({ t: "facts", client: this.number, facts: { state: "closed" } });
    this.page.send({ t: "emit", client: this.number, event: "state", value: { state: "closed" }, call: 0 });
  }

  /**
   * Ends a view that is over already: there is nothing to close, and the stored work may be another user's.
   */
  #closeLate(how: "close" | "terminate" | "logout"): void {
    if (how === "logout") throw closedError("forget");
  }

  /**
   * Ends the view: no message goes to the page or is taken from it; `message` says why. Reports whether the
   * view was the client's last.
   */
  #end(message: string, isOthers = false): boolean {
    if (!this.#enter("over")) return false;
    const isLast = this.#agent?.leave(this, isOthers) ?? false;
    if (isOthers) this.page.takeBack(this.number);
    this.#requests.end(message);
    this.#shown.clear();
    this.#facts.end();
    this.#over.abort();
    this.#ended(this);
    return isLast;
  }

  /** Sessions that the store holds. */
  async stored(): Promise<unknown> {
    return this.#agent?.client?.stored() ?? null;
  }

  emit<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void {
    this.#tell();
    this.#facts.touched();
    if ((event === "durability" || event === "subject") && this.#attachment !== "listening") return; // it hears of that once it can
    this.#tellEvent(event, value);
  }

  #tellEvent<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void {
    const { error, ...rest } = value as AgentEvents["state"];
    const data = event === "state" ? rest : value;
    this.page.send({ t: "emit", client: this.number, event, value: data, call: 0, ...(event === "state" && error && { error: errorData(error) }) });
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

  ended(error?: HoldfastError): void {
    this.#shown.clear();
    this.page.send({ t: "ended", client: this.number, again: false, ...(error && { error: errorData(error) }) });
  }

  show(mirror: SessionMirror, isNew = false): void {
    const mayHaveMade = isNew && (this.peers.length === 1 || this.#requests.mayMakeSession);
    this.#shown.show(mirror, !mayHaveMade);
  }

  deliver(mirror: SessionMirror, kind: number, position: number, text: string): void {
    this.#shown.deliver(mirror, kind, position, text);
  }

  assign(mirror: SessionMirror, open: MirroredQuestion): void {
    this.#shown.assign(mirror, open);
  }

  /** Carries out a request of the page's. */
  request(message: Extract<PageMessage, { t: "request" }>): void {
    const { session, method } = message;
    this.#requests.make(message, this.#asking, () => {
      const client = this.#agent?.client;
      if (!client || !this.isOpen) throw closedError(method);
      if (session === 0) return { client, handle: 0 };
      const mirror = this.#shown.sessionOf(session); // the user may have changed while the request waited
      if (!mirror) throw closedError(method, "the session is closed");
      return { client, handle: handleOf(mirror, method) };
    });
  }

  /** Aborts a request: no caller waits for its answer any more. */
  giveUp(ask: number, why: string): void {
    this.#requests.giveUp(ask, why);
  }

  respond({ question, ok, json }: Extract<PageMessage, { t: "respond" }>): void {
    this.#act((agent) => agent.respond(this, question, ok, json));
  }

  save({ question, json }: Extract<PageMessage, { t: "save" }>): void {
    this.#act((agent) => {
      const saved = agent.save(question, json);
      if (saved) this.#shown.saved(saved);
    });
  }

  forget({ session }: Extract<PageMessage, { t: "forgetSession" }>): void {
    this.#act((agent) => {
      const handle = this.#shown.sessionOf(session)?.handle;
      if (handle !== undefined) agent.client?.forgetSession(handle);
    });
  }

  /** Does something for the page, as long as it is its user's client: where the page is asked for its token, once that is there. */
  #act(act: (agent: HostedAgent) => void): void {
    const now = (): void => {
      if (this.#agent && this.isOpen) act(this.#agent);
    };
    if (this.#asking) void this.#asking.then(now);
    else now();
  }
}

/** The runtime's number for a session; throws where none has it. */
function handleOf({ handle, isOver }: SessionMirror, op: string): number {
  if (handle !== undefined) return handle;
  if (isOver) throw closedError(op, "the session is closed");
  throw new HoldfastError({ code: "runtime_exited", op, message: "the runtime that had the session has exited", retryable: true });
}
