import { lock } from "../tabs/locks.js";

/** The lock by which a host knows that the page lives. */
export interface PageLock {
  /** Without "holdfast." before it. */
  readonly name: string;
  /** Resolves when the page has it, with what gives it back. */
  readonly held: Promise<(() => Promise<void>) | undefined>;
}

/** Asks for the lock. */
export function pageLock(): PageLock {
  const name = `page.${crypto.randomUUID()}`;
  return { name, held: lock(name) };
}

/** Gives the lock back, now or once the page has it. */
export function giveBack({ held }: PageLock): void {
  void held.then((release) => release?.());
}
