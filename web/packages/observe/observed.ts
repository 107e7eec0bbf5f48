import { nextFrame } from "./frames.js";

/**
 * A value that changes, for what draws it: React's useSyncExternalStore, Vue's shallowRef, Svelte's
 * `$store`, or a function of the app's own. A value is never changed: another one takes its place,
 * so `===` says whether to draw again, and at most one comes per animation frame.
 */
export interface Store<T> {
  /**
   * Calls the listener with the value at once, and with each later one. Returns what stops that. This is
   * the store contract of Svelte. A listener that throws is reported and harms nobody.
   */
  subscribe(listener: (value: T) => void): () => void;
  /** The value now; the same object until it has changed. */
  snapshot(): T;
  /**
   * Calls the listener when {@link Store.snapshot} gives another value, without it: what useSyncExternalStore
   * wants.
   */
  onChange(listener: () => void): () => void;
}

/** A store whose value is made of what it observes, once per frame. It observes while somebody listens. */
export abstract class Observed<T> implements Store<T> {
  readonly #listeners = new Set<() => void>();
  #value: T | undefined;

  readonly snapshot = (): T => (this.#value ??= this.current());

  readonly subscribe = (listener: (value: T) => void): (() => void) => {
    let given: T | undefined;
    const give = (): void => {
      const value = this.snapshot();
      if (value === given) return;
      given = value;
      listener(value);
      this.given(value);
    };
    const stop = this.onChange(give);
    tell(give);
    return stop;
  };

  readonly onChange = (listener: () => void): (() => void) => {
    const own = (): void => listener(); // adding one function twice is two listeners
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.begin();
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.end();
    };
  };

  /** True if the store has a listener. */
  protected get heard(): boolean {
    return this.#listeners.size > 0;
  }

  /** The value as it is now, a new one. */
  protected abstract current(): T;
  /** The first listener has come, or has come again. */
  protected begin(): void {}
  /** The last listener has gone. */
  protected end(): void {}
  /** A listener has been given that value, and has not thrown. */
  protected given(_value: T): void {}

  /** The value has changed: listeners hear of that with the next frame. */
  protected changed(): void {
    nextFrame(this);
  }

  /** Makes the change known. Called with the frame; sooner by what changes seldom. */
  publish(): void {
    this.#value = this.current();
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) tell(listener);
  }
}

function tell(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    reportError(error);
  }
}
