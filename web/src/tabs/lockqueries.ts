// The locks that other pages hold, as this page sees them.

import { hasLocks, isRefused, lock } from "./locks.js";

/** The locks that all pages have and wait for; none without Web Locks. */
export async function lockSnapshot(): Promise<LockManagerSnapshot> {
  if (!hasLocks()) return {};
  try {
    return await navigator.locks.query();
  } catch (error) {
    if (!isRefused(error)) throw error;
    return {};
  }
}

let client: string | undefined;

/** The client id of this page in `navigator.locks.query()`; undefined without Web Locks. */
export async function lockClient(): Promise<string | undefined> {
  if (client !== undefined || !hasLocks()) return client;
  const name = crypto.randomUUID();
  const release = await lock(name);
  try {
    const { held = [] } = await lockSnapshot();
    client = held.find((one) => one.name === `holdfast.${name}`)?.clientId;
  } finally {
    release?.();
  }
  return client;
}
