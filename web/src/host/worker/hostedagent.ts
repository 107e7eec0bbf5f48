import type { AgentClient } from "../../agent/agentclient.js";
import type { AgentViewer } from "../../agent/agentbackend.js";
import type { AgentEvents } from "../../agent/agentevents.js";
import type { AgentPlan, OpenAgent } from "../../agent/openagent.js";
import type { Recalled } from "../../agent/sessionbackend.js";
import { joinable } from "../../connect/joinable.js";
import type { UserStores } from "../../connect/userstores.js";
import { NewestTokens, type View, Views } from "../../connect/views.js";
import { EVENT } from "../../base/border.js";
import type { HoldfastError } from "../../base/errors.js";
import { linger } from "./lingering.js";
import { type MirroredQuestion, SessionMirror } from "./sessionmirror.js";

/** Mirror of the requests outside of any session. */
const OUTSIDE: Recalled = { sessionId: "", cwd: "", restored: false, owned: true };

/** One page's hold on the client. */
export interface SharingPage extends View {
  readonly stores: UserStores;
  /** Where the agent is. */
  address: string;
  /** True once the page has gone. */
  readonly isGone: boolean;
  /** True if the page can answer the agent's questions. */
  readonly canAnswer: boolean;
  /** True if the app there has a handler for the question, or would show it. */
  handles(question: string): boolean;
  /**
   * Shows a session to the page, or the requests outside of all; `isNew`: the session has just become known.
   */
  show(mirror: SessionMirror, isNew?: boolean): void;
  deliver(mirror: SessionMirror, kind: number, position: number, text: string): void;
  /** Assigns a question to the page, which is to answer it. */
  assign(mirror: SessionMirror, open: MirroredQuestion): void;
  emit<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void;
  /** The sessions are over. */
  ended(error?: HoldfastError): void;
  /** Uses the client no more, which ends with its last view. */
  abort(): void;
}

/**
 * An agent's client in a worker, open or being opened, and the pages that use it: those of the
 * same URL, user and plain options. It ends with the last of them; where that page has gone
 * without closing it, once nothing is under way any more.
 */
export class HostedAgent implements AgentViewer {
  readonly views: Views<SharingPage> = new Views();
  readonly #plan: AgentPlan;
  readonly #openClient: OpenAgent;
  #key: string | undefined;
  #client: AgentClient | undefined;
  #opened: Promise<AgentClient> | undefined;
  /** Aborted when nobody uses it any more. */
  readonly #over = new AbortController();
  /** By the agent's name for each: runtimes number them anew. */
  readonly #sessions = new Map<string, SessionMirror>();
  /** Mirror of the requests outside of any session. */
  #outside = new SessionMirror(0, OUTSIDE);
  /** Page that each question is assigned to. */
  readonly #assigned = new WeakMap<MirroredQuestion, SharingPage>();
  /** Why sessions are not kept; empty where they are, or the app wants it so. */
  #why = "";

  private constructor(plan: AgentPlan, key: string | undefined, open: OpenAgent) {
    this.#plan = plan;
    this.#openClient = open;
    this.#take(key);
  }

  /** The one of that user; a new one where there is none, or nobody knows who the user is. */
  static of(plan: AgentPlan, principal: string | undefined, open: OpenAgent): HostedAgent {
    const key = keyOf(plan, principal);
    const there = key === undefined ? undefined : (joinable.get(key) as HostedAgent | undefined);
    return there && there.#client?.isShareable !== false ? there : new HostedAgent(plan, key, open);
  }

  /** The client; undefined while there is none. */
  get client(): AgentClient | undefined {
    return this.#client;
  }

  /** Why sessions end with the worker; empty where they do not. */
  get why(): string {
    return this.#why;
  }

  /** True if a later page would find the agent's sessions here. */
  get keeps(): boolean {
    return this.#key !== undefined && this.#plan.options.journal !== false;
  }

  /** True if a turn is under way or a question is open. */
  get isAtWork(): boolean {
    return this.#mirrors.some(({ isAtWork }) => isAtWork);
  }

