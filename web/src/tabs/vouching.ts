// A page that hangs keeps its locks, and no page can take a lock from another: a page that was robbed would
// hear nothing. So a page that waits for a lock asks for its holder. If no holder answers, the waiting page
// goes past it.

import { hasBroadcast } from "./broadcast.js";

/** How often a page that waits asks for the holders, in ms. */
const ASK_EVERY = 1_000;
/** Unanswered questions after which a holder counts as silent: a tab may be busy for seconds. */
const IN_VAIN = 10;

/** The way to those who may have what this page waits for. */
export interface VouchingChannel {
  postMessage(said: { asks: true } | { has: string[] }): void;
  close(): void;
}

/** A channel of its own, of that name; `hears` gets what is said there. */
export function ownChannel(name: string, hears: (said: unknown) => void): VouchingChannel | undefined {
  if (!hasBroadcast()) return undefined;
  const channel = new BroadcastChannel(`holdfast.${name}`);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => hears(data);
  return channel;
}

/** The holders of some locks, and whether they show life. */
export class Vouching {
  readonly #join: (hears: (said: unknown) => void) => VouchingChannel | undefined;
  readonly #mine: () => string[];
  #channel: VouchingChannel | undefined;
  #askedAt = -Infinity;
  /** The number of questions for the holder of each lock that no page has answered. */
  readonly #inVain = new Map<string, number>();

  /** `join` opens the way to the others, and `mine` are the locks that this page has. */
  constructor(join: (hears: (said: unknown) => void) => VouchingChannel | undefined, mine: () => string[]) {
    this.#join = join;
    this.#mine = mine;
  }

  /** This page holds such a lock, or waits for one. */
  open(): void {
    this.#channel ??= this.#join((said) => {
      const { asks, has } = (said ?? {}) as { asks?: unknown; has?: unknown };
      // By a timer: a frozen page hears, and does nothing else.
      if (asks === true) setTimeout(() => this.#channel?.postMessage({ has: this.#mine() }), 0);
      else if (Array.isArray(has)) for (const lock of has as unknown[]) this.#inVain.delete(lock as string);
    });
  }

  /** This page neither holds such a lock nor waits for one any more. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#inVain.clear();
  }

  /** This page waits for no lock any more: the unanswered questions count no longer. */
  forget(): void {
    this.#inVain.clear();
  }

  /** Asks who has those locks. */
  ask(locks: readonly string[]): void {
    const now = performance.now();
    if (!this.#channel || now < this.#askedAt + ASK_EVERY) return;
    this.#askedAt = now;
    for (const lock of locks) this.#inVain.set(lock, (this.#inVain.get(lock) ?? 0) + 1);
    this.#channel.postMessage({ asks: true });
  }

  /** True if the holder of that lock shows no life, or is no tab of this origin's. */
  isSilent(lock: string): boolean {
    return (this.#inVain.get(lock) ?? 0) > IN_VAIN;
  }
}

/** The one lock of an origin by which a stream goes past those whose holders are silent: one connection more, of all tabs. */
export function pastLock(origin: string): string {
  return `past.${origin}`;
}
