import { EVENT } from "../base/border.js";
import type { HoldfastError } from "../base/errors.js";
import type { TokenSubject } from "../base/clientstate.js";
import type { Host } from "../base/host.js";
import { Listeners } from "../base/listeners.js";
import type { Open } from "../base/mcp.js";
import { Lifetime, type Keeping } from "../connect/lifetime.js";
import { otherUser } from "../connect/otheruser.js";
import { settledState } from "../connect/settled.js";
import type { ClientPort } from "../runtime/port.js";
import type { Runtime } from "../runtime/runtime.js";
import type { Wire } from "../runtime/wire.js";
import type { Usage } from "../storage/storage.js";
import type { Durability } from "../tabs/journalclient.js";
import type { AgentEvents, AgentState } from "./agentevents.js";
import { AgentFacts } from "./agentfacts.js";
import type { AgentBackend, AgentCounters, AgentViewer } from "./agentbackend.js";
import { Exchanges } from "./exchanges.js";
import { Pages } from "./pages.js";
import type { Recalled } from "./sessionbackend.js";
import type { SessionStreams } from "./sessionstreams.js";
import type { SessionStatus } from "./sessionevents.js";

/** The parts that an agent's client is made from. */
export interface AgentClientUse {
  keeping: Keeping;
  /** Finds out why a session cannot be heard. */
  explain?: (error: HoldfastError) => Promise<HoldfastError>;
  /** Its share of the connections that all tabs have. */
  streams?: SessionStreams | undefined;
}

/** The parts of an agent's client that serve one user. Another user has parts of its own. */
interface Speaking {
  readonly wire: Wire;
  readonly keeping: Keeping;
  readonly life: Lifetime<AgentFacts, AgentCounters>;
  readonly exchanges: Exchanges;
  readonly pages: Pages;
}

/**
 * An agent's client as the core has it, in this page. Where a token is of another user, one of that user's
 * takes its place.
 */
export class AgentClient implements AgentBackend {
  readonly host: Host = "page";
  readonly url: string;
  readonly listeners: Listeners<AgentEvents> = new Listeners();
  #its: Speaking;
  readonly #explain: AgentClientUse["explain"];
  #boot!: () => void;
  readonly #streams: SessionStreams | undefined;
  #viewer!: AgentViewer;
  #durability: Durability;
  /** Events of the store that came before the app could listen. */
  #early: AgentEvents["integrity"][] | undefined = [];

  constructor(runtime: Runtime, url: string, { keeping, explain, streams }: AgentClientUse) {
    this.url = url;
    this.#streams = streams;
    this.#explain = explain;
    this.#durability = keeping.journal?.durability ?? "memory";
    this.#its = this.#begin(runtime, keeping, new AgentFacts());
    // A new runtime continues the same sessions; without one they are over.
    this.listeners.add("state", ({ state, error }) => {
      if (state === "failed") this.#viewer.end(error);
      else if (state === "closed") this.#viewer.end();
      if (this.#its.life.over) this.#streams?.end();
    });
  }

  /** Begins to work for a user, of whom nothing is under way. */
  #begin(runtime: Runtime, keeping: Keeping, facts: AgentFacts): Speaking {
    const wire: Wire = { runtime, handle: 0 };
    const able = {
      over: (op: string) => (life.over ? life.overError(op) : undefined),
      opening: () => life.opening,
    };
    const exchanges = new Exchanges(wire, able, this.#explain);
    const pages = new Pages(wire, exchanges, keeping);
    const life: Speaking["life"] = new Lifetime(wire, keeping, this.listeners, {
      facts,
      counters: {},
      reject: (why) => {
        exchanges.fail(why);
        this.#viewer.withdraw();
      },
      anotherUser: () => this.#anotherUser(),
      opened: (why) => this.#kept(keeping.journal?.durability ?? "memory", why),
    });
    return { wire, keeping, life, exchanges, pages };
  }

  /**
   * A token has come that is another user's: what the client has ends here, and stays in the store of the
   * last one.
   */
  #anotherUser(): void {
    const { wire, keeping, life } = this.#its;
    const { connecting } = life;
    life.leave(otherUser);
    this.#its = this.#begin(wire.runtime, { ...keeping, journal: undefined }, life.facts.ofAnotherUser());
    this.#viewer.end();
    if (!connecting) this.listeners.emit("state", { state: "reconnecting", anotherUser: true });
    this.#its.life.startLater(this.#boot, connecting);
  }

  bind(viewer: AgentViewer): void {
    this.#viewer = viewer;
  }

  get state(): AgentState {
    return this.#its.life.state;
  }

  get facts(): AgentFacts {
    return this.#its.life.facts;
  }

  get durability(): Durability {
    return this.#durability;
  }

  get counters(): AgentCounters {
    return this.#its.life.counters;
  }

  get canForward(): boolean {
    return this.#its.pages.canForward;
  }

  /**
   * Resolves when the token that is asked for is the client's, or has made it another user's; undefined where
   * none is asked for.
   */
  get takingToken(): Promise<void> | undefined {
    return this.#its.life.takingToken;
  }

  /**
   * True if another page may use this client: false once its store was deleted, or the runtime has exited.
   */
  get isShareable(): boolean {
    return this.#its.keeping.journal?.forgotten !== true &&
      !this.#its.life.loggedOut &&
      !this.#its.wire.runtime.death;
  }

  request<T>(
    session: number, method: string, params: Open, signal?: AbortSignal, answered?: (result: unknown) => void,
  ): Promise<T> {
    return this.#its.exchanges.request<T>(session, method, params, signal, answered);
  }

  notify(session: number, method: string, params: Open): Promise<void> {
    return this.#its.exchanges.notify(session, method, params);
  }

