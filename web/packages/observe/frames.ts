// One task per animation frame for all that has changed, so that what draws it draws once.

/** Something that has changed, and makes that known. */
interface Changed {
  publish(): void;
}

const waiting = new Set<Changed>();
let stop: (() => void) | undefined;

/**
 * Has a change made known with the next frame; at once where nobody sees the page, which then has no frames.
 */
export function nextFrame(changed: Changed): void {
  waiting.add(changed);
  stop ??= inAFrame(publishAll);
}

function publishAll(): void {
  stop?.();
  stop = undefined;
  const all = [...waiting];
  waiting.clear();
  for (const changed of all) changed.publish();
}

/**
 * ms after which nobody waits for a frame any more: a frame of another origin that is scrolled away has none,
 * and is not hidden.
 */
const NO_FRAME = 1000;

/** Runs it once; the returned function takes back what would run it later. */
function inAFrame(run: () => void): () => void {
  const { document } = globalThis;
  if (typeof requestAnimationFrame !== "function" || !document || document.hidden) {
    const timer = setTimeout(run, 0);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(run);
  // A frame that was asked for does not come while the page is hidden.
  const hidden = (): void => void (document.hidden && run());
  document.addEventListener("visibilitychange", hidden);
  const timer = setTimeout(run, NO_FRAME);
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    document.removeEventListener("visibilitychange", hidden);
  };
}
