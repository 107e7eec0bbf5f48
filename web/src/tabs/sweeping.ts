import type { Store, SweepUse } from "../storage/storage.js";
import { lockSnapshot } from "./lockqueries.js";

/** How long a page waits that is not told when it is idle, in ms. */
const LATER = 2_000;

/**
 * Sweeps the store once the page is idle and seen, until `signal`; as a rule that
 * reads one record. Nobody waits for it, and one that fails is made by the next page.
 */
export function sweepWhenIdle(store: Store, reads: (call: number) => boolean, signal: AbortSignal): void {
  const use: SweepUse = { reads, inUse: openServers, over: () => signal.aborted || isHidden() };
  const idle = (): void => {
    if (signal.aborted) return;
    if (isHidden()) document.addEventListener("visibilitychange", later, { once: true, signal });
    else void store.sweep(use).catch(() => undefined);
  };
  const later = (): void => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(idle);
    else setTimeout(idle, LATER);
  };
  later();
}

/** True if the page is hidden, e.g. in a background tab. A worker is never hidden. */
function isHidden(): boolean {
  return globalThis.document?.hidden === true;
}

/** Which servers' stores are open in any page: it has locks named by them. Without Web Locks none is known. */
async function openServers(): Promise<(server: string) => boolean> {
  const { held = [] } = await lockSnapshot();
  const names = held.map(({ name = "" }) => name);
  return (server) => names.some((name) => name.endsWith(`.${server}`));
}
