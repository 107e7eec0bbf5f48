/** Lets everything that is ready run: resolves in a task behind all timers of 0 ms that were set before. */
export function ready(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Lets so many tasks go by: long enough for what must not happen to show. */
export async function tasks(n: number): Promise<void> {
  for (let i = 0; i < n; i++) await ready();
}

/**
 * Resolves when that is so, which is looked at in each task. Where it never is, the test fails, and does not
 * hang.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tasks = 0; !(await holds()); tasks++) {
    if (tasks === 50_000) throw new Error(`waited in vain for ${String(holds)}`);
    await ready();
  }
}

/** How many hashes are being made: other threads make them, and a machine at work takes its time. */
let hashing = 0;
const { subtle } = globalThis.crypto;
const hash = subtle.digest.bind(subtle);
Object.defineProperty(subtle, "digest", {
  value: (...all: Parameters<SubtleCrypto["digest"]>): Promise<ArrayBuffer> => {
    hashing++;
    return hash(...all).finally(() => hashing--);
  },
});

/**
 * Lets all run that is ready, on both sides of every port, and what follows from that: eight tasks in which
 * nothing is hashed.
 */
export async function settled(): Promise<void> {
  for (let calm = 0; calm < 8; calm++) {
    await ready();
    if (hashing > 0) calm = -1;
  }
}
