import { HoldfastError, type Call, type CallEvent, type CallToolResult, type Open, type ProgressEvent, type Tool } from "holdfast";
import { advise } from "./advice.js";
import { counted, duration } from "./duration.js";
import { button, clipped, element, setAttributes, setText } from "./element.js";
import { showFailure } from "./failure.js";
import { tell } from "./narrative.js";
import { Output } from "./output.js";
import { Picture } from "./picture.js";
import { showResult } from "./result.js";
import { onTick } from "./ticker.js";
import { Trace, type Ending } from "./trace.js";

/** Where a call stands; also the card's data-state. */
export type CardState = "running" | Ending;

const WORDS: Record<CardState, string> = { running: "running", done: "done", failed: "failed", cancelled: "cancelled" };

/** What a person did about a question. */
const ANSWERS: Record<string, string> = { accept: "answered", decline: "declined", cancel: "closed it" };

/** One call: what it does now, what it said, what became of it. */
export class CallCard {
  readonly element: HTMLElement;
  readonly tool: Tool;
  readonly args: Open;
  readonly trace: Trace;
  state: CardState = "running";
  /** The latest progress. */
  progress: ProgressEvent | undefined;
  readonly #call: Call<CallToolResult>;
  readonly #again: () => void;
  readonly #changed: (card: CallCard, event: CallEvent | undefined) => void;
  readonly #picture: Picture;
  readonly #output: Output;
  readonly #status = element("span", { class: "call-state" }, WORDS.running);
  readonly #elapsed = element("span", { class: "elapsed" }, "0 ms");
  readonly #cancel: HTMLButtonElement;
  readonly #fill = element("div", { class: "progress-fill" });
  readonly #bar: HTMLElement;
  readonly #progressText = element("span", { class: "progress-text" });
  readonly #progressRow: HTMLElement;
  readonly #asks = element("div", { class: "asks-place" });
  readonly #counts = element("p", { class: "call-counts" });

  /** `again` makes the same call once more; `changed` hears of each event, and of the end (undefined). */
  constructor(
    tool: Tool,
    args: Open,
    call: Call<CallToolResult>,
    again: () => void,
    changed: (card: CallCard, event: CallEvent | undefined) => void,
  ) {
    this.tool = tool;
    this.args = args;
    this.#call = call;
    this.#again = again;
    this.#changed = changed;
    this.trace = new Trace(performance.now());
    this.#picture = new Picture(this.trace);
    const name = tool.title ?? tool.annotations?.title ?? tool.name;
    this.#output = new Output(`Output of ${name}`);
    this.#cancel = button("Cancel", { class: "quiet small", "data-testid": "cancel", "aria-label": `Cancel ${name}` }, () => call.cancel());
    this.#bar = element("div", { class: "progress", role: "progressbar", "aria-label": `Progress of ${name}`, "data-testid": "call-progress" }, this.#fill);
    this.#progressRow = element("div", { class: "call-progress" }, this.#bar, this.#progressText);
    this.element = element(
      "article",
      { class: "call", "data-testid": "call", "data-call-tool": tool.name, "data-state": "running", "aria-label": `Call of ${name}` },
      element(
        "header",
        { class: "call-head" },
        element("div", { class: "call-title" }, element("h3", {}, clipped(name, 100)), this.#status),
        element("div", { class: "call-side" }, this.#elapsed, this.#cancel),
        element("p", { class: "call-args" }, summary(tool, args)),
      ),
      this.#progressRow,
      this.#picture.element,
      this.#counts,
      this.#output.element,
      this.#asks,
    );
    const stop = onTick((now) => this.#tick(now));
    void this.#follow().finally(() => {
      stop();
      this.#tick(performance.now());
    });
  }

  /** Says what the server asks while this call runs; the dialog goes into the returned place. */
  asked(message: string): HTMLElement {
    this.#output.add(this.trace.elapsed(performance.now()), { tone: "notification", tag: "asks", text: message });
    return this.#asks;
  }

  /** Says what the person did about it. */
  answered(action: string): void {
    this.#output.add(this.trace.elapsed(performance.now()), { tone: "wire", tag: "you", text: ANSWERS[action] ?? action });
    this.#output.flush();
  }

  async #follow(): Promise<void> {
    try {
      for await (const event of this.#call) {
        this.#take(event);
        this.#changed(this, event);
      }
      this.#finish("done");
      const result = await this.#call.result;
      if (result.isError) {
        setAttributes(this.element, { "data-is-error": true });
        setText(this.#status, "the tool failed");
      }
      this.element.append(showResult(result));
    } catch (error) {
      this.#fail(error);
    }
    this.#changed(this, undefined);
  }

  #take(event: CallEvent): void {
    const now = performance.now();
    this.trace.take(event, now);
    if (event.type === "progress") this.progress = event;
    const line = tell(event);
    if (line) this.#output.add(this.trace.elapsed(now), line);
    // What happens to the connection is shown at once; messages wait for the tick.
    if (event.type === "status" || event.type === "resumed") this.#tick(now);
  }

