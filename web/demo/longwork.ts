import type { CallEvent, Open } from "holdfast";
import { newKey } from "./calls.js";
import type { CallCard } from "./card.js";
import { counted } from "./duration.js";
import { part, setAttributes, setText } from "./element.js";
import { hourOf, minutes, passHour } from "./hour.js";
import { onTick } from "./ticker.js";

/** One piece of long work: the tool that does it, and how its state is told. */
interface Work {
  /** Also the beginning of its calls' names in the journal, and of the ids in inspector.html. */
  name: "report" | "form" | "hour";
  tool: string;
  args: Open;
  tell(card: CallCard): string;
}

const WORKS: Work[] = [
  { name: "report", tool: "survey_shore", args: { parts: 24, delayMs: 450 }, tell: tellReport },
  { name: "form", tool: "reserve_berth", args: {}, tell: tellForm },
  { name: "hour", tool: "watch_tide", args: {}, tell: tellHour },
];

/** The tools that the pieces need. */
export const WORK_TOOLS: readonly string[] = WORKS.map(({ tool }) => tool);

/**
 * Three pieces of work that take longer than a page lives. What is said of each outlives the page as its call
 * does.
 */
export class LongWork {
  readonly #box = part("works");
  readonly #hour = part<HTMLButtonElement>("work-hour-away");
  readonly #pieces = WORKS.map((work) => ({
    work,
    run: part<HTMLButtonElement>(`work-${work.name}-run`),
    verdict: part(`work-${work.name}-verdict`),
    hint: part(`work-${work.name}-verdict`).textContent ?? "",
    card: undefined as CallCard | undefined,
  }));
  #ready = false;
  #ticking: (() => void) | undefined;

  /** `run` calls a tool under a name; `failed` hears why the network could not be taken away. */
  constructor(
    run: (tool: string, args: Open, key: string) => CallCard | undefined, failed: (why: string) => void,
  ) {
    for (const piece of this.#pieces) {
      const { name, tool, args } = piece.work;
      piece.run.addEventListener("click", () => {
        piece.card = run(tool, args, newKey(name)) ?? piece.card;
        this.#show();
      });
    }
    this.#hour.addEventListener("click", () => {
      const { card } = this.#pieces.find(({ work }) => work.name === "hour")!;
      if (!card?.call.key) return;
      this.#hour.disabled = true;
      passHour(card.call.key, card.trace.parts.had).then(
        ({ from, to }) => card.away(to - from),
        (error: unknown) => failed(error instanceof Error ? error.message : String(error)),
      ).finally(() => this.#show());
    });
  }

  /** Whether the server does such work; `expected` shows it while that server is still being connected to. */
  set available(available: boolean | "expected") {
    this.#box.hidden = available === false;
    this.#ready = available === true;
    this.#show();
  }

  /**
   * Hears of every call on the page, and follows the newest of each piece, also when the journal brings it
   * back.
   */
  watch(card: CallCard, _event: CallEvent | undefined): void {
    const piece = this.#pieces.find(({ work }) => card.call.key?.startsWith(`${work.name}-`));
    if (!piece || (piece.card && piece.card !== card && piece.card.call.createdAt > card.call.createdAt))
      return;
    piece.card = card;
    this.#show();
  }

  #show(): void {
    for (const { work, run, verdict, hint, card } of this.#pieces) {
      const running = card?.state === "running";
      run.disabled = running || !this.#ready;
      run.classList.toggle("primary", !running);
      setAttributes(part(`work-${work.name}`), {
        "data-step": running ? "now" : card?.state === "done" ? "done" : "later",
      });
      setText(verdict, card ? work.tell(card) : hint);
      if (work.name === "hour") this.#showHour(card);
    }
    const busy = this.#pieces.some(({ card }) => card?.state === "running");
    if (busy) this.#ticking ??= onTick(() => this.#show());
    else {
      this.#ticking?.();
      this.#ticking = undefined;
    }
  }

  #showHour(card: CallCard | undefined): void {
    const possible = card?.state === "running" && card.trace.parts.had > 0 && !hourOf(card.call.key ?? "");
    this.#hour.disabled = !possible;
    this.#hour.classList.toggle("primary", possible);
  }
}

/** What the call has lived through besides. */
function over({ trace }: CallCard): string {
  const reloads = trace.marks.filter(({ kind }) => kind === "reload" || kind === "page").length;
  return reloads > 0 ? ` Over ${counted(reloads, "reload")}.` : "";
}

/** The end of a call in words, where it was no good one. */
function otherwise({ state }: CallCard): string {
  if (state === "away") return "Not here now. It comes back.";
  return state === "cancelled" ? "Cancelled." : "It failed; its card says why.";
}

function tellReport(card: CallCard): string {
  const { parts } = card.trace;
  if (card.state === "done") {
    return `All ${parts.had} parts are here, in order, each once: ${parts.late} had been lost and were ` +
      `fetched, ${parts.repeated} came again and were dropped.${over(card)}`;
  }
  if (card.state !== "running") return otherwise(card);
  const [missing] = parts.which("missing");
  const held = parts.which("held").length;
  if (missing !== undefined)
    return `Part ${missing} is missing, and is asked for. ${counted(held, "later part")} ` +
      `${held === 1 ? "waits" : "wait"} for it.`;
  return `${counted(parts.had, "part")} so far. Reload the page if you like.`;
}

function tellForm(card: CallCard): string {
  if (card.state === "done") return `You answered once, and the work went on.${over(card)}`;
  if (card.state !== "running") return otherwise(card);
  return card.asking
    ? "It waits for your answer. Type something, and reload the page: it is still there."
    : "It works. A question comes in a moment.";
}

function tellHour(card: CallCard): string {
  const { parts } = card.trace;
  const hour = hourOf(card.call.key ?? "");
  const passed = hour ? minutes(hour) : undefined;
  if (card.state === "done") {
    const away = hour ? ` ${parts.had - hour.had} of them were made while this page had no network.` : "";
    return `All ${parts.had} readings are here.${away}${over(card)}`;
  }
  if (card.state !== "running") return otherwise(card);
  if (passed === undefined)
    return parts.had === 0
      ? "It begins."
      : "One reading a minute: it takes an hour. Take the network away for that long.";
  return passed < 60
    ? `No network, and ${counted(passed, "minute")} have passed. The work goes on without this page.`
    : "The network is back. The page asks for what it has missed.";
}
