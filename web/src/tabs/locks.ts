// Web Locks, as far as they are there: not on plain http, and refused with a
// SecurityError to a sandboxed frame of an opaque origin, and where the user allows
// the site no storage; then no other page shares anything with this one. All names
// begin with "holdfast.".

/**
 * The connections of each origin, of this page. They are here since clients and agents have each what shares them once more,
 * and without Web Locks nothing else tells one kind what the other has.
 */
export const connectionsOf: Map<string, object> = new Map();

let refused = false;

/** True if there are Web Locks, as far as the page knows. */
export function hasLocks(): boolean {
  return !refused && !!globalThis.navigator?.locks; // happy-dom has null
}

/** True if the page may not use Web Locks. A request that failed shows that. */
export function isRefused(error: unknown): boolean {
  refused ||= (error as DOMException).name === "SecurityError";
  return refused;
}

/**
 * A lock that is held until it is given back, which resolves once the others can see
 * that; undefined where `signal` ended the wait. Without Web Locks nobody else has it.
 */
export function lock(name: string, signal?: AbortSignal): Promise<(() => Promise<void>) | undefined> {
  return requestLock(name, { signal } as LockOptions);
}

/** The same as {@link lock}, as the options have it. */
export function requestLock(name: string, options: LockOptions): Promise<(() => Promise<void>) | undefined> {
  if (!hasLocks()) return Promise.resolve(async () => {});
  return new Promise((resolve) => {
    const over: Promise<void> = navigator.locks
      .request(`holdfast.${name}`, options, () => {
        return new Promise<void>((release) => {
          resolve(() => {
            release();
            return over;
          });
        });
      })
      .catch((error: unknown) => resolve(isRefused(error) ? async () => {} : undefined));
  });
}
