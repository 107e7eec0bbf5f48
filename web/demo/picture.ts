import { counted, duration } from "./duration.js";
import { drawing, setAttributes, setText } from "./element.js";
import type { Segment, Trace } from "./trace.js";

/** Heights of the picture's rows, in CSS pixels. */
const HEIGHT = 62;
const TICK_TOP = 8;
const TICK_BOTTOM = 17;
const WIRE = 27;
const AXIS = 44;
const LABEL = 57;
const MARGIN = 9;

/**
 * The least time that the picture of a running call spans, in ms: its first
 * seconds run from left to right. That of a call that is over spans its time.
 */
const LEAST_SPAN = 8_000;

/** Distances between two times on the axis, in ms. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 30e3, 60e3, 120e3, 300e3, 600e3, 1800e3, 3600e3];

/**
 * A small picture of a stream over time: a line while the server streams, a gap
 * where the connection was cut with a dot for each try to reconnect, a tick for
 * each message, a ring where the runtime resumed. Each has a data-kind.
 */
export class Picture {
  readonly element = drawing("svg", { class: "picture", role: "img", height: HEIGHT, "data-testid": "call-picture" });
  readonly #axis = drawing("g", { class: "axis" });
  readonly #segments = drawing("g");
  readonly #messages = drawing("g");
  readonly #tries = drawing("g");
  readonly #resumes = drawing("g");
  readonly #end = drawing("path", { class: "end" });
  readonly #trace: Trace;
  #width = 0;
  #span = LEAST_SPAN;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.element.append(this.#axis, this.#segments, this.#messages, this.#tries, this.#resumes);
    new ResizeObserver(([entry]) => {
      this.#width = entry?.contentRect.width ?? 0;
      this.draw(performance.now());
    }).observe(this.element);
  }

  /** Draws the trace as it is now. */
  draw(now: number): void {
    if (this.#width === 0) return;
    const trace = this.#trace;
    const elapsed = trace.elapsed(now);
    this.#span = Math.max(trace.end ? 1 : LEAST_SPAN, elapsed);
    setAttributes(this.element, { viewBox: `0 0 ${this.#width} ${HEIGHT}`, "aria-label": spoken(trace, elapsed) });
    this.#drawAxis();
    fill(this.#segments, trace.segments.length, newSegment, (group, i) => this.#drawSegment(group, trace.segments[i]!, elapsed));
    fill(this.#messages, trace.messageTimes.length, newMessage, (line, i) => {
      const x = this.#x(trace.messageTimes[i]!);
      setAttributes(line, { x1: x, x2: x });
    });
    fill(this.#tries, trace.tryTimes.length, newTry, (dot, i) => setAttributes(dot, { cx: this.#x(trace.tryTimes[i]!) }));
    fill(this.#resumes, trace.resumedTimes.length, newResumed, (ring, i) => {
      setAttributes(ring, { cx: this.#x(trace.resumedTimes[i]!) });
    });
    if (trace.end) this.#drawEnd(trace.end.at, trace.end.how);
  }

  #x(at: number): number {
    return Math.round((MARGIN + (at / this.#span) * (this.#width - 2 * MARGIN)) * 10) / 10;
  }

  #drawAxis(): void {
    const room = Math.max(2, Math.floor(this.#width / 70));
    const step = STEPS.find((each) => this.#span / each <= room) ?? this.#span;
    fill(this.#axis, Math.floor(this.#span / step) + 1, newAxisMark, (group, i) => {
      const x = this.#x(i * step);
      setAttributes(group.children[0]!, { x1: x, x2: x });
      setAttributes(group.children[1]!, { x, "text-anchor": i === 0 ? "start" : x > this.#width - 24 ? "end" : "middle" });
      setText(group.children[1]!, axisLabel(i * step, this.#span));
    });
  }

  #drawSegment(group: SVGGElement, segment: Segment, elapsed: number): void {
    const [title, band, wire, label] = group.children as unknown as [Element, Element, Element, Element];
    const to = segment.to ?? elapsed;
    const from = this.#x(segment.from);
    // A cut of a few ms has to be seen as well.
    const width = Math.max(segment.kind === "cut" ? 3 : 0.5, this.#x(to) - from);
    const time = duration(to - segment.from);
    setAttributes(group, { "data-kind": segment.kind, "data-why": segment.why });
    setAttributes(band, { x: from, width });
    setAttributes(wire, { x1: from, x2: from + width });
    setAttributes(label, { x: from + width / 2 });
    setText(label, segment.kind === "cut" && width > 8 * time.length ? time : "");
    setText(title, tooltip(segment, time));
  }

  #drawEnd(at: number, how: string): void {
    const x = this.#x(at);
    const r = 5;
    const shape =
      how === "failed"
        ? `M${x - r} ${WIRE - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`
        : how === "cancelled"
          ? `M${x - r} ${WIRE - r}h${2 * r}v${2 * r}h${-2 * r}z`
          : `M${x - r - 1} ${WIRE}a${r + 1} ${r + 1} 0 1 0 ${2 * r + 2} 0a${r + 1} ${r + 1} 0 1 0 ${-2 * r - 2} 0z`;
    setAttributes(this.#end, { d: shape, "data-kind": "end", "data-how": how });
    if (!this.#end.parentNode) this.element.append(this.#end);
  }
}

/** Makes the group hold `count` children, and draws each: elements are used again. */
function fill<T extends SVGElement>(group: SVGGElement, count: number, make: () => T, draw: (child: T, index: number) => void): void {
  while (group.children.length > count) group.lastElementChild!.remove();
  while (group.children.length < count) group.append(make());
  for (let i = 0; i < count; i++) draw(group.children[i] as T, i);
}

function newAxisMark(): SVGGElement {
  const group = drawing("g");
  group.append(drawing("line", { y1: TICK_TOP, y2: AXIS }), drawing("text", { y: LABEL }));
  return group;
}

function axisLabel(at: number, span: number): string {
  if (at === 0) return "0";
  if (span < 1000) return `${at} ms`;
  return span < 600_000 ? `${at / 1000} s` : `${at / 60_000} min`;
}

function newSegment(): SVGGElement {
  const group = drawing("g", { class: "segment" });
  group.append(
    drawing("title"),
    drawing("rect", { class: "band", y: TICK_TOP - 4, height: AXIS - TICK_TOP + 4, rx: 3 }),
    drawing("line", { class: "wire", y1: WIRE, y2: WIRE }),
    drawing("text", { class: "gap", y: WIRE + 14 }),
  );
  return group;
}

function newMessage(): SVGLineElement {
  return drawing("line", { class: "message", y1: TICK_TOP, y2: TICK_BOTTOM, "data-kind": "message" });
}

function newTry(): SVGCircleElement {
  return drawing("circle", { class: "try", cy: WIRE, r: 3.5, "data-kind": "try" });
}

function newResumed(): SVGCircleElement {
  return drawing("circle", { class: "resumed", cy: WIRE, r: 5, "data-kind": "resumed" });
}

function tooltip(segment: Segment, time: string): string {
  if (segment.kind === "sent") return `sent; no answer for ${time}`;
  if (segment.kind === "up") return `up for ${time}`;
  if (segment.kind === "asked") return `asked to resume; no answer for ${time}`;
  return `no connection for ${time}`;
}

function spoken(trace: Trace, elapsed: number): string {
  const cuts = trace.cuts === 0 ? "never cut" : `${counted(trace.cuts, "cut")}, ${trace.survived} survived`;
  const seconds = `${Math.round(elapsed / 1000)} s`;
  return `The stream over ${seconds}: ${counted(trace.messages, "message")}, ${cuts}${trace.end ? `, ${trace.end.how}` : ""}`;
}