  /** Opens the client with the first view; resolves when it is open. */
  async join(view: SharingPage, principal: string | undefined): Promise<void> {
    this.views.add(view);
    if (this.#opened && principal !== undefined) view.stores.joined(principal);
    for (const mirror of this.#mirrors) view.show(mirror);
    await (this.#opened ??= this.#open());
  }

  /**
   * Notes that the view's app can listen. The view takes the place of those whose pages have gone, and may be
   * asked.
   */
  listens(view: SharingPage): void {
    this.#dropGone(view);
    this.reassign();
    this.#client?.visited();
  }

  /**
   * Removes the view from the client; `isOthers`: the view's user is another one now. Reports whether the
   * view was the last.
   */
  leave(view: SharingPage, isOthers = false): boolean {
    if (!this.views.all.includes(view)) return false;
    if (!isOthers && !view.isGone) this.#dropGone(view);
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
    const agent = this;
    const state = this.#client?.state;
    const stays = linger(view, {
      get views() {
        return agent.views.all;
      },
      get isAtWork() {
        return agent.isAtWork;
      },
      keeps: this.keeps && state !== undefined && state !== "closed" && state !== "failed",
      isGone: (one) => one.isGone,
      close: (one) => one.abort(),
      suspend: (one) => one.abort(),
    });
    if (stays) this.reassign();
  }

  /** Views of pages that have gone are not waited for, where another one is there. */
  #dropGone(there: SharingPage): void {
    const gone = this.views.all.filter((other) => other !== there && other.isGone);
    for (const other of gone) this.views.remove(other);
    for (const other of gone) other.abort();
  }

  get #mirrors(): SessionMirror[] {
    return [...this.#sessions.values(), this.#outside];
  }

  /** The session, or what is outside of all, that the core has under that number. */
  #of(handle: number): SessionMirror | undefined {
    if (handle === 0) return this.#outside;
    for (const mirror of this.#sessions.values()) if (mirror.handle === handle) return mirror;
    return undefined;
  }

  /** Removes the client from those that a page can join. */
  #retire(): void {
    if (this.#key !== undefined && joinable.get(this.#key) === this) joinable.delete(this.#key);
  }

  /** Sets the key by which pages join the client; undefined: no page can. */
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
    // After one that could not be opened nobody came to this any more.
    if (this.#key !== undefined && !joinable.has(this.#key) && !this.#over.signal.aborted) joinable.set(this.#key, this);
    client.bind(this);
    client.listeners.tap((event, value) => client === this.#client && this.#emit(event, value));
  }

  #emit<E extends keyof AgentEvents>(event: E, value: AgentEvents[E]): void {
    if (event === "durability") {
      const { durability, why = "" } = value as AgentEvents["durability"];
      this.#why = durability === "memory" ? why : "";
    }
    for (const view of this.views.all) view.emit(event, value);
    if (this.#why === "closed") for (const view of this.views.all) if (view.isGone) view.abort(); // a logout: what is here is the last user's
    if (event !== "state") return;
    const { state } = value as AgentEvents["state"];
    if (state === "closed" || state === "failed") this.#retire();
  }

  recall(handle: number, made: Recalled): void {
    const { sessionId } = made;
    let mirror = this.#sessions.get(sessionId);
    const before = this.#of(handle);
    if (before && before !== mirror) this.#lose(before); // a new runtime counts from the start, maybe in another order
    if (mirror) mirror.again(handle, made);
    else this.#sessions.set(sessionId, (mirror = new SessionMirror(handle, made)));
    for (const view of this.views.all) view.show(mirror, true);
  }

  deliver(handle: number, kind: number, position: number, text: string): void {
    const mirror = this.#of(handle);
    if (mirror) this.#tell(mirror, kind, position, text);
  }

  #tell(mirror: SessionMirror, kind: number, position: number, text: string): void {
    const at = mirror.heard(kind, position, text);
    if (mirror.isOver) this.#sessions.delete(mirror.made.sessionId);
    if (at === undefined) return;
    for (const view of this.views.all) view.deliver(mirror, kind, at, text);
    const open = kind === EVENT.question ? mirror.questions.get(at) : undefined;
    if (open) open.isShown = this.views.all.some((view) => !view.isGone);
  }

  assign(handle: number, question: number): void {
    const mirror = this.#of(handle);
    for (const open of mirror?.questions.values() ?? []) if (open.core === question) this.#assign(mirror!, open);
  }

  /** Has each question asked of the newest page that is there, unless a page is there that was asked. */
  reassign(): void {
    for (const mirror of this.#mirrors) for (const open of mirror.questions.values()) this.#assign(mirror, open);
  }

  #assign(mirror: SessionMirror, open: MirroredQuestion): void {
    const before = this.#assigned.get(open);
    const isIn = before !== undefined && this.views.all.includes(before);
    if (isIn && before.canAnswer) return;
    if (!isIn) this.#assigned.delete(open);
    const next = this.views.all.filter((view) => view.canAnswer && view.handles(open.text)).at(-1);
    if (!next || next === before) return; // one that was away has not forgotten it
    this.#assigned.set(open, next);
    next.assign(mirror, open);
  }

  /** A page answers: the others hear that nobody waits for theirs. */
  respond(from: SharingPage, question: number, ok: boolean, json: string): void {
    const mirror = this.#asking(question);
    const open = mirror?.questions.get(question);
    if (!mirror || !open) return; // another answer was quicker, or the runtime that asked has exited
    mirror.answered(open);
    for (const view of this.views.all) if (view !== from) view.deliver(mirror, EVENT.withdrawn, question, `{"reason":"answered"}`);
    this.#client?.respond(open.core, ok, json);
  }

  /** A person has typed something of an answer. Returns the question, where it is open. */
  save(question: number, json: string): MirroredQuestion | undefined {
    const open = this.#asking(question)?.questions.get(question);
    if (!open) return undefined;
    open.draft = json === "" ? undefined : json;
    this.#client?.draft(open.core, json);
    return open;
  }

  #asking(question: number): SessionMirror | undefined {
    return this.#mirrors.find(({ questions }) => questions.has(question));
  }

  withdraw(): void {
    for (const mirror of this.#mirrors) this.#lose(mirror);
  }

  /** No runtime has that any more: an answer to what was asked in it is none to what the next one asks. */
  #lose(mirror: SessionMirror): void {
    for (const question of mirror.lost()) for (const view of this.views.all) view.deliver(mirror, EVENT.withdrawn, question, `{"reason":"connection"}`);
  }

  end(error?: HoldfastError): void {
    this.#sessions.clear();
    this.#outside = new SessionMirror(0, OUTSIDE);
    for (const view of this.views.all) {
      view.ended(error);
      view.show(this.#outside);
    }
  }
}

/** Key that all views of a client share; undefined where the user is unknown. */
function keyOf({ address, core, options: { journal = true, credentials, auth } }: AgentPlan, principal: string | undefined): string | undefined {
  if (principal === undefined) return undefined;
  return JSON.stringify(["acp", address, principal, core, credentials, journal, auth?.client]);
}
