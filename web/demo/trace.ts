import type { CallEvent, StatusEvent } from "holdfast";
import type { Line } from "./narrative.js";
import { Parts, type Part } from "./parts.js";
import type { Sent } from "./trail.js";

/** A stretch of time in which the stream was in one state. Times are ms since the call was made. */
export interface Segment {
  /**
   * `sent`: no answer yet. `up`: the server streams. `cut`: no connection.
   * `asked`: the runtime has asked to resume and waits for the answer.
   */
  kind: "sent" | "up" | "cut" | "asked";
  from: number;
  /** Open until it ends. */
  to?: number;
  /** Why it was cut. */
  why?: StatusEvent["why"];
  /** When the next reconnect is due. */
  due?: number;
}

/**
 * What happened to whoever carried the call. `reload`: this page was loaded
 * again. `page`: its page was closed, and this one came later. `killed`: the
 * runtime ended. `disconnected`: a person let go of its server. `taken`: another tab had it, and this one has
 * taken it over. `joined`: another page has come to a call that a worker carries.
 * `restarted`: the server had forgotten it, and runs it again. `hour`: the
 * network went away for a simulated hour.
 */
export interface Mark {
  kind: "reload" | "page" | "killed" | "disconnected" | "taken" | "joined" | "restarted" | "hour";
  at: number;
  /** When the stream went on. */
  resumed?: number;
  /** The stream was not cut: a worker went on with it. */
  uncut?: boolean;
  /** Until when it lasts, where that is known beforehand. */
  until?: number;
}

/** A line of this page's own about the call, after the message of that position. */
export interface Note {
  at: number;
  position: number;
  line: Line;
}

/** How a call ended. */
export type Ending = "done" | "failed" | "cancelled";

/** What a trace consists of; plain data, so that a later page can have it. */
export interface TraceState {
  segments: Segment[];
  /** When messages came; thinned out where there are very many. */
  messageTimes: number[];
  stride: number;
  /** When a reconnect was tried; of the last ones. */
  tryTimes: number[];
  resumedTimes: number[];
  marks: Mark[];
  notes: Note[];
  /** When the message of each position came, of the first ones. */
  times: number[];
  messages: number;
  cuts: number;
  /** Cuts after which the stream went on; one resume may make up for several. */
  survived: number;
  position: number;
  /** Until when the trace was kept. */
  at: number;
  /** The numbered parts of its result, where that is streamed. */
  parts?: Part[];
  /** The server's name of the task that the call has become, where the wire is listened to. */
  task?: string;
  /** The JSON-RPC id of its request, and what left for it, where the wire is listened to. */
  request?: string;
  sent?: Sent[];
  end?: { at: number; how: Ending };
}

/**
 * A resume that is answered or refused within this time, in ms, is part of the
 * gap. Servers with nothing to say may take long: some answer a resume only
 * with the next message.
 */
const ASKED_APART = 400;

/** Ticks of messages that a picture can show apart; beyond, every second one goes. */
const MAX_TICKS = 400;
/** Messages whose time a later page gets to know. */
const MAX_TIMES = 1_000;
const MAX_NOTES = 60;
const MAX_SENT = 12;
/** A page that crashed has told of the times of all messages but those of its last moment, in ms. */
const LAST_MOMENT = 1_000;

/** What happened on the stream of one call, over time: the data of its picture. */
export class Trace {
  readonly #start: number;
  readonly #state: TraceState;
  /** The numbered parts of the result, where that is streamed. */
  readonly parts: Parts;
  /** What befell the page last, as long as it is not known whether the stream lived on. */
  #unsure: Mark | undefined;

