import { drawing, element, setAttributes, setText } from "./element.js";
import type { Parts, PartState } from "./parts.js";

/**
 * Sizes in CSS pixels: the least width of a cell, its height, the room above it for ticks, and between two.
 */
const LEAST = 23;
const MOST = 44;
const HEIGHT = 20;
const ABOVE = 7;
const GAP = 3;

/** Parts that are drawn: the last ones. */
const MAX_DRAWN = 240;

const WORDS: Record<PartState, string> = {
  due: "is not made yet",
  missing: "is missing",
  held: "is here, and waits for a missing one",
  here: "is here",
  late: "was missing, and came later",
};

/**
 * A streamed result, one cell for each numbered part: a hole where one is
 * missing, a cell with a marked corner where it came later, a tick above one for
 * each time that it came again. Each has a data-part and a data-is.
 */
export class PartPicture {
  readonly element = element("figure", { class: "parts", hidden: true, "data-testid": "call-parts" });
  readonly #svg = drawing("svg", { role: "img" });
  readonly #parts: Parts;
  #width = 0;
  #expected = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.element.append(this.#svg, legend());
    new ResizeObserver(([entry]) => {
      this.#width = entry?.contentRect.width ?? 0;
      this.draw(this.#expected);
    }).observe(this.element);
  }

  /** Draws the parts as they are now; so many are `expected`, if that is known. */
  draw(expected: number): void {
    this.#expected = expected;
    const parts = this.#parts;
    this.element.hidden = parts.last === 0;
    if (this.#width === 0) return;
    const count = Math.max(parts.last, Math.min(expected, MAX_DRAWN));
    const first = Math.max(0, count - MAX_DRAWN);
    const row = Math.max(1, Math.floor((this.#width + GAP) / (LEAST + GAP)));
    const width = Math.min(MOST, (this.#width + GAP) / Math.min(row, count - first) - GAP);
    const rows = Math.ceil((count - first) / row);
    setAttributes(this.#svg, {
      width: this.#width,
      height: rows * (ABOVE + HEIGHT + GAP),
      "aria-label": `${parts.had} of ${count} parts are here, ${parts.which("missing").length} missing ` +
        `now, ${parts.late} came later, ${parts.repeated} more than once`,
    });
    while (this.#svg.children.length > count - first) this.#svg.lastElementChild!.remove();
    while (this.#svg.children.length < count - first) this.#svg.append(newCell());
    for (let i = 0; i < count - first; i++) {
      this.#drawCell(
        this.#svg.children[i]!, first + i + 1, (i % row) * (width + GAP),
        Math.floor(i / row) * (ABOVE + HEIGHT + GAP) + ABOVE, width,
      );
    }
  }

  #drawCell(cell: Element, n: number, x: number, y: number, width: number): void {
    const [title, box, corner, ticks, text] = cell.children as unknown as [
      Element, Element, Element, Element, Element,
    ];
    const state = this.#parts.state(n);
    const again = this.#parts.again(n);
    setAttributes(cell, { "data-part": n, "data-is": state, "data-again": again > 0 ? again : undefined });
    setAttributes(box, { x: x + 0.75, y: y + 0.75, width: width - 1.5 });
    setAttributes(corner, { d: state === "late" ? `M${x + 1} ${y + 1}h8l-8 8z` : undefined });
    const middle = x + width / 2;
    const strokes = Array.from(
      { length: Math.min(again, 3) },
      (_, i) => `M${middle - 4 * (Math.min(again, 3) - 1) / 2 + 4 * i} ${y - 6}v4.5`,
    );
    setAttributes(ticks, { d: strokes.length > 0 ? strokes.join("") : undefined });
    setAttributes(text, { x: middle, y: y + 14.5 });
    setText(text, String(n));
    setText(title, `Part ${n} ${WORDS[state]}${again > 0 ? `; it came ${again + 1} times` : ""}`);
  }
}

function newCell(): SVGGElement {
  const group = drawing("g", { class: "part" });
  group.append(
    drawing("title"),
    drawing("rect", { height: HEIGHT - 1.5, rx: 4 }),
    drawing("path", { class: "corner" }),
    drawing("path", { class: "ticks" }),
    drawing("text", { "text-anchor": "middle" }),
  );
  return group;
}

/** What the cells mean. */
function legend(): HTMLElement {
  const entry = (state: PartState | "again", words: string): HTMLElement =>
    element("span", {}, element("i", { class: "swatch", "data-is": state }), words);
  return element(
    "figcaption",
    {},
    entry("here", "arrived"),
    entry("missing", "missing"),
    entry("held", "waits for it"),
    entry("late", "filled later"),
    entry("again", "came again, dropped"),
  );
}
