import { check, code, oneOf } from "./kinds.js";

/**
 * Refuses an event that there is not, and what cannot listen; `names` has the events. Throws `bad_argument`.
 */
export function checkListener(names: object, event: unknown, listener: unknown): void {
  check("on", "event", event, oneOf(...Object.keys(names)));
  check("on", "listener", listener, code);
}

/**
 * Listeners by event name. They run in a microtask of their own, in the order
 * of the events, so that app code never runs within the core's effects.
 */
export class Listeners<Events> {
  readonly #sets = new Map<keyof Events, Set<(event: never) => void>>();
  #tap: (<E extends keyof Events>(event: E, value: Events[E]) => void) | undefined;

  /**
   * `all` gets every event at once, before the code that reports the event goes on: it must not run app code.
   */
  tap(all: <E extends keyof Events>(event: E, value: Events[E]) => void): void {
    this.#tap = all;
  }

  /** Adds a listener; the returned function removes it. */
  add<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void {
    let set = this.#sets.get(event);
    if (!set) this.#sets.set(event, (set = new Set()));
    // A wrapper of its own, so that adding one function twice is two listeners.
    const own = (e: Events[E]): void => listener(e);
    set.add(own as (event: never) => void);
    return () => set.delete(own as (event: never) => void);
  }

  /** Tells every listener there is when the microtask runs. */
  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    this.#tap?.(event, value);
    queueMicrotask(() => {
      const set = this.#sets.get(event);
      for (const listener of [...(set ?? [])]) {
        if (!set?.has(listener)) continue; // another listener has removed it
        try {
          (listener as (event: Events[E]) => void)(value);
        } catch (error) {
          reportError(error);
        }
      }
    });
  }
}
