import {
  HoldfastError, type Call, type CallEvent, type CallToolResult, type Open, type ProgressEvent,
} from "holdfast";
import { advise } from "./advice.js";
import { Badges } from "./badges.js";
import { counted, duration } from "./duration.js";
import { button, clipped, element, setAttributes, setText } from "./element.js";
import { showFailure } from "./failure.js";
import { recollect, remind, shownBefore, type Remembered } from "./memory.js";
import { tell, tellMark } from "./narrative.js";
import { Output } from "./output.js";
import { PartPicture } from "./partpicture.js";
import { Picture } from "./picture.js";
import { showResult } from "./result.js";
import { onTick } from "./ticker.js";
import { Trace, type Ending, type Mark } from "./trace.js";

/**
 * Where a call stands; also the card's data-state. `away`: its runtime or client has ended, and it will come
 * back.
 */
export type CardState = "running" | "away" | Ending;

const WORDS: Record<CardState, string> = {
  running: "running", away: "not here now", done: "done", failed: "failed", cancelled: "cancelled",
};

/** What a person did about a question. */
const ANSWERS: Record<string, string> = { accept: "answered", decline: "declined", cancel: "closed it" };

/** What takes a call up, in words. */
const LEFT: Record<string, string> = {
  "requests/resume": "asks for the rest of the call, by its id and the token that the server gave",
  "tasks/continue": "asks how the task is, by its id",
};

/** How often a running call is remembered, in ms. */
const REMIND_EVERY = 500;

/**
 * What a worker has of a call comes in pieces. After so many ms without one that was it, once
 * all is here that an earlier page had; or after so many in all.
 */
const PIECES_APART = 60;
const PIECES_TAKE = 3_000;

/** What a card asks of the list. */
export interface CardUse {
  /** Hears of each event, and of the end (undefined). */
  changed(card: CallCard, event: CallEvent | undefined): void;
  /** Makes the same call once more. */
  again(card: CallCard): void;
  /** Shows the call that takes the place of one whose outcome is not known. */
  replayed(card: CallCard, call: Call<CallToolResult>): void;
  /** The person has done with the call. */
  done(card: CallCard): void;
  /** Whether a call whose client has ended comes back with the next one. */
  comesBack(): boolean;
  /** Whether a worker carries the calls, which outlives the page. */
  outlives(): boolean;
}

/** One call: what it does now, what it said, what became of it. */
export class CallCard {
  readonly element: HTMLElement;
  readonly call: Call<CallToolResult>;
  readonly tool: Remembered["tool"];
  readonly args: Open;
  readonly trace: Trace;
  state: CardState = "running";
  /** The latest progress. */
  progress: ProgressEvent | undefined;
  /** The server has asked something, and waits. */
  asking = false;
  /** Why the call is away. */
  why: HoldfastError | undefined;
  readonly #use: CardUse;
  readonly #how: Mark["kind"];
  /** A worker has carried the call while no page, or another one, had it. */
  readonly #outlived: boolean;
  /** Whether this page knows of the call from before. */
  readonly #known: boolean;
  readonly #picture: Picture;
  readonly #parts: PartPicture;
  readonly #output: Output;
  readonly #badges = new Badges();
  readonly #status = element("span", { class: "call-state" }, WORDS.running);
  readonly #elapsed = element("span", { class: "elapsed" }, "0 ms");
  readonly #act: HTMLButtonElement;
  readonly #fill = element("div", { class: "progress-fill" });
  readonly #bar: HTMLElement;
  readonly #progressText = element("span", { class: "progress-text" });
  readonly #progressRow: HTMLElement;
  readonly #asks = element("div", { class: "asks-place" });
  readonly #counts = element("p", { class: "call-counts" });
  /** What the journal brought back, until all of it is here. */
  #replayed: CallEvent[] | undefined;
  /** Takes what has come for all of it. */
  #arriving: ReturnType<typeof setTimeout> | undefined;
  readonly #made = performance.now();
  /** Requests that left meanwhile. */
  #unplaced: { method: string; at: number }[] = [];
  #reminded = 0;
  #discarded = false;

