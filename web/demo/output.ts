import { duration } from "./duration.js";
import { clipped, element } from "./element.js";
import type { Line } from "./narrative.js";

/** Lines that stay in the page, and characters of each. */
const MAX_LINES = 500;
const MAX_LINE = 4_000;

/** What a call has said, line by line. Bounded: a server may say a great deal. */
export class Output {
  readonly element = element("div", { class: "output", hidden: true });
  readonly #lines: HTMLElement;
  readonly #earlier = element("p", { class: "earlier", hidden: true });
  #waiting: { at: number | undefined; line: Line }[] = [];
  #dropped = 0;
  /** Whether the reader is at the end: a page that is resized moves it away, but only a person scrolls. */
  #following = true;
  #width = 0;

  /** `testId` is the hook of its lines. */
  constructor(label: string, testId = "call-output") {
    // Reading every line out would drown everything else, hence no live region.
    this.#lines = element("div", {
      class: "lines", role: "log", "aria-live": "off", "aria-label": label, tabindex: 0,
        "data-testid": testId,
    });
    this.#lines.append(this.#earlier);
    this.#lines.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight, clientWidth } = this.#lines;
      if (clientWidth !== this.#width) this.#resized();
      else this.#following = scrollHeight - scrollTop - clientHeight < 24;
    });
    new ResizeObserver(() => this.#resized()).observe(this.#lines);
    this.element.append(this.#lines);
  }

  /** Adds a line, with its time where that is known; it is shown by the next {@link Output.flush}. */
  add(at: number | undefined, line: Line): void {
    this.#waiting.push({ at, line });
    if (this.#waiting.length > MAX_LINES) {
      this.#waiting.shift();
      this.#dropped++;
    }
  }

  /** Shows what was added. Follows the end, unless the reader has scrolled up. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const box = this.#lines;
    box.append(...this.#waiting.splice(0).map(({ at, line }) => row(at, line)));
    // The first child is the note on earlier lines.
    while (box.children.length > MAX_LINES + 1) {
      box.children[1]!.remove();
      this.#dropped++;
    }
    if (this.#dropped > 0) {
      this.#earlier.hidden = false;
      this.#earlier.textContent = `… ${this.#dropped.toLocaleString("en")} earlier lines are not kept`;
    }
    this.element.hidden = false;
    if (this.#following) box.scrollTop = box.scrollHeight;
  }

  #resized(): void {
    this.#width = this.#lines.clientWidth;
    if (this.#following) this.#lines.scrollTop = this.#lines.scrollHeight;
  }
}

function row(at: number | undefined, { tone, tag, text }: Line): HTMLElement {
  return element(
    "div",
    { class: "line", "data-tone": tone },
    element("span", { class: "at" }, at === undefined ? "" : duration(at)),
    element(
      "span", { class: "text" }, tag ? element("span", { class: "tag" }, tag) : undefined,
      clipped(text, MAX_LINE),
    ),
  );
}
