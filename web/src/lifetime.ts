import type { ClientEvents, ClientState } from "./clientevents.js";
import type { Counters } from "./counters.js";
import type { Journal } from "./durable/journal.js";
import { errorFromGo, HoldfastError } from "./errors.js";
import type { Open } from "./mcp.js";
import type { CallDefaults } from "./options.js";
import type { Runtime } from "./runtime/runtime.js";
import type { ServerFacts } from "./serverfacts.js";
import type { Wire } from "./wire.js";

/** @internal How a client keeps its calls. */
export interface Keeping {
  /** Undefined where the app wants none. */
  journal: Journal | undefined;
  /** Loads the runtime anew after it has exited. */
  reload?: () => Promise<Runtime>;
}

/** @internal The same, of one whose calls may say otherwise. */
export interface CallKeeping extends Keeping {
  defaults: CallDefaults;
}

/** A runtime that lived no longer than this, in ms, is not started again. */
const REVIVAL_EVERY = 10_000;

/** @internal What a client learns of its server from what the core says of its state. */
export interface Facts {
  heard(state: ClientState, said: Open): void;
}

/** Those who listen to a client, as far as they hear of its state. */
interface StateListeners {
  add(event: "state", listener: (event: ClientEvents["state"]) => void): () => void;
  emit(event: "state", value: ClientEvents["state"]): void;
}

/** @internal What a life is made from. */
export interface LifetimeUse<F, C> {
  facts: F;
  /** Nothing counted yet. */
  counters: C;
  /** Ends all that is under way. */
  reject(why: (op: string) => HoldfastError): void;
}

/**
 * A client's life in the core: started, opened, opened anew, closed or failed,
 * and begun again in a new runtime where the one it had has exited.
 */
export class Lifetime<F extends Facts = ServerFacts, C extends object = Counters> {
  /** What is known of the server since the client was opened. */
  readonly facts: F;
  readonly #wire: Wire;
  readonly #keeping: Keeping;
  readonly #listeners: StateListeners;
  readonly #use: LifetimeUse<F, C>;
  #state: ClientState = "connecting";
  #error: HoldfastError | undefined;
  #closed: Promise<void> | undefined;
  #boot: (() => void) | undefined;
  #bornAt = -Infinity;
  #lastCounters: C;

  constructor(wire: Wire, keeping: Keeping, listeners: StateListeners, use: LifetimeUse<F, C>) {
    this.#wire = wire;
    this.#keeping = keeping;
    this.#listeners = listeners;
    this.#use = use;
    this.facts = use.facts;
    this.#lastCounters = use.counters;
  }

  /** Where the client stands. */
  get state(): ClientState {
    return this.#state;
  }

  /** Whether nothing can be asked of the client any more. */
  get over(): boolean {
    return this.#state === "closed" || this.#state === "failed";
  }

  /** Why it cannot. */
  overError(op: string): HoldfastError {
    const error = this.#error;
    if (!error) return new HoldfastError({ code: "closed", op, message: "the client is closed" });
    return new HoldfastError({ code: error.code, op, message: "the client has failed", retryable: error.retryable, cause: error });
  }

  /** What was dropped or repaired so far. */
  get counters(): C {
    if (!this.over) this.#count();
    return this.#lastCounters;
  }

  /** Begins it: `boot` makes the client in the core, now and in each new runtime. Resolves when it is open. */
  start(boot: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const off = this.#listeners.add("state", ({ state, error }) => {
        if (state === "connecting") return;
        off();
        if (state === "open") resolve();
        else reject(error ?? new HoldfastError({ code: "closed", op: "connect", message: "the client was closed" }));
      });
      this.#boot = boot;
      boot();
    });
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
      if (end) end();
      else this.#leave();
    });
    return this.#closed;
  }

  // The session is not deleted under another page that uses it.
  #leave(): void {
    const shared = this.#keeping.journal?.shared();
    this.#wire.runtime[shared ? "leave" : "close"](this.#wire.handle);
  }

  /** The core says where the client stands. */
  changed(text: string): void {
    const json = JSON.parse(text) as { state: ClientState; error?: Parameters<typeof errorFromGo>[0] };
    this.#state = json.state;
    this.facts.heard(json.state, json as unknown as Open);
    if (json.error) this.#error = errorFromGo(json.error);
    this.#listeners.emit("state", this.#error ? { state: json.state, error: this.#error } : { state: json.state });
    // The core has settled every call that it had by then; its memory can go.
    if (this.over) {
      this.#use.reject((op) => this.overError(op));
      queueMicrotask(() => {
        this.#count();
        this.#wire.runtime.release(this.#wire.handle);
        this.#keeping.journal?.close();
      });
    }
  }

  /**
   * The Go program has ended. What it had is rejected; what it had stored comes
   * back as restored calls in a new one, unless that does not live either.
   */
  exited(error: HoldfastError): void {
    const { journal, reload } = this.#keeping;
    this.#use.reject(() => error);
    const lived = performance.now() - this.#bornAt > REVIVAL_EVERY;
    if (!journal || !reload || !this.#boot || this.#state === "connecting" || this.over || !lived) {
      this.#fail(error);
      return;
    }
    this.#state = "reconnecting";
    this.#listeners.emit("state", { state: "reconnecting", error });
    Promise.all([reload(), journal.reload()]).then(
      ([runtime]) => {
        if (this.over) return;
        this.#wire.runtime = runtime;
        this.#bornAt = performance.now();
        this.#boot!();
      },
      () => this.#fail(error),
    );
  }

  #fail(error: HoldfastError): void {
    this.#error = error;
    this.#state = "failed";
    this.#keeping.journal?.close();
    this.#listeners.emit("state", { state: "failed", error });
  }

  #count(): void {
    const text = this.#wire.runtime.counters(this.#wire.handle);
    if (text) this.#lastCounters = JSON.parse(text) as C;
  }
}
