// The demo's first page: the same call in two pages, and what hits both in the middle of it. This module
// decides when; the hooks for tests are listed at the top of index.html.

import { strike, WORDS, type Blow } from "./blows.js";
import { element, part, setAttributes, setText } from "./element.js";
import { isStatic, ready } from "./network.js";
import { COUNT, type Told } from "./pane.js";
import { next, type Happening, type Phase } from "./phase.js";
import { Side } from "./side.js";

/** At which number of the left page both are hit, if nobody has done it before. */
const HIT = COUNT / 2;

const left = new Side("official", "A page with the official client");
const right = new Side("holdfast", "A page with Holdfast");
const sides = [left, right];
const button = part<HTMLButtonElement>("strike");
const stopButton = part<HTMLButtonElement>("stop");
let phase: Phase = "idle";
let blow: Blow = "reload";
let stopped = new AbortController();

function happens(happening: Happening): boolean {
  const to = next(phase, happening);
  if (!to) return false;
  phase = to;
  setAttributes(part("stage"), { "data-phase": phase });
  stopButton.hidden = phase === "idle" || phase === "ended";
  button.disabled = phase === "starting" || phase === "struck";
  setText(
    button,
    phase === "idle"
      ? "Start both"
      : phase === "ended" ? "Once more" : phase === "struck" ? WORDS[blow].done : WORDS[blow].now,
  );
  return true;
}

const say = (words: string): void => setText(part("verdict"), words);
const chosen = (): Blow => document.querySelector<HTMLInputElement>("[name=blow]:checked")!.value as Blow;

async function start(): Promise<void> {
  if (!happens("start")) return;
  stopped = new AbortController();
  const { signal } = stopped;
  say("Both pages count to 40.");
  try {
    await ready();
  } catch (error) {
    stop();
    return say(error instanceof Error ? error.message : String(error));
  }
  if (signal.aborted) return;
  // Two tabs may start in the same millisecond.
  const run = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  for (const side of sides) side.start(run);
}

function stop(): void {
  if (!happens("stop")) return;
  stopped.abort();
  for (const side of sides) side.discard();
  say("Stopped.");
}

function hit(): void {
  blow = chosen();
  if (!happens("strike")) return;
  for (const side of sides) if (!side.ended) side.mark(side.numbers);
  say(WORDS[blow].said);
  strike(blow, sides, stopped.signal).catch(() => say("The network could not be taken away."));
}

/** One side of the verdict. */
function outcome({ numbers, standing }: Side): string {
  return `${numbers} of ${COUNT}${standing === "done" ? "" : `, ${standing}`}`;
}

addEventListener("message", ({ data, origin }: MessageEvent<Told>) => {
  if (origin !== location.origin) return;
  const side = sides.find((each) => each.told(data));
  if (!side) return;
  if (side === left) setText(part("version"), data.client);
  if (phase === "starting" && sides.every(({ standing }) => standing === "ready")) {
    for (const each of sides) each.go();
    happens("begun");
  }
  if (sides.every(({ ended }) => ended)) {
    const why = sides.filter(({ standing }) => standing === "failed").map(({ words }) => ` ${words}`);
    if (happens("over"))
      say(`The official client: ${outcome(left)}. Holdfast: ${outcome(right)}.${why.join("")}`);
  } else if (phase === "running" && (left.numbers >= HIT || left.ended)) hit();
});

button.addEventListener("click", () => (phase === "running" ? hit() : void start()));
stopButton.addEventListener("click", stop);
for (const choice of document.querySelectorAll("[name=blow]")) {
  choice.addEventListener("change", () => {
    if (phase === "running") setText(button, WORDS[chosen()].now);
  });
}
if (isStatic)
  part("more").replaceChildren(
    element(
      "p", { class: "note" },
      "The server of this page is a service worker. The demo's other pages need a real one: make demo.",
    ),
  );

stopButton.hidden = true;
setText(button, "Start both");
// What moves by itself is not for everybody.
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) void start();