  /** `start` is when the call was made, on the clock of `now`; `state` is what an earlier page had. */
  constructor(start: number, state?: TraceState) {
    this.#start = start;
    this.#state = state ?? {
      segments: [{ kind: "sent", from: 0 }],
      messageTimes: [], stride: 1, tryTimes: [], resumedTimes: [], marks: [], notes: [], times: [],
      messages: 0, cuts: 0, survived: 0, position: 0, at: 0,
    };
    this.parts = new Parts((this.#state.parts ??= []));
  }

  get segments(): readonly Segment[] {
    return this.#state.segments;
  }
  get messageTimes(): readonly number[] {
    return this.#state.messageTimes;
  }
  get tryTimes(): readonly number[] {
    return this.#state.tryTimes;
  }
  get resumedTimes(): readonly number[] {
    return this.#state.resumedTimes;
  }
  get marks(): readonly Mark[] {
    return this.#state.marks;
  }
  get notes(): readonly Note[] {
    return this.#state.notes;
  }
  get messages(): number {
    return this.#state.messages;
  }
  /** Of the last message that a page had. */
  get position(): number {
    return this.#state.position;
  }
  get cuts(): number {
    return this.#state.cuts;
  }
  get survived(): number {
    return this.#state.survived;
  }
  get task(): string | undefined {
    return this.#state.task;
  }
  set task(task: string) {
    this.#state.task = task;
  }
  get request(): string | undefined {
    return this.#state.request;
  }
  set request(id: string) {
    this.#state.request = id;
  }
  get sent(): readonly Sent[] {
    return this.#state.sent ?? [];
  }
  get end(): { at: number; how: Ending } | undefined {
    return this.#state.end;
  }

  /** The trace as plain data, up to now. */
  kept(now: number): TraceState {
    this.#state.at = this.elapsed(now);
    return this.#state;
  }

  /** Time since the call was made, or its whole length. */
  elapsed(now: number): number {
    return this.end ? this.end.at : now - this.#start;
  }

  /** When the message of a position came, if that is known. */
  timeOf(position: number): number | undefined {
    return this.#state.times[position] ?? undefined;
  }

  /** What the wire does now. */
  wire(now: number): Segment["kind"] {
    const { kind, from } = this.last;
    if (this.isAway(now)) return "cut";
    return kind === "asked" && this.elapsed(now) - from < ASKED_APART ? "cut" : kind;
  }

  /** The segment that lasts. */
  get last(): Segment {
    return this.#state.segments[this.#state.segments.length - 1]!;
  }

  /** Takes the next event. */
  take(event: CallEvent, now: number): void {
    const at = now - this.#start;
    const state = this.#state;
    this.#judge(event);
    if (event.type === "status") this.#status(event, at);
    else if (event.type === "resumed") {
      // A task is gone on with before its server has said anything.
      if (this.isAway(now)) return;
      this.#goesOn(at);
      if (event.outcome === "restarted") state.marks.push({ kind: "restarted", at, resumed: at });
    } else if (event.type !== "guarantee" && event.type !== "gap") {
      // A task has other ways than its stream: what it says has come by one of them.
      if (this.last.kind === "cut" && state.task !== undefined) this.#goesOn(at);
      this.#message(at, event.position);
    }
    if (event.type === "segment") this.parts.delivered(event.seqNr, false);
  }

  /**
   * The call has come back with the messages of these positions. When they came
   * is known of those that an earlier page has told of. `how` says what became
   * of that page; undefined where another tab carries the call. `outlived`: a worker
   * went on with the stream meanwhile, unless it has ended too.
   */
  back(how: Mark["kind"] | undefined, positions: number[], now: number, outlived = false): void {
    const state = this.#state;
    const at = now - this.#start;
    const missing = positions.filter((position) => position > state.position);
    const gone = state.at;
    const to = Math.min(at, gone + (state.position === 0 || outlived ? Infinity : LAST_MOMENT));
    const step = (to - state.at) / (missing.length + 1);
    for (const [i, position] of missing.entries()) this.#message(state.at + step * (i + 1), position);
    if (how === undefined || this.end) return;
    if (outlived) {
      this.#unsure = { kind: how, at: how === "joined" || gone === 0 ? at : gone, uncut: true };
      state.marks.push(this.#unsure);
      return;
    }
    const from = missing.length > 0 ? to - step : state.at;
    this.#turn({ kind: "cut", from, why: "reload" });
    state.marks.push({ kind: how, at: from });
  }

  /** A request of that method has left for the call; true for one of another kind than the last. */
  left(method: string, now: number): boolean {
    const all = (this.#state.sent ??= []);
    const at = now - this.#start;
    const last = all.at(-1);
    if (last?.method === method && !this.marks.some((mark) => mark.at > last.at)) {
      last.times++;
      return false;
    }
    all.push({ method, at, times: 1 });
    if (all.length > MAX_SENT) all.splice(1, 1);
    return true;
  }

  /** Marks that the network goes away for so many ms. */
  away(ms: number, now: number): void {
    const at = this.elapsed(now);
    this.#state.marks.push({ kind: "hour", at, until: at + ms, resumed: at });
  }

  /** Whether the network is away. */
  isAway(now: number): boolean {
    return this.marks.some(({ until = 0 }) => until > now - this.#start);
  }

  /** Notes a line of this page's own, so that a later one has it too. */
  note(line: Line, now: number): void {
    const { notes, position } = this.#state;
    notes.push({ at: this.elapsed(now), position, line });
    if (notes.length > MAX_NOTES) notes.shift();
  }

  /** Ends the trace. */
  finish(how: Ending, now: number): void {
    if (this.end) return;
    const at = now - this.#start;
    this.#forgetBriefAsking(at);
    this.last.to = at;
    if (how === "failed") delete this.#unsure?.uncut; // nothing tells
    if (how === "done") this.#carriedOn(at);
    this.#state.end = { at, how };
  }

  /** The first that is heard of a call that came back says whether its stream had lived on. */
  #judge(event: CallEvent): void {
    const mark = this.#unsure;
    if (!mark || event.type === "guarantee" || event.type === "gap") return;
    this.#unsure = undefined;
    const isCut = event.type === "resumed" ||
      (event.type === "status" && (event.state === "reconnecting" || event.why === "reload"));
    if (!isCut) return;
    delete mark.uncut;
    this.#turn({ kind: "cut", from: mark.at, why: "reload" });
  }

  #status(event: StatusEvent, at: number): void {
    switch (event.state) {
      case "open":
        this.#turn({ kind: "up", from: at });
        break;
      case "reconnecting":
        this.#turn({ kind: "asked", from: at });
        this.#state.tryTimes.push(at);
        if (this.#state.tryTimes.length > MAX_TICKS) this.#state.tryTimes.shift();
        break;
      case "followed":
        this.#turn({ kind: "up", from: at });
        this.#carriedOn(at);
        break;
      case "owned":
        this.#turn({ kind: "cut", from: at, why: "reload" });
        this.#state.marks.push({ kind: "taken", at });
        break;
      default:
        this.#cut(event, at);
    }
  }

  #cut({ why, delay = 0 }: StatusEvent, at: number): void {
    // A reconnect that was refused makes the gap longer; it is no further cut.
    this.#forgetBriefAsking(at);
    if (this.last.kind !== "cut") {
      if (why !== "refused") this.#state.cuts++;
      this.#turn({ kind: "cut", from: at, ...(why === undefined ? {} : { why }) });
    }
    this.last.due = at + delay;
  }

  #goesOn(at: number): void {
    const state = this.#state;
    this.#forgetBriefAsking(at);
    this.#turn({ kind: "up", from: at });
    state.survived = state.cuts;
    state.resumedTimes.push(at);
    this.#carriedOn(at);
  }

  /** The stream goes on for whoever carries it now. */
  #carriedOn(at: number): void {
    for (const mark of this.#state.marks) mark.resumed ??= at;
  }

  /** Makes a short wait for the answer a part of the gap before it. */
  #forgetBriefAsking(at: number): void {
    const { kind, from } = this.last;
    if (kind !== "asked" || at - from >= ASKED_APART) return;
    this.#state.segments.pop();
    delete this.last.to;
  }

  #turn(next: Segment): void {
    if (this.last.kind === next.kind) return;
    this.last.to = next.from;
    this.#state.segments.push(next);
  }

  #message(at: number, position: number): void {
    const state = this.#state;
    if (position <= state.position) return; // it came before, to an earlier page
    // A server may talk before the runtime has said that the stream is open.
    if (this.last.kind === "sent") this.#turn({ kind: "up", from: at });
    state.position = Math.max(state.position, position);
    if (position < MAX_TIMES) state.times[position] = Math.round(at);
    state.messages++;
    if (state.messages % state.stride !== 0) return;
    state.messageTimes.push(at);
    if (state.messageTimes.length > MAX_TICKS) {
      state.messageTimes = state.messageTimes.filter((_, i) => i % 2 === 0);
      state.stride *= 2;
    }
  }
}
