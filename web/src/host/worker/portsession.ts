import { type OpenAgent, openAgent } from "../../agent/openagent.js";
import { openView } from "../../client/openview.js";
import type { NewCall } from "../../client/corecall.js";
import { agentsWasm } from "../../agent/agentswasm.js";
import { mcpWasm } from "../../runtime/beside.js";
import { load } from "../../runtime/loadruntime.js";
import { storesKeys } from "../../storage/storeskeys.js";
import { lifetime } from "../../tabs/lifecycle.js";
import { pageArrived } from "./askpage.js";
import { BUILD } from "../../base/build.js";
import { Credits } from "../wire/credits.js";
import { HostedClient } from "./hostedclient.js";
import { pageLeft } from "./lingering.js";
import { mayName } from "./pagenames.js";
import { PortQuestions } from "./portquestions.js";
import { PagePresence, type Presence } from "./pagepresence.js";
import { PortAsks } from "./portasks.js";
import type { PortCall } from "./portcall.js";
import { PortAgents } from "./portagents.js";
import { PortCalls } from "./portcalls.js";
import { PortOutbox } from "./portoutbox.js";
import { type PortSignIn, PortSignIns } from "./portsignins.js";
import type { PortView, QuestionContext, ViewPage } from "./portview.js";
import { type Asked, type AskedToSignIn, checked, FROM_PAGE, type HostMessage, type OpeningMessage, type PageMessage } from "../wire/protocol.js";

/** Clients and sign-ins that one page may have here. */
const MOST_OPEN = 1_000;

/** One page at its host, from its hello to its end. */
export class PortSession implements ViewPage {
  readonly #port: MessagePort;
  readonly #presence: PagePresence;
  readonly #outbox: PortOutbox;
  readonly #clients = new Map<number, HostedClient>();
  /** Clients of which it is not known yet whether they are opened here. */
  readonly #undecided = new Set<number>();
  readonly #asks: PortAsks;
  readonly #calls: PortCalls;
  readonly #agents: PortAgents;
  readonly #questions = new PortQuestions((message) => this.send(message), () => this.#presence.hangs());
  readonly #signIns = new PortSignIns(this);
  readonly #open: typeof openView;
  #outlives = false;
  #dropped = 0;

  /** `agent` opens an agent's client here, `open` one of an MCP server; `credits` are how much may be on its way to the page. */
  constructor(port: MessagePort, agent: OpenAgent = openAgent, open: typeof openView = openView, credits: Credits = new Credits()) {
    this.#port = port;
    this.#open = open;
    this.#presence = new PagePresence(this);
    this.#outbox = new PortOutbox(port, this, credits);
    this.#asks = new PortAsks(this);
    this.#calls = new PortCalls(this, this.#asks);
    this.#agents = new PortAgents(this, agent);
    port.onmessage = ({ data }) => this.#receive(data);
    port.start();
  }

  get presence(): Presence {
    return this.#presence.now;
  }

  get isHere(): boolean {
    return this.presence === "here";
  }

  get isGone(): boolean {
    return this.presence === "gone";
  }

  get outlives(): boolean {
    return this.#outlives;
  }

  get takes(): boolean {
    return this.#outbox.takes;
  }

  /** Messages that were none, or could not cross. */
  get dropped(): number {
    return this.#dropped + this.#outbox.dropped;
  }

