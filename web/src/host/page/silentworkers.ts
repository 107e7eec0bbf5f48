// Scripts of shared workers that did not answer a page of this origin: the next page waits for them
// less, since it can have the runtime itself. In localStorage, which is there before anything is loaded.

const STORE = "holdfast:silent-workers";
/** For how long a silence counts, in ms: what was wrong may be over, as on a machine that was busy. */
const COUNTS = 60 * 60_000;

/** True if the script's worker was silent within the last hour and has not answered since. */
export function wasSilent(script: string): boolean {
  const since = Date.now() - (noted()[script] ?? -Infinity);
  return since >= 0 && since < COUNTS;
}

/**
 * Notes that the worker was silent, or that it has answered at the time `answered`: a later silence stays
 * noted. Where nothing can be stored, the next page waits as long as this one did.
 */
export function noteWorker(script: string, answered?: number): void {
  const { [script]: silent, ...others } = noted();
  if (answered !== undefined && !(silent! <= answered)) return;
  for (const other of Object.keys(others)) if (!wasSilent(other)) delete others[other]; // of scripts that are served no more, too
  try {
    localStorage.setItem(STORE, JSON.stringify(answered === undefined ? { ...others, [script]: Date.now() } : others));
  } catch {
    // blocked, or full
  }
}

function noted(): Record<string, number> {
  try {
    return (JSON.parse(localStorage.getItem(STORE) ?? "{}") ?? {}) as Record<string, number>;
  } catch {
    return {};
  }
}
