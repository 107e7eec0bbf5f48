// A page that hangs keeps its locks, and no lock can be taken from anybody: who is robbed hears nothing. So who waits for
// one asks who has it, and goes past it where nobody says so.

import { hasBroadcast } from "./broadcast.js";

/** How often those who wait ask, in ms. */
const ASK_EVERY = 1_000;
/** How often they ask in vain: a tab may be busy for seconds. */
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

/** Whether those show life who have some locks. */
export class Vouching {
  readonly #join: (hears: (said: unknown) => void) => VouchingChannel | undefined;
  readonly #mine: () => string[];
  #channel: VouchingChannel | undefined;
  #askedAt = -Infinity;
  /** How often was asked in vain who has a lock. */
  readonly #inVain = new Map<string, number>();

  /** `join` opens the way to the others, and `mine` are the locks that this page has. */
  constructor(join: (hears: (said: unknown) => void) => VouchingChannel | undefined, mine: () => string[]) {
    this.#join = join;
    this.#mine = mine;
  }

  /** This page has one, or waits for one. */
  open(): void {
    this.#channel ??= this.#join((said) => {
      const { asks, has } = (said ?? {}) as { asks?: unknown; has?: unknown };
      // By a timer: a frozen page hears, and does nothing else.
      if (asks === true) setTimeout(() => this.#channel?.postMessage({ has: this.#mine() }), 0);
      else if (Array.isArray(has)) for (const lock of has as unknown[]) this.#inVain.delete(lock as string);
    });
  }

  /** It does not any more. */
  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#inVain.clear();
  }

  /** Nobody waits for one any more. */
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

  /** Whether who has that lock shows no life, or is no tab of ours. */
  isSilent(lock: string): boolean {
    return (this.#inVain.get(lock) ?? 0) > IN_VAIN;
  }
}

/** The one lock of an origin by which a stream goes past those whose holders are silent: one connection more, of all tabs. */
export function pastLock(origin: string): string {
  return `past.${origin}`;
}
