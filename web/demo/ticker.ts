// One clock for everything that moves while calls run: elapsed times, pictures,
// output that came in the meantime. Ten times a second looks live and stays
// cheap however fast a server talks.

const TICK = 100;

const moving = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Calls `step` ten times a second until the returned function is called. */
export function onTick(step: (now: number) => void): () => void {
  moving.add(step);
  timer ??= setInterval(() => {
    const now = performance.now();
    for (const each of [...moving]) each(now);
  }, TICK);
  return () => {
    moving.delete(step);
    if (moving.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
