import type { CallEvent, Open } from "holdfast";
import { newKey } from "./calls.js";
import type { CallCard } from "./card.js";
import { counted } from "./duration.js";
import { part, setAttributes, setText } from "./element.js";

/** The call that the guide makes: twenty seconds, in which every number has to arrive. */
export const GUIDE_TOOL = "count";
const GUIDE_ARGS = { n: 40, delayMs: 500 } satisfies Open;

/** The beginning of its name in the journal, by which a later page knows it. */
const GUIDE_KEY = "guide";

const STEPS = ["run", "reload", "watch"] as const;
type Step = (typeof STEPS)[number];

/**
 * Three steps that show what Holdfast is for. They mark themselves off, and outlive the page as the call
 * does.
 */
export class Guide {
  readonly #box = part("guide");
  readonly #run = part<HTMLButtonElement>("guide-run");
  readonly #reload = part<HTMLButtonElement>("guide-reload");
  readonly #verdict = part("guide-verdict");
  readonly #hint = this.#verdict.textContent ?? "";
  #ready = false;
  #card: CallCard | undefined;
  /** The numbers that arrived, in order. */
  #numbers: number[] = [];

  /** `run` calls the tool under a name. */
  constructor(run: (args: Open, key: string) => CallCard | undefined) {
    this.#run.addEventListener("click", () => {
      this.#card = undefined;
      const card = run(GUIDE_ARGS, newKey(GUIDE_KEY));
      if (!card) return;
      this.#begin(card);
      this.#say(this.#hint);
      this.#mark("reload");
    });
    // The real thing: nothing of this page is left after it.
    this.#reload.addEventListener("click", () => location.reload());
    this.#mark("run");
  }

  /**
   * Whether the server is one that the guide knows its way about; `expected`
   * shows the guide while that server is still being connected to.
   */
  set available(available: boolean | "expected") {
    this.#box.hidden = available === false;
    this.#ready = available === true;
    this.#enable();
  }

  /**
   * Hears of every call on the page, and follows its own: the newest, also when the journal brings it back.
   */
  watch(card: CallCard, event: CallEvent | undefined): void {
    if (!card.call.key?.startsWith(`${GUIDE_KEY}-`)) return;
    if (card !== this.#card) {
      if (this.#card && this.#card.call.createdAt > card.call.createdAt) return;
      this.#begin(card);
    }
    if (event?.type === "resumed" && event.outcome === "restarted") this.#numbers = [];
    if (event?.type === "progress") this.#numbers.push(event.progress);
    if (event === undefined) this.#ended(card);
    else if (!this.#interrupted(card)) {
      this.#mark(card.call.followed ? "watch" : "reload");
    } else {
      const goesOn = event.type === "progress" && card.trace.wire(performance.now()) === "up";
      this.#mark("watch", goesOn);
      if (goesOn)
        this.#say(`It goes on: ${this.#numbers.length} of ${GUIDE_ARGS.n}, ${this.#inOrder()}.`, false);
    }
  }

  #begin(card: CallCard): void {
    this.#card = card;
    this.#numbers = [];
  }

  #interrupted({ trace }: CallCard): boolean {
    return trace.cuts + trace.marks.length > 0;
  }

  #ended(card: CallCard): void {
    if (card.state === "away") return;
    if (card.state === "done" && this.#interrupted(card)) {
      this.#mark("watch", true);
      const arrived = this.#numbers.length === GUIDE_ARGS.n
        ? `All ${GUIDE_ARGS.n}`
        : `${this.#numbers.length} of ${GUIDE_ARGS.n}`;
      this.#say(
        `${arrived} numbers arrived, ${this.#inOrder()}, over ${over(card)}${uncut(card)}. Now try worse.`,
      );
    } else if (card.state === "done" && card.call.followed) {
      this.#mark("run");
      this.#say("It finished, and both tabs have all of it.");
    } else {
      this.#mark("run");
      this.#say(
        card.state === "done" ? "It finished before the page was reloaded. Start another one." : this.#hint,
      );
    }
    setText(this.#run, "Start another");
  }

  /** Checks what arrived: 1, 2, 3 and so on, each once. */
  #inOrder(): string {
    return this.#numbers.every((number, i) => number === i + 1)
      ? "none missing, none twice"
      : "but not each exactly once";
  }

  #mark(now: Step, done = false): void {
    const at = STEPS.indexOf(now);
    STEPS.forEach((step, i) => {
      const state = i < at || (i === at && done) ? "done" : i === at ? "now" : "later";
      setAttributes(part(`step-${step}`), {
        "data-step": state, "aria-current": state === "now" ? "step" : undefined,
      });
    });
    this.#enable();
    // The obvious thing to click is the one of the present step.
    this.#run.classList.toggle("primary", now === "run" || (done && this.#card?.state !== "running"));
    this.#reload.classList.toggle("primary", now === "reload");
  }

  #enable(): void {
    const running = this.#card?.state === "running";
    this.#run.disabled = running || !this.#ready;
    this.#reload.disabled = !running;
  }

  /** Only what ends a step is read out: the numbers in between come too fast. */
  #say(text: string, aloud = true): void {
    setAttributes(this.#verdict, { "aria-live": aloud ? "polite" : "off" });
    setText(this.#verdict, text);
  }
}

/** What is said of a stream that nothing has cut. */
function uncut({ trace }: CallCard): string {
  return trace.cuts === 0 && trace.marks.every((mark) => mark.uncut)
    ? ", on one stream that was never cut"
    : "";
}

/** What a call has lived through. */
function over({ trace }: CallCard): string {
  const count = (...kinds: string[]): number => trace.marks.filter(({ kind }) => kinds.includes(kind)).length;
  const counts = [
    [count("reload", "page"), "reload"],
    [count("taken"), "takeover"],
    [count("joined"), "further page"],
    [count("disconnected"), "disconnection"],
    [count("killed"), "dead runtime"],
    [count("restarted"), "restart"],
    [trace.cuts, "cut"],
  ] as const;
  return counts.filter(([n]) => n > 0).map(([n, noun]) => counted(n, noun)).join(" and ");
}
