import { counted, duration } from "./duration.js";
import { drawing, setAttributes, setText } from "./element.js";
import type { Mark, Segment, Trace } from "./trace.js";

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

/** Room above for what happened to the page, and the width of one character of it. */
const MARK_ROOM = 17;
const MARK_CHAR = 7.2;

const MARK_WORDS: Record<Mark["kind"], string> = {
  reload: "page reloaded",
  page: "another page",
  killed: "runtime killed",
  disconnected: "disconnected",
  taken: "taken over",
  joined: "another page",
  restarted: "runs again",
  hour: "an hour offline",
};

/** Distances between two times on the axis, in ms. */
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 30e3, 60e3, 120e3, 300e3, 600e3, 1800e3, 3600e3,
];

/**
 * A small picture of a stream over time: a line while the server streams, a gap
 * where the connection was cut with a dot for each try to reconnect, a tick for
 * each message, a ring where the runtime resumed, a flag where the page was
 * reloaded. Each has a data-kind.
 */
export class Picture {
  readonly element = drawing("svg", {
    class: "picture", role: "img", height: HEIGHT, "data-testid": "call-picture",
  });
  readonly #axis = drawing("g", { class: "axis" });
  readonly #segments = drawing("g");
  readonly #aways = drawing("g");
  readonly #messages = drawing("g");
  readonly #tries = drawing("g");
  readonly #resumes = drawing("g");
  readonly #marks = drawing("g");
  readonly #end = drawing("path", { class: "end" });
  readonly #trace: Trace;
  #width = 0;
  #span = LEAST_SPAN;

  constructor(trace: Trace) {
    this.#trace = trace;
    this.element.append(
      this.#axis, this.#segments, this.#aways, this.#messages, this.#tries, this.#marks, this.#resumes,
    );
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
    const room = trace.marks.length > 0 ? MARK_ROOM : 0;
    setAttributes(this.element, {
      height: HEIGHT + room,
      viewBox: `0 ${-room} ${this.#width} ${HEIGHT + room}`,
      "aria-label": spoken(trace, elapsed),
    });
    this.#drawAxis();
    fill(
      this.#segments, trace.segments.length, newSegment,
      (group, i) => this.#drawSegment(group, trace.segments[i]!, elapsed),
    );
    const aways = trace.marks.filter(({ until }) => until !== undefined);
    fill(this.#aways, aways.length, newSegment, (group, i) => {
      const { at, until = at } = aways[i]!;
      this.#drawSegment(
        group, { kind: "cut", from: at, to: Math.min(until, elapsed), flagged: true }, elapsed,
      );
    });
    fill(this.#messages, trace.messageTimes.length, newMessage, (line, i) => {
      const x = this.#x(trace.messageTimes[i]!);
      setAttributes(line, { x1: x, x2: x });
    });
    fill(
      this.#tries, trace.tryTimes.length, newTry,
      (dot, i) => setAttributes(dot, { cx: this.#x(trace.tryTimes[i]!) }),
    );
    fill(this.#resumes, trace.resumedTimes.length, newResumed, (ring, i) => {
      setAttributes(ring, { cx: this.#x(trace.resumedTimes[i]!) });
    });
    let free = 0;
    fill(
      this.#marks, trace.marks.length, newMark,
      (group, i) => (free = this.#drawMark(group, trace.marks[i]!, trace.marks[i + 1], free)),
    );
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
      setAttributes(group.children[1]!, {
        x, "text-anchor": i === 0 ? "start" : x > this.#width - 24 ? "end" : "middle",
      });
      setText(group.children[1]!, axisLabel(i * step, this.#span));
    });
  }

  #drawSegment(group: SVGGElement, segment: Segment & { flagged?: true }, elapsed: number): void {
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
    setText(label, segment.kind === "cut" && !segment.flagged && width > 8 * time.length ? time : "");
    setText(title, tooltip(segment, time));
  }

  /**
   * Draws a flag; its words where there is room, from `free` to the next one. Returns from where on there is
   * room then.
   */
  #drawMark(group: SVGGElement, mark: Mark, next: Mark | undefined, free: number): number {
    const [line, text] = group.children as unknown as [Element, Element];
    const x = this.#x(mark.at);
    const words = MARK_WORDS[mark.kind];
    const long = mark.uncut
      ? `${words}, not cut`
      : !mark.resumed || mark.resumed === mark.at
        ? words
        : `${words}, resumed after ${duration(mark.resumed - mark.at)}`;
    // Words begin at the flag; those of the last one further left where they would not fit.
    const limit = next ? this.#x(next.at) - 8 : this.#width;
    const place = (label: string): number => Math.min(x - 3, limit - MARK_CHAR * label.length);
    const label = [long, words].find((each) => place(each) >= (next ? x - 3 : free)) ?? "↻";
    const from = label === "↻" ? x - 5 : place(label);
    setAttributes(group, { "data-kind": mark.kind, "data-uncut": mark.uncut });
    setAttributes(line, { x1: x, x2: x });
    setAttributes(text, { x: from });
    setText(text, label);
    return from + MARK_CHAR * label.length + 8;
  }

  #drawEnd(at: number, how: string): void {
    const x = this.#x(at);
    const r = 5;
    const shape =
      how === "failed"
        ? `M${x - r} ${WIRE - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`
        : how === "cancelled"
          ? `M${x - r} ${WIRE - r}h${2 * r}v${2 * r}h${-2 * r}z`
          : `M${x - r - 1} ${WIRE}a${r + 1} ${r + 1} 0 1 0 ${2 * r + 2} 0a${r + 1} ${r + 1} 0 1 0 ` +
            `${-2 * r - 2} 0z`;
    setAttributes(this.#end, { d: shape, "data-kind": "end", "data-how": how });
    if (!this.#end.parentNode) this.element.append(this.#end);
  }
}

/** Makes the group hold `count` children, and draws each: elements are used again. */
function fill<T extends SVGElement>(
  group: SVGGElement, count: number, make: () => T, draw: (child: T, index: number) => void,
): void {
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

function newMark(): SVGGElement {
  const group = drawing("g", { class: "mark" });
  group.append(drawing("line", { y1: -2, y2: AXIS }), drawing("text", { y: -5 }));
  return group;
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
  return segment.why === "reload" ? `nobody to listen for ${time}` : `no connection for ${time}`;
}

function spoken(trace: Trace, elapsed: number): string {
  const cuts = trace.cuts === 0 ? "never cut" : `${counted(trace.cuts, "cut")}, ${trace.survived} survived`;
  const marks = trace.marks.map(({ kind, at, resumed, uncut }) =>
    `${MARK_WORDS[kind]} at ${duration(at)}${uncut ? ", not cut" : !resumed || resumed === at ? "" : `, resumed after ${duration(resumed - at)}`}`,
  );
  const seconds = `${Math.round(elapsed / 1000)} s`;
  return `The stream over ${seconds}: ${[counted(trace.messages, "message"), cuts, ...marks].join(", ")}${trace.end ? `, ${trace.end.how}` : ""}`;
}
