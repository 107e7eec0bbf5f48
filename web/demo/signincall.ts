import type { Call, CallToolResult } from "holdfast";
import { element, part, setAttributes, setText } from "./element.js";

/** The calls of the page, by their keys in the journal. */
export const CALLS = {
  count: { tool: "count", args: { n: 60, delayMs: 600 }, title: "Count to 60" },
  sign: { tool: "sign_log", args: {}, title: "Sign the log" },
} as const;

/** Which of them. */
export type CallName = keyof typeof CALLS;

/** Where a call stands. */
type State = "awaiting_authorization" | "running" | "away" | "done" | "failed";

const WORDS: Record<State, string> = {
  awaiting_authorization: "awaiting authorization",
  running: "running",
  away: "connecting",
  done: "done",
  failed: "failed",
};

/** One call on the page: its row, and what has come of it. */
export class SignInCall {
  readonly name: CallName;
  state: State = "away";
  /** The numbers that came, in order. */
  readonly numbers: number[] = [];
  #result = "";
  #followed = false;
  readonly #changed: () => void;
  readonly #is = element("span", { class: "call-is", "data-testid": "signin-call-state" });
  readonly #fill = element("div", { class: "progress-fill" });
  readonly #line = element("p", { class: "result-line", "data-testid": "signin-call-result" });
  readonly #row: HTMLLIElement;

  /** A row for a call that is wanted; {@link follow} is told when there is one. */
  constructor(name: CallName, changed: () => void) {
    this.name = name;
    this.#changed = changed;
    const bar = name === "count" ? element("div", { class: "progress" }, this.#fill) : undefined;
    this.#row = element(
      "li", { "data-testid": "signin-call", "data-call": name }, element("strong", {}, CALLS[name].title),
      this.#is, bar, this.#line,
    );
    part("calls").append(this.#row);
    this.#show();
  }

  /** Whether it is over, in whatever way. */
  get over(): boolean {
    return this.state === "done" || this.state === "failed";
  }

  /** Whether each number is here, once. */
  get whole(): boolean {
    return this.numbers.length === CALLS.count.args.n && this.numbers.every((number, i) => number === i + 1);
  }

  /** It is wanted, and nobody may make it yet. */
  wait(): void {
    if (this.#followed) return;
    this.state = "awaiting_authorization";
    this.#show();
  }

  /** Reads a call from its start, to its end. */
  async follow(call: Call<CallToolResult>): Promise<void> {
    this.#followed = true;
    this.#enter("running");
    void call.result.then(
      ({ content }) => {
        const [first] = content;
        this.#result = first?.type === "text" ? first.text : "";
        this.#enter("done");
      },
      (error: unknown) => {
        this.#result = String(error);
        this.#enter("failed");
      },
    );
    try {
      for await (const event of call) {
        if (event.type === "progress") this.numbers.push(event.progress);
        if (event.type === "status" && !this.over) {
          this.state = event.state === "awaiting_authorization"
            ? event.state
            : event.state === "open" || event.state === "owned" || event.state === "followed"
              ? "running"
              : "away";
        } else if (event.type === "progress" && !this.over) this.state = "running";
        this.#show();
        this.#changed();
      }
    } catch {
      // Its result says so.
    }
  }

  #enter(state: State): void {
    this.state = state;
    this.#show();
    this.#changed();
  }

  #show(): void {
    const { n } = CALLS.count.args;
    setAttributes(this.#row, { "data-state": this.state });
    // A call that is there says how far it is, also while its stream is not.
    const far = this.name === "count" && this.#followed && !this.over
      ? [`${this.numbers.length} of ${n}`]
      : [];
    const is = this.state === "running" && far.length > 0 ? [] : [WORDS[this.state]];
    setText(this.#is, [...far, ...is].join(", "));
    this.#fill.style.transform = `scaleX(${this.numbers.length / n})`;
    setText(this.#line, this.#result);
  }
}
