import type { AgentClient } from "../agent/agentclient.js";
import type { AgentViewer } from "../agent/agentbackend.js";
import type { AgentEvents } from "../agent/agentevents.js";
import type { AgentPlan, OpenAgent } from "../agent/openagent.js";
import type { Recalled } from "../agent/sessionbackend.js";
import { joinable } from "../connect/joinable.js";
import type { UserStores } from "../connect/userstores.js";
import { NewestTokens, type View, Views } from "../connect/views.js";
import { EVENT } from "../shared/border.js";
import type { HoldfastError } from "../shared/errors.js";
import { IDLE } from "./lingering.js";
import { type MirroredQuestion, SessionMirror } from "./sessionmirror.js";

/** What is asked outside of any session. */
const OUTSIDE: Recalled = { sessionId: "", cwd: "", restored: false, owned: true };

/** What one page has of the client. */
interface SharingPage extends View {
  readonly stores: UserStores;
  /** Where the agent is. */
  address: string;
  /** Whether its page has gone. */
  readonly isGone: boolean;
  /** Whether its page can answer what the agent asks. */
  readonly canAnswer: boolean;
  /** Whether the app there has a handler for a question, or would show it. */
  handles(question: string): boolean;
  /** There is that session, or what is asked outside of all; `isNew`: it came to be known just now. */
  show(mirror: SessionMirror, isNew?: boolean): void;
  deliver(mirror: SessionMirror, kind: number, position: number, text: string): void;
  /** That question is the page's to answer. */
  assign(mirror: SessionMirror, question: number, open: MirroredQuestion): void;
  emit<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void;
  /** The sessions are over. */
  ended(error?: HoldfastError): void;
}

/**
 * An agent's client in a worker, open or being opened, and the pages that use it: those of the
 * same URL, user and plain options. It ends with the last of them; where that page has gone
 * without closing it, once nothing is under way any more.
 */
export class SharedAgent implements AgentViewer {
  readonly views: Views<SharingPage> = new Views();
  readonly #plan: AgentPlan;
  readonly #openClient: OpenAgent;
  #key: string | undefined;
  #client: AgentClient | undefined;
  #opened: Promise<AgentClient> | undefined;
  /** Aborted when nobody uses it any more. */
  readonly #over = new AbortController();
  /** By the core's number; 0 has what is asked outside of any session. */
  readonly #mirrors = new Map<number, SessionMirror>();
  /** Which page is to answer, by the core's number for the question. */
  readonly #assigned = new Map<number, SharingPage>();
  /** Why sessions are not kept; empty where they are, or the app wants it so. */
  #why = "";

  private constructor(plan: AgentPlan, key: string | undefined, open: OpenAgent) {
    this.#plan = plan;
    this.#openClient = open;
    this.#take(key);
  }

  /** The one of that user; a new one where there is none, or nobody knows who the user is. */
  static of(plan: AgentPlan, principal: string | undefined, open: OpenAgent): SharedAgent {
    const key = keyOf(plan, principal);
    const there = key === undefined ? undefined : (joinable.get(key) as SharedAgent | undefined);
    return there && there.#client?.isShareable !== false ? there : new SharedAgent(plan, key, open);
  }

  /** The client; undefined while there is none. */
  get client(): AgentClient | undefined {
    return this.#client;
  }

  /** Why sessions end with the worker; empty where they do not. */
  get why(): string {
    return this.#why;
  }

  /** Whether a page that comes later would find what goes on here. */
  get keeps(): boolean {
    return this.#key !== undefined && this.#plan.options.journal !== false;
  }