  /** `how` says what became of the page or runtime that had the call before, if it comes from the journal. */
  constructor(
    call: Call<CallToolResult>, tool: Remembered["tool"] | undefined, use: CardUse, how?: Mark["kind"],
  ) {
    const now = performance.now();
    const known = call.restored && call.key !== undefined ? recollect(call.key) : undefined;
    const before = call.key !== undefined && shownBefore(call.key);
    this.call = call;
    this.tool = tool ?? known?.tool ?? { name: String(call.params["name"] ?? call.method) };
    this.args = (call.params["arguments"] ?? {}) as Open;
    this.#use = use;
    this.#known = known !== undefined;
    this.#outlived = use.outlives() && how === undefined;
    this.#how = how ?? (before ? "reload" : this.#outlived ? "joined" : "page");
    this.#replayed = call.restored ? [] : undefined;
    this.trace = new Trace(now - Math.max(0, Date.now() - call.createdAt), known?.trace);
    this.#picture = new Picture(this.trace);
    this.#parts = new PartPicture(this.trace.parts);
    const name = this.tool.title ?? this.tool.annotations?.title ?? this.tool.name;
    this.#output = new Output(`Output of ${name}`);
    this.#act = button(
      "Cancel", { class: "quiet small", "data-testid": "cancel", "aria-label": `Cancel ${name}` },
      () => call.cancel(),
    );
    this.#bar = element(
      "div",
      {
        class: "progress", role: "progressbar", "aria-label": `Progress of ${name}`,
        "data-testid": "call-progress",
      },
      this.#fill,
    );
    this.#progressRow = element("div", { class: "call-progress" }, this.#bar, this.#progressText);
    this.element = element(
      "article",
      {
        class: "call", "data-testid": "call", "data-call-tool": this.tool.name, "data-state": "running",
          "data-key": call.key,
        "data-restored": call.restored, "aria-label": `Call of ${name}`,
      },
      element(
        "header",
        { class: "call-head" },
        element("div", { class: "call-title" }, element("h3", {}, clipped(name, 100)), this.#status),
        element("div", { class: "call-side" }, this.#elapsed, this.#act),
        element("p", { class: "call-args" }, summary(this.tool.name, this.args)),
        this.#badges.element,
      ),
      this.#progressRow,
      this.#picture.element,
      this.#parts.element,
      this.#counts,
      this.#output.element,
      this.#asks,
    );
    const stop = onTick((tick) => this.#tick(tick));
    // What the journal has is there at once: all of it comes before the next task.
    if (this.#replayed) this.#awaitPieces();
    void this.#follow().finally(() => {
      stop();
      this.#tick(performance.now());
    });
  }

  /** The network is away for so many ms. */
  away(ms: number): void {
    const now = performance.now();
    this.trace.away(ms, now);
    this.#note(tellMark("hour", 0), now);
    this.#tick(now);
  }

  /** A request has left for the call, at that time of performance.now(). */
  left(method: string, at: number): void {
    if (this.#replayed) {
      this.#unplaced.push({ method, at }); // it comes after what the journal has
      return;
    }
    const text = LEFT[method];
    if (this.trace.left(method, at) && text !== undefined)
      this.#note({ tone: "wire", tag: method, text }, at);
  }

  /** Says what the server asks while this call runs; the dialog goes into the returned place. */
  asked(message: string): HTMLElement {
    this.asking = true;
    this.#output.add(this.trace.elapsed(performance.now()), {
      tone: "notification", tag: "asks", text: message,
    });
    return this.#asks;
  }

  /** Says what the person did about it. */
  answered(action: string): void {
    this.asking = false;
    this.#output.add(this.trace.elapsed(performance.now()), {
      tone: "wire", tag: "you", text: ANSWERS[action] ?? action,
    });
    this.#output.flush();
  }

  /** Remembers what the journal does not: when everything came. */
  remind(): void {
    const { key } = this.call;
    // Of a call that another tab carries, that one knows more.
    if (key === undefined || this.#replayed || this.call.followed || this.#discarded) return;
    this.#reminded = performance.now();
    const { name, title, annotations } = this.tool;
    remind(key, {
      tool: {
        name, ...(title === undefined ? {} : { title }), ...(annotations === undefined ? {} : { annotations })
      },
      trace: this.trace.kept(this.#reminded),
    });
  }

  /** Nobody wants the card any more. */
  discard(): void {
    this.#discarded = true;
    this.element.remove();
  }

  /** The call does not come back after all. */
  giveUp(): void {
    if (this.state === "away" && this.why) this.#fail(this.why);
  }

  async #follow(): Promise<void> {
    try {
      for await (const event of this.call) {
        if (this.#replayed && event.type === "status") this.#arrived();
        if (this.#replayed) this.#piece(this.#replayed, event);
        else this.#take(event);
        this.#use.changed(this, event);
      }
      const result = await this.call.result;
      this.#arrived();
      this.#finish("done");
      if (result.isError) {
        setAttributes(this.element, { "data-is-error": true });
        setText(this.#status, "the tool failed");
      }
      const shown = showResult(result);
      // Its parts are above already.
      const parts = this.trace.parts.had;
      this.element.append(
        parts > 0
          ? element(
            "details", { class: "whole" },
            element("summary", {}, `The result in one piece, of ${counted(parts, "part")}`), shown,
          )
          : shown,
      );
    } catch (thrown) {
      this.#arrived();
      const error = thrown instanceof HoldfastError
        ? thrown
        : new HoldfastError({ code: "runtime_exited", message: String(thrown), cause: thrown });
      const gone = error.code === "runtime_exited" || error.code === "closed";
      if (gone && this.call.key !== undefined && this.#use.comesBack()) this.#leave(error);
      else this.#fail(error);
    }
    this.#use.changed(this, undefined);
  }

  #piece(replayed: CallEvent[], event: CallEvent): void {
    replayed.push(event);
    if (this.#outlived && performance.now() - this.#made < PIECES_TAKE) this.#awaitPieces();
  }

  #awaitPieces(): void {
    clearTimeout(this.#arriving);
    this.#arriving = setTimeout(() => {
      const isWhole = (this.#replayed?.at(-1)?.position ?? 0) >= this.trace.position;
      if (isWhole || !this.#outlived || performance.now() - this.#made > PIECES_TAKE) this.#arrived();
      else this.#awaitPieces();
    }, this.#outlived ? PIECES_APART : 0);
  }

  /** All that the journal had of the call is here: shows it, each message at its time. */
  #arrived(): void {
    const replayed = this.#replayed;
    if (!replayed) return;
    this.#replayed = undefined;
    const now = performance.now();
    const { call, trace } = this;
    const notes = [...trace.notes];
    // One that has ended long ago was not away.
    const away = !call.followed && !trace.end && (!call.settled || this.#known);
    trace.back(away ? this.#how : undefined, replayed.map(({ position }) => position), now, this.#outlived);
    for (const event of replayed) {
      while (notes.length > 0 && notes[0]!.position < event.position)
        this.#output.add(notes[0]!.at, notes.shift()!.line);
      if (event.type === "progress") this.progress = event;
      if (event.type === "segment") trace.parts.delivered(event.seqNr, true);
      const line = tell(event);
      if (line) this.#output.add(trace.timeOf(event.position), line);
    }
    for (const { at, line } of notes) this.#output.add(at, line);
    if (away) this.#note(tellMark(this.#how, replayed.length, this.#outlived), now);
    for (const { method, at } of this.#unplaced.splice(0)) this.left(method, at);
    this.#tick(now);
  }

  #take(event: CallEvent): void {
    const now = performance.now();
    this.trace.take(event, now);
    if (event.type === "progress") this.progress = event;
    const line = tell(event);
    // The journal keeps what the server says, this page what befell the wire.
    if (event.type === "resumed" && this.trace.isAway(now)) return;
    if (line && (event.type === "status" || event.type === "resumed")) this.#note(line, now);
    else if (line) this.#output.add(this.trace.timeOf(event.position) ?? this.trace.elapsed(now), line);
    // What happens to the connection is shown at once; messages wait for the tick.
    if (event.type === "status" || event.type === "resumed" || event.type === "guarantee") this.#tick(now);
  }

  #note(line: Parameters<Trace["note"]>[0], now: number): void {
    this.trace.note(line, now);
    this.#output.add(this.trace.elapsed(now), line);
  }

  /** The client or the runtime has ended, and the call lives on in the journal. */
  #leave(error: HoldfastError): void {
    this.remind();
    this.why = error;
    this.state = "away";
    this.#act.hidden = true;
    setAttributes(this.element, { "data-state": "away" });
    setText(
      this.#status,
      error.code === "closed" ? "let go of: connect again to go on" : "the runtime died, another one starts",
    );
  }

  #fail(error: HoldfastError): void {
    this.why = undefined;
    const uncertain = error.code === "outcome_unknown" || error.code === "lost";
    this.#finish(error.code === "cancelled" ? "cancelled" : "failed", !uncertain);
    const { again, ...advice } = advise(error, this.tool);
    const actions: HTMLElement[] = [];
    if (uncertain) {
      setText(this.#status, error.code === "lost" ? "lost" : "may have run");
      actions.push(
        button("Run it again", { class: "small", "data-testid": "replay" }, () => {
          this.#use.replayed(this, this.call.retry());
        }),
        button("Give up", { class: "small", "data-testid": "abandon" }, () => {
          this.call.abandon();
          this.#use.done(this);
        }),
      );
    } else if (again !== undefined) {
      actions.push(button(again, { class: "small", "data-testid": "retry" }, () => this.#use.again(this)));
    }
    this.element.append(showFailure(error, "call-error", { ...advice, actions }));
  }

  #finish(how: Ending, withDone = true): void {
    this.state = how;
    this.trace.finish(how, performance.now());
    this.remind();
    setAttributes(this.element, { "data-state": how });
    setText(this.#status, WORDS[how]);
    this.#badges.ended(this.#use.comesBack(), withDone);
    const name = this.tool.title ?? this.tool.name;
    const done = button("Done", {
      class: "small", "data-testid": "done", "aria-label": `Done with ${name}`,
      title: "The journal may forget it",
    }, () =>
      this.#use.done(this),
    );
    if (withDone) this.#act.replaceWith(done);
    else this.#act.remove();
  }

  #tick(now: number): void {
    setText(this.#elapsed, duration(this.trace.elapsed(now)));
    this.#showProgress();
    this.#picture.draw(now);
    this.#parts.draw(this.progress?.total ?? 0);
    this.#output.flush();
    this.#showCounts();
    // What the wire does now, for the colour of the state.
    setAttributes(this.element, { "data-wire": this.state === "running" ? this.trace.wire(now) : undefined });
    if (this.state !== "running") return;
    setText(this.#status, this.#wireWords(now));
    this.#badges.running(this.call.guarantee, this.call.followed);
    if (now - this.#reminded > REMIND_EVERY) this.remind();
  }

  #wireWords(now: number): string {
    const wire = this.trace.wire(now);
    if (wire === "asked") return "asked to resume, no answer yet";
    if (wire !== "cut") return WORDS.running;
    if (this.trace.isAway(now)) return "no network here; the server goes on";
    const { due, why } = this.trace.last;
    if (why === "reload") return "back from the journal, resuming";
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
    // A bar that never moved says nothing about a call that is over; where there are parts, these say it.
    this.#progressRow.hidden = (!running && progress === undefined) || this.trace.parts.last > 0;
    if (known) setText(this.#progressText, `${progress} of ${total}`);
    else setText(
      this.#progressText, progress === undefined ? "no progress reported yet" : `${progress} so far`,
    );
  }

  #showCounts(): void {
    const { messages, cuts, survived, marks } = this.trace;
    this.#counts.hidden = this.state !== "running" && messages + cuts === 0;
    const parts = [`${counted(messages, "message")} received`];
    const reloads = marks.filter(({ kind }) => kind === "reload" || kind === "page").length;
    if (reloads > 0) parts.push(counted(reloads, "reload"));
    const deaths = marks.filter(({ kind }) => kind === "killed").length;
    if (deaths > 0) parts.push(`runtime killed ${deaths === 1 ? "once" : `${deaths} times`}`);
    const { late, repeated } = this.trace.parts;
    if (late > 0) parts.push(`${counted(late, "part")} filled later`);
    if (repeated > 0) parts.push(`${counted(repeated, "part")} came again`);
    if (cuts > 0) parts.push(`${counted(cuts, "cut")}, ${survived} survived`);
    setText(this.#counts, parts.join(" · "));
  }
}

function summary(name: string, args: Open): HTMLElement {
  const pairs = Object.entries(args).map(
    ([each, value]) => `${each}: ${clipped(JSON.stringify(value) ?? "", 60)}`,
  );
  return element("code", {}, clipped(`${name}(${pairs.join(", ")})`, 300));
}
