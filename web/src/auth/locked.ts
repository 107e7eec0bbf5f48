// The work of sign-ins that one tab or host does at a time. A page that hangs keeps its lock, and holds
// nobody up for good.

import type { Hands } from "./hands.js";

/**
 * After how long, in ms, somebody who has a lock, or refreshes without one, is held for dead. Longer than any
 * answer may take.
 */
export const REFRESH_LEASE: number = 45_000;

/**
 * Runs work under a lock of sign-ins. `alone`: the lock is had; a tab that waits for it in vain does the work
 * without.
 */
export function locked<T>(hands: Hands, name: string, work: (alone: boolean) => Promise<T>): Promise<T> {
  const patience = new AbortController();
  const stop = hands.after(REFRESH_LEASE, () => patience.abort());
  return hands.locks.run(`auth/${name}`, work, patience.signal).finally(stop);
}