  /** Its sessions. */
  get sessions(): SessionMirror[] {
    return [...this.#mirrors.values()].filter(({ handle }) => handle !== 0);
  }

  /** What is asked outside of any session. */
  get outside(): SessionMirror {
    let outside = this.#mirrors.get(0);
    if (!outside) this.#mirrors.set(0, (outside = new SessionMirror(0, OUTSIDE)));
    return outside;
  }

  /** Opens the client with the first view; resolves when it is open. */
  async join(view: SharingPage, principal: string | undefined): Promise<void> {
    this.views.add(view);
    if (this.#opened && principal !== undefined) view.stores.joined(principal);
    for (const session of this.sessions) view.show(session);
    view.show(this.outside);
    await (this.#opened ??= this.#open());
  }

  /** That view's app can listen: it is there for those who have gone, and may be asked. */
  listens(view: SharingPage): void {
    for (const other of this.views.all) if (other !== view && other.isGone) this.views.remove(other);
    this.reassign();
  }

  /** That view uses it no more. Reports whether it was the last. */
  leave(view: SharingPage): boolean {
    if (!this.views.all.includes(view)) return false;
    for (const other of this.views.all) if (other !== view && other.isGone) this.views.remove(other);
    const isLast = this.views.remove(view);
    if (isLast) {
      this.#retire();
      this.#over.abort();
    } else {
      this.reassign();
    }
    return isLast;
  }

  /** The page of a view has gone. */
  left(view: SharingPage): void {
    const isLeft = this.views.all.some((other) => other !== view && !other.isGone);
    const state = this.#client?.state;
    if (isLeft || !this.keeps || !this.#client || state === "closed" || state === "failed") return this.#end(view);
    this.reassign();
    const look = (): void => {
      if (!this.views.all.includes(view)) return; // it was removed: a page has come and can listen
      if (this.views.all.length > 1 || [...this.#mirrors.values()].some(({ isAtWork }) => isAtWork)) setTimeout(look, IDLE);
      else this.#end(view);
    };
    setTimeout(look, IDLE);
  }

  #end(view: SharingPage): void {
    if (this.leave(view)) void this.#client?.close();
  }

  /** Nobody comes to it any more. */
  #retire(): void {
    if (this.#key !== undefined && joinable.get(this.#key) === this) joinable.delete(this.#key);
  }

  /** Its user is another one, where that one has not another client already. */
  #take(key: string | undefined): void {
    this.#retire();
    this.#key = key;
    if (key !== undefined) joinable.set(key, this);
  }

  async #open(): Promise<AgentClient> {
    const tokens = new NewestTokens(this.views, (principal) => {
      const key = keyOf(this.#plan, principal);
      this.#take(key !== undefined && joinable.has(key) ? undefined : key);
    });
    try {
      return await this.#openClient(
        this.#plan,
        this.#over.signal,
        (at) => {
          for (const view of this.views.all) view.address = at;
          return tokens;
        },
        (client) => this.#made(client),
      );
    } catch (error) {
      this.#retire();
      throw error;
    }
  }

  #made(client: AgentClient): void {
    this.#client = client;
    for (const { handle } of this.sessions) this.#mirrors.delete(handle); // of one that could not be opened
    client.bind(this);
    client.listeners.tap((event, value) => this.#emit(event, value));
  }

  #emit<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void {
    if (event === "durability") {
      const { durability, why = "" } = value as AgentEvents["durability"];
      this.#why = durability === "memory" ? why : "";
    }
    for (const view of this.views.all) view.emit(event, value);
    if (this.#why === "closed") for (const view of this.views.all) if (view.isGone) this.#end(view); // a logout: what is here is the last user's
    if (event !== "state") return;
    const { state } = value as AgentEvents["state"];
    if (state === "closed" || state === "failed") this.#retire();
  }

  recall(handle: number, made: Recalled): void {
    let mirror = this.sessions.find((one) => one.made.sessionId === made.sessionId);
    if (mirror) {
      this.#mirrors.delete(mirror.handle);
      for (const question of mirror.questions.keys()) this.#assigned.delete(question);
      mirror.again(handle, made);
    } else {
      mirror = new SessionMirror(handle, made);
    }
    this.#mirrors.set(handle, mirror);
    for (const view of this.views.all) view.show(mirror, true);
  }

  deliver(handle: number, kind: number, position: number, text: string): void {
    const mirror = handle === 0 ? this.outside : this.#mirrors.get(handle);
    if (!mirror) return;
    if (kind === EVENT.withdrawn) this.#assigned.delete(position);
    mirror.heard(kind, position, text);
    for (const view of this.views.all) view.deliver(mirror, kind, position, text);
    const open = kind === EVENT.question ? mirror.questions.get(position) : undefined;
    if (open) open.isShown = this.views.all.some((view) => !view.isGone);
    if (mirror.isOver) this.#mirrors.delete(handle);
  }

  assign(handle: number, question: number): void {
    const mirror = this.#mirrors.get(handle);
    const open = mirror?.questions.get(question);
    if (mirror && open) this.#assign(mirror, question, open);
  }

  /** Has each question asked of the newest page that is there, unless a page is there that was asked. */
  reassign(): void {
    for (const mirror of this.#mirrors.values()) for (const [question, open] of mirror.questions) this.#assign(mirror, question, open);
  }

  #assign(mirror: SessionMirror, question: number, open: MirroredQuestion): void {
    const before = this.#assigned.get(question);
    if (before && before.canAnswer && this.views.all.includes(before)) return;
    const next = this.views.all.filter((view) => view.canAnswer && view.handles(open.text)).at(-1);
    if (!next || next === before) return; // one that was away has not forgotten it
    this.#assigned.set(question, next);
    next.assign(mirror, question, open);
  }

  /** A page answers: the others hear that nobody waits for theirs. */
  respond(from: SharingPage, question: number, ok: boolean, json: string): void {
    const mirror = this.#of(question);
    if (!mirror?.answered(question)) return; // another answer was quicker
    this.#assigned.delete(question);
    for (const view of this.views.all) if (view !== from) view.deliver(mirror, EVENT.withdrawn, question, `{"reason":"answered"}`);
    this.#client?.respond(question, ok, json);
  }

  /** A person has typed something of an answer. */
  save(question: number, json: string): void {
    const open = this.#of(question)?.questions.get(question);
    if (!open) return;
    open.draft = json;
    this.#client?.draft(question, json);
  }

  #of(question: number): SessionMirror | undefined {
    return [...this.#mirrors.values()].find(({ questions }) => questions.has(question));
  }

  withdraw(): void {
    const { outside } = this;
    for (const question of [...outside.questions.keys()]) this.deliver(0, EVENT.withdrawn, question, `{"reason":"connection"}`);
  }

  end(error?: HoldfastError): void {
    this.#mirrors.clear();
    this.#assigned.clear();
    for (const view of this.views.all) {
      view.ended(error);
      view.show(this.outside);
    }
  }
}

/** What all views of a client have in common; undefined where nobody knows who the user is. */
function keyOf({ address, core, options: { journal = true, credentials } }: AgentPlan, principal: string | undefined): string | undefined {
  if (principal === undefined) return undefined;
  return JSON.stringify(["acp", address, principal, core, credentials, journal]);
}
