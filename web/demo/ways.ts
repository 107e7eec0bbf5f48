import type { CallEvent, Open } from "holdfast";
import { newKey } from "./calls.js";
import type { CallCard } from "./card.js";
import { counted } from "./duration.js";
import { part, setAttributes, setText } from "./element.js";
import { drawTrail, stops } from "./trail.js";

/** One way to resume: the tool that shows it, and the request that does it. */
interface Way {
  /** Also the beginning of its calls' names in the journal, and of the ids in inspector.html. */
  name: "token" | "task";
  tool: string;
  /** What takes the call up again. */
  method: string;
}

const WAYS: Way[] = [
  { name: "token", tool: "sound_channel", method: "requests/resume" },
  { name: "task", tool: "tow_barge", method: "tasks/continue" },
];

/** A way on the page, and the newest call that goes it. */
interface Shown {
  way: Way;
  run: HTMLButtonElement;
  reload: HTMLButtonElement;
  verdict: HTMLElement;
  trail: HTMLElement;
  /** What the verdict says before there is a call. */
  hint: string;
  card: CallCard | undefined;
  /** The numbers that arrived, in order. */
  numbers: number[];
  /** Where the task says that it is. */
  at: string;
}

/** The tools that the ways need. */
export const WAY_TOOLS: readonly string[] = WAYS.map(({ tool }) => tool);

/**
 * Two ways in which a later page takes up a call. What is said of each outlives the page as its call does.
 */
export class Ways {
  readonly #box = part("ways");
  readonly #shown = WAYS.map((way): Shown => ({
    way,
    run: part<HTMLButtonElement>(`way-${way.name}-run`),
    reload: part<HTMLButtonElement>(`way-${way.name}-reload`),
    verdict: part(`way-${way.name}-verdict`),
    trail: part(`way-${way.name}-trail`),
    hint: part(`way-${way.name}-verdict`).textContent ?? "",
    card: undefined,
    numbers: [],
    at: "",
  }));
  #ready = false;

  /** `run` calls a tool under a name. */
  constructor(run: (tool: string, args: Open, key: string) => CallCard | undefined) {
    for (const each of this.#shown) {
      each.run.addEventListener("click", () => {
        const card = run(each.way.tool, {}, newKey(each.way.name));
        if (card) this.#begin(each, card);
        this.#show();
      });
      // The real thing: nothing of this page is left after it.
      each.reload.addEventListener("click", () => location.reload());
    }
  }

  /**
   * Whether the server has such tools; `expected` shows them while that server is still being connected to.
   */
  set available(available: boolean | "expected") {
    this.#box.hidden = available === false;
    this.#ready = available === true;
    this.#show();
  }

  /**
   * Hears of every call on the page, and follows the newest of each way, also when the journal brings it
   * back.
   */
  watch(card: CallCard, event: CallEvent | undefined): void {
    const each = this.#shown.find(({ way }) => card.call.key?.startsWith(`${way.name}-`));
    if (!each || (each.card && each.card !== card && each.card.call.createdAt > card.call.createdAt)) return;
    if (each.card !== card) this.#begin(each, card);
    if (event?.type === "progress") each.numbers.push(event.progress);
    if (event?.type === "task" && event.message !== undefined) each.at = event.message;
    this.#show();
  }

  /** A request has left for a call. */
  sent(): void {
    this.#show();
  }

  #begin(each: Shown, card: CallCard): void {
    each.card = card;
    each.numbers = [];
    each.at = "";
  }

  #show(): void {
    for (const each of this.#shown) {
      const { way, run, reload, verdict, trail, hint, card } = each;
      const running = card?.state === "running";
      run.disabled = running || !this.#ready;
      run.classList.toggle("primary", !running);
      // A reload before the token or the task is stored would end the call.
      reload.disabled = !running || card.call.guarantee === "lost-on-reload";
      reload.classList.toggle("primary", !reload.disabled);
      setAttributes(part(`way-${way.name}`), {
        "data-step": running ? "now" : card?.state === "done" ? "done" : "later",
      });
      setText(verdict, card ? tell(each.way, card, each.numbers, each.at) : hint);
      drawTrail(trail, card ? stops(card.trace) : []);
    }
  }
}

function tell({ name, method }: Way, card: CallCard, numbers: readonly number[], at: string): string {
  const reloads = card.trace.marks.filter(({ kind }) => kind === "reload" || kind === "page").length;
  const over = reloads > 0 ? ` Over ${counted(reloads, "reload")}, taken up by ${method}.` : "";
  if (card.state === "away") return "Not here now. It comes back.";
  if (card.state === "cancelled") return "Cancelled.";
  if (card.state === "failed") return "It failed; its card says why.";
  const whole = numbers.every((number, i) => number === i + 1);
  if (card.state === "done") {
    const calls = card.trace.sent.filter(
      (sent) => sent.method === "tools/call",
    ).reduce((sum, { times }) => sum + times, 0);
    const from = calls === 1 ? ", from one tools/call" : "";
    if (name === "task") return `The task is done${from}.${over}`;
    return `All ${numbers.length} soundings are here, ` +
      `${whole ? "none missing, none twice" : "but not each exactly once"}${from}.${over}`;
  }
  const now = name === "task"
    ? `${at === "" ? "It begins" : `Now at ${at}`}.`
    : `${counted(numbers.length, "sounding")} so far.`;
  return reloads > 0 ? `${now} This page took it up by ${method}.` : `${now} Reload the page now.`;
}
