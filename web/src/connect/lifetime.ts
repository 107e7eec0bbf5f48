import type { Journal } from "../tabs/journal.js";
import { STORE_REASON, TokenAnswer } from "../base/border.js";
import { closedError, errorFromGo, type GoError, HoldfastError } from "../base/errors.js";
import type { Open } from "../base/mcp.js";
import type { Runtime } from "../runtime/runtime.js";
import type { FetchLike } from "../runtime/sender.js";
import { whenLoggedOut } from "../tabs/loggedout.js";
import { isRepeatable, livedLong } from "./interrupted.js";
import type { ClientRecording } from "./recording.js";
import type { TokenSource } from "./userstores.js";
import type { Wire } from "../runtime/wire.js";
import type { ClientState, StateEvent, TokenSubject } from "../base/clientstate.js";

/** @internal How a client keeps its calls. */
export interface Keeping {
  /** Undefined where the app wants none, and until it is open. */
  journal: Journal | undefined;
  /** Gives tokens, and opens the store of whoever they belong to. */
  stores?: TokenSource;
  /** The app's own. */
  fetch?: FetchLike | undefined;
  /** The recording of the requests, where the app wants one. */
  recording?: ClientRecording;
  /** Loads the runtime again after it has exited. */
  reload?: () => Promise<Runtime>;
}

/** @internal What a client learns of its server from what the core says of its state. */
export interface Facts {
  /** `bits` are what the core says of an open connection beside that; 0 where it says nothing. */
  heard(state: ClientState, said: Open, bits: number): void;
}

/** Those who listen to a client, as far as they hear of its state and its user. */
interface StateListeners {
  add(event: "state", listener: (event: StateEvent) => void): () => void;
  emit(event: "state", value: StateEvent): void;
  emit(event: "subject", value: TokenSubject): void;
}

/** @internal What a life is made from. */
export interface LifetimeUse<F, C> {
  facts: F;
  /** Counters that are all 0. */
  counters: C;
  /** Ends all that is under way. `comes`: another runtime may have what is stored. */
  reject(why: (op: string) => HoldfastError, comes?: boolean): void;
  /** The store's calls are back, in a runtime that has replaced one that exited. */
  restored?(): void;
  /** A token has come, which may see something else than the last one. */
  tokenCame?(): void;
  /** A token has come that is another user's: this life is that of the last one, and to be ended. */
  anotherUser?(): void;
  /** The store is open that it has begun without; `why` says why it ends with the page, where it does. */
  opened(why: string): void;
}

/**
 * A client's life in the core: started, opened, opened again, closed or failed,
 * and begun again in a new runtime where the one it had has exited. It has one user; another one has another life.
 */
export class Lifetime<F extends Facts, C extends object> {
  /** The facts about the server, known since the client was opened. */
  readonly facts: F;
  readonly #wire: Wire;
  readonly #keeping: Keeping;
  readonly #listeners: StateListeners;
  readonly #use: LifetimeUse<F, C>;
  #state: ClientState = "connecting";
  /** True while a refused request waits for a sign-in. */
  #awaits = false;
  #error: HoldfastError | undefined;
  #closed: Promise<void> | undefined;
  #boot: (() => void) | undefined;
  #bornAt = -Infinity;
  /** The opening of the store: the core has no client until then. */
  #opening: Promise<void> | undefined;
  #lastCounters: C;
  /** The error that the token provider threw last. */
  #thrown: unknown;
  #subject: TokenSubject | undefined;
  /** Ends the question for a token that is under way. */
  #asking: AbortController | undefined;
  /** True if the user has logged out: nothing is sent any more. */
  #loggedOut = false;
  /** Ends what listens for a wipe. */
  #unwatch: (() => void) | undefined;
  /** See {@link Lifetime.takingToken}. */
  #taking: Promise<void> | undefined;
  /** See {@link Lifetime.question}. */
  #question: object | undefined;
  /** True if the client was left: reports of the core are no news. */
  #isLeft = false;

