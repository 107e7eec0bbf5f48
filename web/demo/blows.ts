// What hits both pages of the first page.

import { takeAway } from "./network.js";
import type { Side } from "./side.js";

/** What the red button does. */
export type Blow = "reload" | "cut" | "sleep";

/** How long the network is away, and how long pages sleep, in ms: longer than the official client tries. */
const AWAY = 5000;

/** The words of each: on the button before, on it after, and in the verdict. */
export const WORDS: Record<Blow, { now: string; done: string; said: string }> = {
  reload: { now: "Reload both pages now", done: "Both were reloaded", said: "Both pages were reloaded." },
  cut: {
    now: "Cut the network now", done: "The network is cut", said: "The network is away for five seconds.",
  },
  sleep: {
    now: "Put both to sleep now", done: "Both sleep",
    said: "Both pages are discarded, and come back after five seconds.",
  },
};

/** Hits both sides. Resolves when it has been done; rejects where the network cannot be taken away. */
export async function strike(blow: Blow, sides: Side[], stopped: AbortSignal): Promise<void> {
  if (blow === "reload") for (const side of sides) side.reload();
  if (blow === "cut") await takeAway(AWAY);
  if (blow !== "sleep") return;
  for (const side of sides) side.discard();
  setTimeout(() => {
    if (!stopped.aborted) for (const side of sides) side.load();
  }, AWAY);
}
