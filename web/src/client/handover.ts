// When an outcome that was handed to the app counts as acknowledged (`ack: "auto"`):
// not before the app could act on it, for what it made of it may have failed.

/** A call as far as its hand-over goes. */
interface HandedCall {
  /** True if another page carries the call. */
  readonly followed: boolean;
}

/**
 * Calls whose outcome this page has handed to the app. A call counts as acknowledged
 * two tasks later: the app's continuation runs in the first task, and the browser
 * reports an uncaught error before the second. If the app throws meanwhile, no call
 * counts: we cannot know which call the error was about, and a call that comes again
 * does less harm than a call that is gone. A hidden page that only follows a call
 * does not acknowledge the call before somebody sees the page.
 */
export class Handover {
  readonly #handed: (call: number) => void;
  readonly #fresh = new Map<number, HandedCall>();
  readonly #unseen = new Map<number, HandedCall>();
  #waiting: ReturnType<typeof setTimeout> | undefined;
  /**
   * Listens for errors, from the first call on: to begin and end that for each took a tenth of a small call's
   * time.
   */
  #watch: AbortController | undefined;

  /** `handed` gets each call that counts. */
  constructor(handed: (call: number) => void) {
    this.#handed = handed;
  }

  /** The outcome of a call is being handed over. */
  add(id: number, call: HandedCall): void {
    this.#fresh.set(id, call);
    if (this.#waiting !== undefined) return;
    if (!this.#watch) {
      const { signal } = (this.#watch = new AbortController());
      for (const event of ["error", "unhandledrejection"])
        globalThis.addEventListener?.(event, this.#failed, { signal });
    }
    this.#later(() => this.#later(() => this.now()));
  }

  /** Acknowledges the calls handed over so far, except the followed calls of a hidden page. */
  now(): void {
    this.#stop();
    const hidden = globalThis.document?.visibilityState === "hidden";
    for (const [id, call] of this.#fresh) {
      if (hidden && call.followed) this.#unseen.set(id, call);
      else this.#handed(id);
    }
    this.#fresh.clear();
    if (this.#unseen.size > 0) document.addEventListener("visibilitychange", this.#seen);
  }

  /**
   * Drops every call handed over so far without acknowledging it: the client is over, and the next client
   * gets the stored calls.
   */
  clear(): void {
    this.#stop();
    this.#watch?.abort();
    this.#watch = undefined;
    this.#fresh.clear();
    this.#unseen.clear();
  }

  // An error event without an error says that nobody has thrown anything (a
  // ResizeObserver's loop), or a script of another origin has, which the page may
  // not look into: of an app that is loaded so, browsers hide rejections as well.
  readonly #failed = (event: Event): void => {
    const isThrown = event.type !== "error" || ((event as ErrorEvent).error ?? null) !== null;
    if (isThrown) this.#fresh.clear();
  };

  readonly #seen = (): void => {
    if (document.visibilityState === "hidden") return;
    document.removeEventListener("visibilitychange", this.#seen);
    for (const id of this.#unseen.keys()) this.#handed(id);
    this.#unseen.clear();
  };

  #later(then: () => void): void {
    this.#waiting = setTimeout(then, 0);
  }

  #stop(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }
}