  constructor(wire: Wire, keeping: Keeping, listeners: StateListeners, use: LifetimeUse<F, C>) {
    this.#wire = wire;
    this.#keeping = keeping;
    this.#listeners = listeners;
    this.#use = use;
    this.facts = use.facts;
    this.#lastCounters = use.counters;
  }

  /** The client's state. */
  get state(): ClientState {
    return this.#awaits ? "awaiting_authorization" : this.#state;
  }

  /** Whose the token is, where that is known, and is not whom the app has named. */
  get subject(): TokenSubject | undefined {
    return this.#subject;
  }

  /** True until the client is open for the first time. */
  get connecting(): boolean {
    return this.#state === "connecting";
  }

  /** True while the client makes a session again. */
  get reconnecting(): boolean {
    return this.#state === "reconnecting";
  }

  /** True if the user has logged out, here or in another page. */
  get loggedOut(): boolean {
    return this.#loggedOut;
  }

  /** True if the client answers no more requests. Example: the client was closed, or has failed. */
  get over(): boolean {
    return this.#isLeft || this.#state === "closed" || this.#state === "failed";
  }

  /** The error that says why the client answers no more requests. */
  overError(op: string): HoldfastError {
    const error = this.#error;
    if (!error && this.#loggedOut) return unsent(op);
    if (!error) return closedError(op);
    return new HoldfastError({ code: error.code, op, message: "the client has failed", retryable: error.retryable, cause: error });
  }

  /** Numbers of messages and events that were dropped or repaired so far. */
  get counters(): C {
    if (!this.over) this.#count();
    return this.#lastCounters;
  }

  /** Resolves when the core has the client, where its store is being opened; undefined where that is so. */
  get opening(): Promise<void> | undefined {
    return this.#opening;
  }

  /** Begins it: `boot` makes the client in the core, now and in each new runtime. Resolves when it is open. */
  start(boot: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const off = this.#listeners.add("state", ({ state, error }) => {
        if (state === "connecting" || state === "awaiting_authorization") return;
        off();
        if (state === "open") resolve();
        else reject(error ?? closedError("connect", "the client was closed"));
      });
      this.#boot = boot;
      this.#watchWipes();
      if (this.#keeping.journal?.forgotten) this.#fail(closedError("connect", "the user has logged out"));
      else boot();
    });
  }

  #watchWipes(): void {
    this.#unwatch = whenLoggedOut((store) => void this.#wiped(store), this.#keeping.journal?.durability !== "indexeddb");
  }

  /** All users of this origin have logged out, or the one with that store: a client that keeps nothing hears of it by no other way. */
  async #wiped(store?: string): Promise<void> {
    const { journal, stores } = this.#keeping;
    if (store !== undefined && (journal || !(await stores?.isOf?.(store)))) return;
    if (this.over) return;
    const { runtime, handle } = this.#wire;
    if (this.#opening) {
      this.#loggedOut = true;
      this.#ended();
    } else if (journal) journal.lost("closed");
    else runtime.storeGone(handle, STORE_REASON.closed);
  }

  /** Its user logs out here: what has not left ends as unsent, and then the client. `end` as of {@link Lifetime.close}. */
  logOut(end?: () => void): Promise<void> {
    if (!this.over && !this.#opening) this.#wire.runtime.logOut(this.#wire.handle);
    return this.close(end);
  }

  /** Begins it with a store that is to be opened yet, after a life that was `connecting` or not: what is asked meanwhile waits for that. */
  startLater(boot: () => void, connecting = false): void {
    this.#boot = boot;
    this.#watchWipes();
    this.#state = connecting ? "connecting" : "reconnecting";
    this.#opening = this.#openStore(this.#keeping.stores!);
  }

  /** Ends it without a word: its session, and what is stored, are for whoever comes next. */
  leave(why: (op: string) => HoldfastError): void {
    const { runtime, handle } = this.#wire;
    this.#isLeft = true;
    this.#unwatch?.();
    this.#count();
    this.#use.reject(why);
    runtime.closeKeepingSession(handle);
    runtime.release(handle);
    this.#keeping.journal?.close();
  }

  /** Ends it; resolves when it has ended. `end` tells the core, where it is not simply to be closed. */
  close(end?: () => void): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      if (this.over) {
        resolve();
        return;
      }
      const off = this.#listeners.add("state", ({ state }) => {
        if (state !== "closed" && state !== "failed") return;
        off();
        resolve();
      });
      if (this.#opening) this.#ended();
      else if (end) end();
      else void this.#closeCore();
    });
    return this.#closed;
  }

  // After a logout in another page the session is no page's any more by the store's
  // account: those that use it know of each other by what they hold.
  async #closeCore(): Promise<void> {
    const { journal } = this.#keeping;
    const last = !journal?.forgotten || (await journal.lastToUse());
    const { runtime, handle } = this.#wire;
    if (last) runtime.close(handle);
    else runtime.closeKeepingSession(handle);
  }

  // There is nothing in the core that could be closed.
  #ended(): void {
    this.#unwatch?.();
    this.#awaits = false;
    this.#asking?.abort();
    this.#state = "closed";
    this.#use.reject((op) => this.overError(op));
    this.#listeners.emit("state", { state: "closed" });
  }

  /** The core says where the client stands. */
  changed(text: string, bits: number): void {
    if (this.#isLeft) return;
    const json = JSON.parse(text) as { state: ClientState | "leaving"; idle?: boolean; error?: GoError };
    if (json.state === "leaving") return this.#leaves(json.idle === true);
    this.#awaits = json.state === "awaiting_authorization";
    if (this.#awaits) return this.#listeners.emit("state", { state: json.state });
    this.#state = json.state;
    this.facts.heard(json.state, json as unknown as Open, bits);
    if (json.error) this.#error = errorFromGo(json.error, this.#thrown);
    this.#listeners.emit("state", this.#error ? { state: json.state, error: this.#error } : { state: json.state });
    // The core has settled every call that it had by then; its memory can go.
    if (this.over) {
      this.#unwatch?.();
      this.#asking?.abort();
      this.#use.reject((op) => this.overError(op));
      queueMicrotask(() => {
        this.#count();
        this.#wire.runtime.release(this.#wire.handle);
        this.#keeping.journal?.close();
      });
    }
  }

  /** Its user has logged out, and what is under way is read to its end; once that is over the client is closed. */
  #leaves(isIdle: boolean): void {
    this.#loggedOut = true;
    this.#awaits = false;
    this.#asking?.abort();
    if (isIdle) queueMicrotask(() => void this.close()); // not within the core's effects
    if (this.#state === "closing") return;
    this.#state = "closing";
    this.#listeners.emit("state", { state: "closing" });
  }

  /** Resolves when the token that is asked for is the client's, or has ended it, since it is another user's; undefined where none is asked for. */
  get takingToken(): Promise<void> | undefined {
    return this.#taking;
  }

  /** The question for a token that has no answer yet: whose what is asked meanwhile is, nobody knows. */
  get question(): object | undefined {
    return this.#question;
  }

  /** The core's Token effect. */
  askForToken(): Promise<void> {
    const taking = this.#takeToken().finally(() => {
      if (this.#taking === taking) this.#taking = undefined;
    });
    return (this.#taking = taking);
  }

  async #takeToken(): Promise<void> {
    const { stores } = this.#keeping;
    const { runtime, handle } = this.#wire;
    const asking = (this.#asking = new AbortController());
    this.#question ??= {};
    const answer = (await stores?.token(this.#state === "connecting", asking.signal)) ?? { ok: false, text: "there is no token provider" };
    if (this.over || this.#closed || runtime !== this.#wire.runtime) return; // whoever asked is gone
    if (stores?.changed(answer)) {
      this.#use.anotherUser?.();
      return;
    }
    if (!answer.away) this.#question = undefined; // else it is asked once more
    this.#isOf(stores?.stranger?.(answer));
    this.#thrown = answer.thrown;
    this.#use.tokenCame?.();
    this.#awaited();
    runtime.token(handle, answer.ok ? TokenAnswer.Given : answer.away ? TokenAnswer.Offline : TokenAnswer.Failed, answer.text);
  }

  /** Notes whose the token is. It is told once: of a client that is being opened by whoever opens it, once the app can listen. */
  #isOf(subject: TokenSubject | undefined): void {
    const before = this.#subject;
    if (!subject || (before?.subject === subject.subject && before.issuer === subject.issuer)) return;
    this.#subject = subject;
    if (this.#state !== "connecting") this.#listeners.emit("subject", subject);
  }

  /** Somebody has signed in, or nobody will: the client is where it was. */
  #awaited(): void {
    if (!this.#awaits) return;
    this.#awaits = false;
    this.#listeners.emit("state", { state: this.#state });
  }

  async #openStore(stores: TokenSource): Promise<void> {
    const { reload } = this.#keeping;
    try {
      const { journal, why } = await stores.open();
      const { runtime: there } = this.#wire;
      const runtime = there.death && reload ? await reload() : there;
      if (this.over) {
        journal?.close();
        return;
      }
      this.#keeping.journal = journal;
      this.#wire.runtime = runtime;
      this.#opening = undefined;
      this.#unwatch?.();
      this.#watchWipes(); // by what there is now
      this.#use.opened(why);
      this.#boot!();
    } catch (error) {
      this.#opening = undefined;
      if (!this.over) this.#fail(error as HoldfastError);
    }
  }

  /**
   * The Go program has ended. What it had is rejected; what it had stored comes
   * back as restored calls in a new one, unless that does not live either.
   */
  exited(error: HoldfastError): void {
    if (this.#isLeft) return;
    const { journal, reload } = this.#keeping;
    this.#awaits = false;
    this.#asking?.abort();
    this.#question = undefined;
    const isUp = this.#boot !== undefined && this.#state !== "connecting" && !this.over && !this.#loggedOut;
    const comes = journal !== undefined && reload !== undefined && isUp && livedLong(this.#bornAt);
    const end = (comes = false): void => this.#use.reject((op) => interrupted(error, op), comes);
    end(comes);
    if (!comes) return this.#fail(error);
    this.#state = "reconnecting";
    this.#listeners.emit("state", { state: "reconnecting", error });
    Promise.all([reload(), journal.reload()]).then(
      ([runtime]) => {
        if (this.over) return;
        this.#wire.runtime = runtime;
        this.#bornAt = performance.now();
        this.#boot!();
        this.#use.restored?.();
      },
      () => {
        end();
        this.#fail(error);
      },
    );
  }

  #fail(error: HoldfastError): void {
    this.#unwatch?.();
    this.#error = error;
    this.#awaits = false;
    this.#asking?.abort();
    this.#state = "failed";
    this.#keeping.journal?.close();
    this.#listeners.emit("state", { state: "failed", error });
  }

  #count(): void {
    const text = this.#wire.runtime.counters(this.#wire.handle);
    if (text) this.#lastCounters = JSON.parse(text) as C;
  }
}

/** The error of what was under way when the runtime exited. */
function interrupted({ code, message, cause }: HoldfastError, op: string): HoldfastError {
  return new HoldfastError({ code, op, message, retryable: isRepeatable(op), cause });
}

/**
 * The error of a request that the core did not have yet when its user logged out, or that the app makes after
 * the logout (core/durable/logout.go).
 */
function unsent(op: string): HoldfastError {
  return new HoldfastError({
    code: "unsent",
    op,
    message: "the request was not sent, and will not be: its user has logged out",
    hint: "Connect again once somebody has signed in, and make the call there if it is theirs.",
  });
}
