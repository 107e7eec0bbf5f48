// One side of the first page: its counter, its track, and the frame with its page. What a page that is gone
// had said stays on its counter: this page has seen it.

import { element, part, setAttributes, setText } from "./element.js";
import { COUNT, GO, type Standing, type Told, type Which } from "./pane.js";

/** What a counter ends with; the others say it by their number. */
const ENDS: Partial<Record<Standing, string>> = { lost: "lost", failed: "failed", done: "all here" };

/** One side. */
export class Side {
  #frame: HTMLIFrameElement | undefined;
  #run = "";
  #numbers = 0;
  #standing: Standing = "connecting";
  #words = "";
  readonly #root: HTMLElement;

  constructor(
    readonly which: Which,
    private readonly title: string,
  ) {
    this.#root = part(which);
  }

  get numbers(): number {
    return this.#numbers;
  }
  get standing(): Standing {
    return this.#standing;
  }
  /** What its page says. */
  get words(): string {
    return this.#words;
  }
  /** Whether nothing more comes. */
  get ended(): boolean {
    return this.#standing === "lost" || this.#standing === "failed" || this.#standing === "done";
  }

  /** Begins a run. */
  start(run: string): void {
    this.#run = run;
    this.#numbers = 0;
    this.#standing = "connecting";
    this.#draw();
    this.mark(undefined);
    this.discard();
    this.load();
  }

  /** Loads the page of the run. */
  load(): void {
    const frame = element("iframe", {
      title: this.title, src: `${this.which}.html?run=${encodeURIComponent(this.#run)}`,
    });
    this.#root.querySelector(".frame")!.replaceChildren(frame);
    this.#frame = frame;
  }

  /** Takes the page away, as a browser that needs the memory does. */
  discard(): void {
    this.#frame = undefined;
    this.#root.querySelector(".frame")!.replaceChildren(
      element("p", { class: "gone" }, "No page: it was discarded."),
    );
  }

  /** Reloads the page, as its reader would. */
  reload(): void {
    this.#frame?.contentWindow?.location.reload();
  }

  /** Lets the page make its call. */
  go(): void {
    this.#frame?.contentWindow?.postMessage(GO, location.origin);
  }

  /** Marks where it was hit. */
  mark(at: number | undefined): void {
    this.#root.style.setProperty("--hit", at === undefined ? "-1" : String(at));
    setAttributes(this.#root, { "data-hit": at });
  }

  /** What a page has told; false where it is not of this side's run, or after its end. */
  told(told: Told): boolean {
    if (told.pane !== this.which || told.run !== this.#run || this.ended) return false;
    this.#numbers = Math.max(this.#numbers, told.numbers);
    this.#standing = told.standing === "done" && this.#numbers < COUNT ? "lost" : told.standing;
    this.#words = told.words;
    this.#draw();
    return true;
  }

  #draw(): void {
    setAttributes(this.#root, { "data-standing": this.#standing });
    setText(this.#root.querySelector(".number")!, String(this.#numbers));
    setText(this.#root.querySelector(".end")!, ENDS[this.#standing] ?? "");
    this.#root.style.setProperty("--numbers", String(this.#numbers));
  }
}