  #fail(error: unknown): void {
    const failure =
      error instanceof HoldfastError ? error : new HoldfastError({ code: "runtime_exited", message: String(error), cause: error });
    this.#finish(failure.code === "cancelled" ? "cancelled" : "failed");
    const { again, ...advice } = advise(failure, this.tool);
    const actions = again === undefined ? [] : [button(again, { class: "small", "data-testid": "retry" }, this.#again)];
    this.element.append(showFailure(failure, "call-error", { ...advice, actions }));
  }

  #finish(how: Ending): void {
    this.state = how;
    this.trace.finish(how, performance.now());
    this.#cancel.remove();
    setAttributes(this.element, { "data-state": how });
    setText(this.#status, WORDS[how]);
  }

  #tick(now: number): void {
    setText(this.#elapsed, duration(this.trace.elapsed(now)));
    this.#showProgress();
    this.#picture.draw(now);
    this.#output.flush();
    this.#showCounts();
    // What the wire does now, for the colour of the state.
    setAttributes(this.element, { "data-wire": this.state === "running" ? this.trace.wire(now) : undefined });
    if (this.state === "running") setText(this.#status, this.#wireWords(now));
  }

  #wireWords(now: number): string {
    const wire = this.trace.wire(now);
    if (wire === "asked") return "asked to resume, no answer yet";
    if (wire !== "cut") return WORDS.running;
    const { due } = this.trace.last;
    if (due === undefined) return "cut, reconnecting";
    return `cut, next try in ${(Math.max(0, due - this.trace.elapsed(now)) / 1000).toFixed(1)} s`;
  }

  #showProgress(): void {
    const { progress, total } = this.progress ?? {};
    const running = this.state === "running";
    const known = typeof progress === "number" && typeof total === "number" && total > 0;
    const share = this.state === "done" ? 1 : known ? Math.min(1, Math.max(0, progress / total)) : 0;
    setAttributes(this.#bar, {
      "data-indeterminate": running && !known,
      "aria-valuemin": 0,
      "aria-valuemax": 100,
      "aria-valuenow": known || !running ? Math.round(share * 100) : undefined,
    });
    this.#fill.style.transform = `scaleX(${share})`;
    // A bar that never moved says nothing about a call that is over.
    this.#progressRow.hidden = !running && progress === undefined;
    if (known) setText(this.#progressText, `${progress} of ${total}`);
    else setText(this.#progressText, progress === undefined ? "no progress reported yet" : `${progress} so far`);
  }

  #showCounts(): void {
    const { messages, cuts, survived } = this.trace;
    this.#counts.hidden = this.state !== "running" && messages + cuts === 0;
    const parts = [`${counted(messages, "message")} received`];
    if (cuts > 0) parts.push(`${counted(cuts, "cut")}, ${survived} survived`);
    setText(this.#counts, parts.join(" · "));
  }
}

function summary(tool: Tool, args: Open): HTMLElement {
  const pairs = Object.entries(args).map(([name, value]) => `${name}: ${clipped(JSON.stringify(value) ?? "", 60)}`);
  return element("code", {}, clipped(`${tool.name}(${pairs.join(", ")})`, 300));
}
