// Events of a page besides being closed: the browser freezes and thaws it, or puts it in the back/forward
// cache and restores it.

/** The listeners for those events. */
export interface Lifecycle {
  /** The page is being left, maybe for good: what is not on its way to the disk when this returns is lost. */
  left(): void;
  /** The page is about to stop: what it holds it would hold for nothing. */
  rest(): void;
  /** The page continues; meanwhile others may have done its work. */
  wake(): Promise<void>;
  /** The page goes to the back/forward cache. It may hold no lock there that others could wait for. */
  hide(): void;
  /** The page comes back from the cache, and wakes, unless it is left again before that. */
  show(): Promise<void>;
  /** The browser has changed the pace of the page's timers. */
  seen(): void;
}

/**
 * True if this page, or worker, gets an event before it ends: in a page `pagehide`. A worker ends with its
 * last page and gets no event. If one of its pages has said that it outlives them, the worker has seconds for
 * later work.
 */
export const lifetime: { endIsHeard: boolean } = { endIsHeard: globalThis.document !== undefined };

/** Watches the page until `signal`. In a worker there is none: it goes on while pages come and go. */
export function watchPage(page: Lifecycle, signal: AbortSignal): void {
  if (!globalThis.document) return;
  document.addEventListener("freeze", () => page.rest(), { signal });
  document.addEventListener("resume", () => void page.wake(), { signal });
  document.addEventListener("visibilitychange", () => page.seen(), { signal });
  addEventListener(
    "pagehide",
    ({ persisted }) => {
      page.left();
      if (!persisted) return;
      page.rest();
      page.hide();
    },
    { signal },
  );
  addEventListener("pageshow", ({ persisted }) => persisted && void page.show(), { signal });
}
