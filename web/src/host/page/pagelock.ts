import { lock } from "../../tabs/locks.js";

/** The lock by which a host knows that the page lives. */
export interface PageLock {
  /** Without "holdfast." before it. */
  readonly name: string;
  /** Resolves when the page has it, with what gives it back; with undefined where it was withdrawn before. */
  readonly held: Promise<(() => Promise<void>) | undefined>;
  /** Asks for it no more. */
  withdraw(): void;
}

/** Asks for the lock. */
export function pageLock(): PageLock {
  const name = `page.${crypto.randomUUID()}`;
  const asks = new AbortController();
  return { name, held: lock(name, asks.signal), withdraw: () => asks.abort() };
}

/** Gives the lock back, or asks for it no more. */
export function releaseLock({ held, withdraw }: PageLock): void {
  withdraw();
  void held.then((release) => release?.());
}