  /** The views of its clients that are open. */
  get views(): PortView[] {
    return [...this.#clients.values()].flatMap(({ view }) => (view?.client ? [view] : []));
  }

  /** The client under that number. */
  viewOf(client: number): PortView | undefined {
    return this.#clients.get(client)?.view;
  }

  /** The page has closed it. */
  closed(client: number): void {
    this.#undecided.delete(client);
    this.#calls.closed(client);
    this.#clients.get(client)?.abort();
    this.#clients.delete(client);
  }

  event(call: number, kind: number, position: number, text: string, stream: number): void {
    this.#outbox.event(call, kind, position, text, stream);
  }

  send(message: HostMessage, transfer: Transferable[] = []): void {
    if (!this.isGone) this.#outbox.send(message, transfer);
  }

  takeBack(client: number): void {
    this.#outbox.takeBack(client);
    this.#questions.takeBack(client);
    this.#calls.takeBack(client);
  }

  flush(): void {
    this.#outbox.flush();
  }

  number(): number {
    return this.#calls.number();
  }

  letGo(number: number): void {
    this.#outbox.letGo(number);
  }

  known(view: PortView, call: (id: number) => PortCall<unknown>, made: NewCall): PortCall<unknown> {
    return this.#calls.known(view, call, made);
  }

  making(id: number, view: PortView, make: () => unknown): void {
    this.#calls.making(id, view, make);
  }

  shared(view: PortView): void {
    this.#calls.shared(view);
  }

  ended(call: number): void {
    this.#calls.ended(call);
  }

  question(client: number, asked: Asked | AskedToSignIn, request: object, context: QuestionContext): Promise<unknown> {
    return this.#questions.ask(client, asked, request, context);
  }

  /** The sign-in that a client names as its `auth`. */
  signIn(number: number | undefined, url: string, principal: unknown): PortSignIn | undefined {
    return number === undefined ? undefined : this.#signIns.at(number, url, principal);
  }

  answer(ask: number, work: Promise<unknown>): void {
    this.#asks.answer(ask, work);
  }

  #receive(data: unknown): void {
    const message = checked<PageMessage>(FROM_PAGE, data);
    if (!message || !mayName(message) || this.isGone || (message.t === "hello") !== (this.presence === "new") || this.#opensTooMany(message)) {
      this.#dropped++;
      return;
    }
    try {
      this.#take(message);
    } catch {
      this.#dropped++; // what passed for a message, and was none
    }
  }

