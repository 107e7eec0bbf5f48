import type { CallEvent, StatusEvent } from "holdfast";

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

/** How a call ended. */
export type Ending = "done" | "failed" | "cancelled";

/**
 * A resume that is answered or refused within this time, in ms, is part of the
 * gap. Servers with nothing to say may take long: some answer a resume only
 * with the next message.
 */
const ASKED_APART = 400;

/** Ticks of messages that a picture can show apart; beyond, every second one goes. */
const MAX_TICKS = 400;

/** What happened on the stream of one call, over time: the data of its picture. */
export class Trace {
  readonly segments: Segment[] = [{ kind: "sent", from: 0 }];
  /** When messages came; thinned out where there are very many. */
  messageTimes: number[] = [];
  /** When a reconnect was tried; of the last ones. */
  readonly tryTimes: number[] = [];
  readonly resumedTimes: number[] = [];
  messages = 0;
  cuts = 0;
  /** Cuts after which the stream went on; one resume may make up for several. */
  survived = 0;
  end: { at: number; how: Ending } | undefined;
  readonly #start: number;
  #stride = 1;

  constructor(now: number) {
    this.#start = now;
  }

  /** Time since the call was made, or its whole length. */
  elapsed(now: number): number {
    return this.end ? this.end.at : now - this.#start;
  }

  /** What the wire does now. */
  wire(now: number): Segment["kind"] {
    const { kind, from } = this.last;
    return kind === "asked" && this.elapsed(now) - from < ASKED_APART ? "cut" : kind;
  }

  /** The segment that lasts. */
  get last(): Segment {
    return this.segments[this.segments.length - 1]!;
  }

  /** Takes the next event. */
  take(event: CallEvent, now: number): void {
    const at = now - this.#start;
    if (event.type === "status") this.#status(event, at);
    else if (event.type === "resumed") {
      this.#forgetBriefAsking(at);
      this.#turn({ kind: "up", from: at });
      this.survived = this.cuts;
      this.resumedTimes.push(at);
    } else this.#message(at);
  }

  /** Ends the trace. */
  finish(how: Ending, now: number): void {
    const at = now - this.#start;
    this.#forgetBriefAsking(at);
    this.last.to = at;
    this.end = { at, how };
  }

  #status(event: StatusEvent, at: number): void {
    if (event.state === "open") this.#turn({ kind: "up", from: at });
    else if (event.state === "reconnecting") {
      this.#turn({ kind: "asked", from: at });
      this.tryTimes.push(at);
      if (this.tryTimes.length > MAX_TICKS) this.tryTimes.shift();
    } else {
      // A reconnect that was refused makes the gap longer; it is no further cut.
      this.#forgetBriefAsking(at);
      if (this.last.kind !== "cut") {
        this.cuts++;
        this.#turn({ kind: "cut", from: at, ...(event.why === undefined ? {} : { why: event.why }) });
      }
      this.last.due = at + (event.delay ?? 0);
    }
  }

  /** Makes a short wait for the answer a part of the gap before it. */
  #forgetBriefAsking(at: number): void {
    const { kind, from } = this.last;
    if (kind !== "asked" || at - from >= ASKED_APART) return;
    this.segments.pop();
    delete this.last.to;
  }

  #turn(next: Segment): void {
    if (this.last.kind === next.kind) return;
    this.last.to = next.from;
    this.segments.push(next);
  }

  #message(at: number): void {
    // A server may talk before the runtime has said that the stream is open.
    if (this.last.kind === "sent") this.#turn({ kind: "up", from: at });
    this.messages++;
    if (this.messages % this.#stride !== 0) return;
    this.messageTimes.push(at);
    if (this.messageTimes.length > MAX_TICKS) {
      this.messageTimes = this.messageTimes.filter((_, i) => i % 2 === 0);
      this.#stride *= 2;
    }
  }
}