  respond(question: number, ok: boolean, json: string): void {
    this.#its.wire.runtime.respond(this.#its.wire.handle, question, ok, json);
  }

  draft(question: number, json: string): void {
    this.#its.wire.runtime.agentSaveDraft(this.#its.wire.handle, question, json);
  }

  forgetSession(session: number): void {
    this.#its.wire.runtime.agentForget(this.#its.wire.handle, session);
  }

  async stored(): Promise<Usage | null> {
    return (await this.#its.keeping.journal?.usage()) ?? null;
  }

  close(terminate = false): Promise<void> {
    if (!terminate) return this.#its.life.close();
    return this.#its.life.close(() => this.#its.wire.runtime.terminate(this.#its.wire.handle));
  }

  /** A page has come to it: what waits after failures is tried. */
  visited(): void {
    if (!this.#its.life.over && this.#its.wire.handle !== 0)
      this.#its.wire.runtime.visited(this.#its.wire.handle);
  }

  async logout(): Promise<void> {
    await this.#its.life.logOut();
    // The stored data is deleted however long the authorization server takes to sign out.
    await Promise.all([this.#forgetStored(), this.#its.keeping.stores?.signOut?.()]);
  }

  async #forgetStored(): Promise<void> {
    await this.#its.keeping.journal?.forget();
    await this.#its.keeping.stores?.forgetOthers?.();
  }

  /** Starts the client; resolves when it is open. */
  start(options: object, credentials: RequestCredentials): Promise<void> {
    this.#boot = () => this.#run(options, credentials);
    return this.#its.life.start(this.#boot);
  }

  /** Whose the token is, where that is known, and is not whom the app has named. */
  get subject(): TokenSubject | undefined {
    return this.#its.life.subject;
  }

  /** The app can listen from here on; `why` says why sessions end with the page, where they do. */
  connected(why: string): void {
    if (why) this.listeners.emit("durability", { durability: "memory", why });
    for (const event of this.#early ?? []) this.listeners.emit("integrity", event);
    this.#early = undefined;
    if (this.subject) this.listeners.emit("subject", this.subject);
  }

  /** Makes the client in the core and starts it, with what the journal has read. */
  #run(options: object, credentials: RequestCredentials): void {
    const its = this.#its;
    const { wire, life, pages } = its;
    const { journal } = its.keeping;
    const port = this.#port(credentials, its);
    wire.handle = wire.runtime.connectAgent({
      ...options, ...journal?.options(), tabs: pages.canForward,
    }, port, (handle) => {
      wire.handle = handle; // sessions come back before the client is started
      this.#streams?.bind(wire);
      const client = {
        wire,
        // Which sessions have a connection to read from, the core decides.
        streams: {
          rest: (resting: boolean) => {
            wire.runtime.agentRest(wire.handle, resting);
            this.#streams?.rest(resting);
          },
        },
        reconnecting: () => life.reconnecting,
        connected: () => settledState(
          { state: this.state, on: (event, listener) => this.listeners.add(event, listener) }, 15_000,
        ),
        said: () => {},
        sessions: pages,
      };
      return journal?.attach(client, false);
    });
  }

  #port(credentials: RequestCredentials, { life, keeping, exchanges }: Speaking): ClientPort {
    const { stores, fetch } = keeping;
    return {
      credentials,
      fetch,
      get sender() {
        return stores?.sender;
      },
      isLoggedOut: () => life.loggedOut,
      deliver: (session, kind, position, text) => {
        if (session !== 0) this.#inSession(session, kind, position, text);
        else this.#heard(kind, position, text);
      },
      settle: (id, outcome, text) => exchanges.settle(id, outcome, text),
      state: (text, facts) => life.changed(text, facts),
      token: () => void life.askForToken(),
      store: (ticket, how, ops) => keeping.journal?.commit(ticket, how, ops),
      tabs: (kind, ticket, payload) => keeping.journal?.tabs(kind, ticket, payload),
      recall: (session, text) => this.#viewer.recall(session, JSON.parse(text) as Recalled),
      handshake: () => void keeping.journal?.handshake(),
      exited: (error) => life.exited(error),
    };
  }

  #inSession(session: number, kind: number, position: number, text: string): void {
    if (kind === EVENT.forward) this.#its.pages.forward(text);
    else this.#deliver(session, kind, position, text);
  }

  #heard(kind: number, position: number, text: string): void {
    switch (kind) {
      case EVENT.streams:
        this.#streams?.heard(text);
        break;
      case EVENT.status:
        this.listeners.emit("status", JSON.parse(text) as SessionStatus);
        break;
      case EVENT.notification:
        this.listeners.emit("notification", JSON.parse(text) as AgentEvents["notification"]);
        break;
      case EVENT.integrity: {
        const event = JSON.parse(text) as AgentEvents["integrity"];
        if (this.#early) this.#early.push(event);
        else this.listeners.emit("integrity", event);
        break;
      }
      case EVENT.durability: {
        const { durability, why } = JSON.parse(text) as { durability: Durability; why?: string };
        this.#kept(this.#its.keeping.journal?.durability === "memory" ? "memory" : durability, why);
        break;
      }
      default:
        this.#deliver(0, kind, position, text);
    }
  }

  #deliver(session: number, kind: number, position: number, text: string): void {
    this.#viewer.deliver(session, kind, position, text);
    if (kind === EVENT.question) this.#viewer.assign(session, position); // there is no other page here
  }

  #kept(durability: Durability, why = ""): void {
    if (durability === this.#durability) return;
    this.#durability = durability;
    this.listeners.emit("durability", why ? { durability, why } : { durability });
  }
}
