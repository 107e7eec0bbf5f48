import type { CallEvent, Open } from "holdfast";
import type { CallCard } from "./card.js";
import { counted } from "./duration.js";
import { part, setAttributes, setText } from "./element.js";

/** The call that the guide makes: sixteen seconds, in which every number has to arrive. */
export const GUIDE_TOOL = "count";
const GUIDE_ARGS = { n: 40, delayMs: 400 } satisfies Open;

const STEPS = ["run", "cut", "watch"] as const;
type Step = (typeof STEPS)[number];

/** What the guide can do to the page. */
export interface GuideUse {
  /** Calls the tool. */
  run(args: Open): CallCard | undefined;
  /** Cuts the connection. */
  cut(): void;
}

/** Three steps that show what Holdfast is for. They mark themselves off. */
export class Guide {
  readonly #box = part("guide");
  readonly #run = part<HTMLButtonElement>("guide-run");
  readonly #cut = part<HTMLButtonElement>("guide-cut");
  readonly #verdict = part("guide-verdict");
  readonly #hint = this.#verdict.textContent ?? "";
  #ready = false;
  #card: CallCard | undefined;
  /** The numbers that arrived, in order. */
  #numbers: number[] = [];

  constructor(use: GuideUse) {
    this.#run.addEventListener("click", () => {
      this.#numbers = [];
      this.#card = use.run(GUIDE_ARGS);
      this.#say(this.#hint);
      this.#mark("cut");
    });
    this.#cut.addEventListener("click", () => use.cut());
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

  /** Hears of every call on the page, and follows its own. */
  watch(card: CallCard, event: CallEvent | undefined): void {
    if (card !== this.#card) return;
    if (event?.type === "progress") this.#numbers.push(event.progress);
    const { cuts, survived } = card.trace;
    if (event === undefined) this.#ended(card);
    else if (cuts === 0) return;
    else if (survived < cuts) this.#mark("watch");
    else if (event.type === "progress") {
      this.#mark("watch", true);
      this.#say(`It goes on: ${this.#numbers.length} of ${GUIDE_ARGS.n}, ${this.#inOrder()}.`, false);
    }
  }

  #ended(card: CallCard): void {
    const { cuts } = card.trace;
    if (card.state === "done" && cuts > 0) {
      this.#mark("watch", true);
      const arrived = this.#numbers.length === GUIDE_ARGS.n ? `All ${GUIDE_ARGS.n}` : `${this.#numbers.length} of ${GUIDE_ARGS.n}`;
      this.#say(`${arrived} numbers arrived, ${this.#inOrder()}, over ${counted(cuts, "cut")}. Now try worse.`);
    } else {
      this.#mark("run");
      this.#say(card.state === "done" ? "It finished before the wire was cut. Start another one." : this.#hint);
    }
    setText(this.#run, "Start another");
  }

  /** Checks what arrived: 1, 2, 3 and so on, each once. */
  #inOrder(): string {
    return this.#numbers.every((number, i) => number === i + 1) ? "none missing, none twice" : "but not each exactly once";
  }

  #mark(now: Step, done = false): void {
    const at = STEPS.indexOf(now);
    STEPS.forEach((step, i) => {
      const state = i < at || (i === at && done) ? "done" : i === at ? "now" : "later";
      setAttributes(part(`step-${step}`), { "data-step": state, "aria-current": state === "now" ? "step" : undefined });
    });
    this.#enable();
    // The obvious thing to click is the one of the present step.
    this.#run.classList.toggle("primary", now === "run" || done);
    this.#cut.classList.toggle("primary", now === "cut");
  }

  #enable(): void {
    const running = this.#card?.state === "running";
    this.#run.disabled = running || !this.#ready;
    this.#cut.disabled = !running;
  }

  /** Only what ends a step is read out: the numbers in between come too fast. */
  #say(text: string, aloud = true): void {
    setAttributes(this.#verdict, { "aria-live": aloud ? "polite" : "off" });
    setText(this.#verdict, text);
  }
}