  /**
   * True if the message would open more clients than any app has. The memory of a client is not bounded by
   * what waits for its page.
   */
  #opensTooMany({ t }: PageMessage): boolean {
    if (t !== "connect" && t !== "agent" && t !== "auth") return false;
    return this.#clients.size + this.#undecided.size + this.#agents.size + this.#signIns.size >= MOST_OPEN;
  }

  #take(message: PageMessage): void {
    this.#outbox.addressees.heard(message);
    switch (message.t) {
      case "hello":
        this.#hello(message);
        break;
      case "load":
        this.#loads(message.agents, message.wasm);
        break;
      case "connect":
      case "agent":
        if (message.ifKeys && !this.#outlives) this.#opensIfKeys(message);
        else this.#opens(message);
        break;
      case "request":
      case "respond":
      case "save":
      case "forgetSession":
        this.#agents.take(message);
        break;
      case "auth":
      case "seen":
      case "signIn":
      case "signOut":
        this.#signIns.take(message);
        break;
      case "listening":
        this.#clients.get(message.client)?.listening();
        this.#agents.get(message.client)?.listening();
        break;
      case "ask":
        if (this.#agents.get(message.client)) this.#asks.answer(message.ask, this.#agents.ask(message.client, message.method));
        else this.#asks.ask(message);
        break;
      case "abandon":
        this.#abandon(message.client);
        break;
      case "forget":
        this.#asks.forget(message);
        break;
      case "abort":
        this.#asks.abort(message.ask, message.why);
        this.#agents.abort(message.ask, message.why);
        break;
      case "make":
        this.#calls.make(this.viewOf(message.client), message);
        break;
      case "heard":
        this.#questions.heard(message);
        this.#presence.moves();
        break;
      case "reply": {
        const client = this.#questions.reply(message);
        if (client !== undefined) (this.#agents.get(client) ?? this.viewOf(client))?.heardToken(message.value, true);
        break;
      }
      case "typed":
        this.#questions.typed(message);
        break;
      case "stop":
        this.#asks.stop(message.read);
        break;
      case "credit":
        if (this.#outbox.taken(message.bytes) && !this.#presence.moves()) this.#goOn();
        break;
      case "away":
        this.#presence.away(message.cached);
        break;
      case "holds":
        this.#presence.holds();
        break;
      case "back":
        this.#presence.back();
        break;
      case "bye":
        this.#presence.end(true);
        break;
      default:
        this.#calls.take(message);
    }
  }

  /** The page has not heard yet whether keys can be stored, and would do without this host where not. */
  #opensIfKeys(message: OpeningMessage): void {
    this.#undecided.add(message.client);
    void storesKeys().then((keys) => this.#undecided.delete(message.client) && keys && !this.isGone && this.#opens(message));
  }

  #abandon(client: number): void {
    const view = this.viewOf(client);
    this.closed(client);
    void view?.close();
    this.#agents.get(client)?.abandon();
  }

  /** A client that needs it tries again, and says so. */
  #loads(agents: boolean, wasm: string): void {
    load(agents ? agentsWasm : mcpWasm, wasm).catch(() => {});
  }

  #opens(message: OpeningMessage): void {
    const { wasm } = message.options as { wasm?: unknown };
    if (typeof wasm === "string") this.#loads(message.t === "agent", wasm); // before all else: it takes the longest
    if (message.t === "agent") return this.#agents.open(message);
    if (this.#clients.has(message.client)) return;
    const client = new HostedClient(this, message.client, this.#open);
    this.#clients.set(message.client, client);
    if (message.calls) this.#calls.seeks(message.client, message.calls);
    void client.open(message).then(() => client.view ?? this.#clients.delete(message.client));
  }

  #hello({ build, lock, outlives }: Extract<PageMessage, { t: "hello" }>): void {
    if (build !== BUILD) {
      this.#port.postMessage({ t: "refused", why: `the worker is build ${BUILD}, the page is build ${build}` } satisfies HostMessage);
      this.#presence.end(true);
      return;
    }
    this.#outlives = outlives;
    if (outlives) lifetime.endIsHeard = true;
    // The one engine whose workers outlive their pages stores keys in them (Chromium): no database is made and dropped there to see it.
    const keys = outlives ? Promise.resolve(true) : storesKeys();
    this.#presence.hello(
      lock,
      (own) => void keys.then((keys) => this.send({ t: "welcome", build: BUILD, lock: own, keys })),
      () => void keys.then(() => this.send({ t: "holds" })),
    );
  }

  /** The page takes again what is for it. */
  #goOn(): void {
    if (!this.isHere) return;
    this.#outbox.goOn();
    this.#calls.resume();
    this.#agents.resume();
  }

  /** The page may have been the last, and this worker end with the browser. */
  #left(): void {
    for (const client of this.#clients.values()) client.view?.client?.left();
  }

  sentEvents(): void {
    for (const client of this.#clients.values()) client.touched();
    this.#agents.touched();
  }

  full(): void {
    this.#presence.hangs();
    this.#calls.prune();
    this.#outbox.lessen(this.#calls.holding(), (client) => this.#agents.get(client) !== undefined);
    if (this.#outbox.isEndless) this.#presence.end(); // its page asks on and on, and takes nothing
  }

  pageAway(): void {
    this.#outbox.flush();
    this.#left();
    this.#calls.letRun();
    this.#questions.withdraw();
    this.#agents.presenceChanged();
    this.#signIns.pageAway();
  }

  pageBack(): void {
    this.#goOn();
    this.#agents.presenceChanged();
    this.#signIns.pageBack();
    pageArrived();
  }

  pageGone(isSaid: boolean): void {
    this.#port.onmessage = null;
    if (!isSaid) this.#port.postMessage({ t: "over" } satisfies HostMessage); // it may be there: other code of the origin can take its lock, or this session's
    this.#port.close();
    this.#left();
    this.#questions.end();
    this.#signIns.end();
    for (const client of this.#clients.values()) {
      if (client.view?.client) pageLeft(client.view);
      else client.abort();
    }
    this.#agents.end();
    this.#asks.end();
    this.#calls.end();
    this.#clients.clear();
    this.#outbox.clear();
  }
}
