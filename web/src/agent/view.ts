import { type Backlog, EACH } from "../base/backlog.js";
import { EVENT } from "../base/border.js";
import type { HoldfastError } from "../base/errors.js";
import { EventQueue } from "../base/eventqueue.js";
import { Listeners } from "../base/listeners.js";
import type { SessionEvent, SessionEvents } from "./sessionevents.js";
import { Transcript, type Change, type TranscriptOp } from "./transcript.js";
import { Turns } from "./turns.js";

/**
 * The view of a session: its transcript, its state, and its events in the order in which they happened. All
 * changes of an item within one task of the browser's are one event, before any event that follows.
 */
export class SessionView {
  readonly transcript: Transcript = new Transcript();
  readonly turns: Turns = new Turns();
  readonly listeners: Listeners<SessionEvents> = new Listeners();
  readonly #events: EventQueue<SessionEvent, SessionEvent>;
  /** Items that have changed since their last event. */
  readonly #touched = new Set<number>();

  /** Characters that came since the last event. */
  #heard = 0;

  /** `backlog`: what may wait for those who read. */
  constructor(backlog: Backlog) {
    this.#events =
      new EventQueue<SessionEvent, SessionEvent>({ backlog, decode: (event) => event, buffered: false });
  }

  /** The core's Deliver effect, where it is of what is shown. */
  heard(kind: number, text: string): void {
    this.#heard += text.length;
    switch (kind) {
      case EVENT.item:
        this.#changed(this.transcript.apply(JSON.parse(text) as TranscriptOp));
        break;
      case EVENT.phase: {
        this.#flush(); // whoever waits for the turn's end has had all of it before
        const turn = this.turns.heard(text);
        if (!turn.expected) this.tell("turn", turn);
        break;
      }
      case EVENT.resumed:
        this.tell("resumed", JSON.parse(text) as SessionEvents["resumed"]);
        break;
      case EVENT.guarantee:
        this.tell("guarantee", JSON.parse(text) as SessionEvents["guarantee"]);
        break;
      case EVENT.integrity:
        this.tell("integrity", JSON.parse(text) as SessionEvents["integrity"]);
        break;
      case EVENT.notification:
        this.tell("notification", JSON.parse(text) as SessionEvents["notification"]);
        break;
    }
  }

  /** Tells of something, after the items that have changed before it. */
  tell<E extends keyof SessionEvents>(event: E, value: SessionEvents[E]): void {
    this.#flush();
    this.#emit(event, value);
  }

  /** The agent sends the transcript from its start. */
  reset(): void {
    this.#changed(this.transcript.apply({ op: "reset" }));
  }

  /** The events from now on. */
  read(): AsyncIterableIterator<SessionEvent> {
    return this.#events.read();
  }

  /**
   * No more events follow. Those who wait for a turn get `over`; those who iterate get `error`, where the
   * client has failed.
   */
  end(over: HoldfastError, error: HoldfastError | undefined): void {
    this.turns.over(over);
    this.tell("closed", {});
    this.#events.end(error);
  }

  #changed(change: Change): void {
    switch (change.what) {
      case "item":
        if (this.#touched.size === 0) queueMicrotask(() => this.#flush());
        this.#touched.add(change.index);
        break;
      case "reset":
        this.#touched.clear();
        this.tell("reset", {});
        break;
      case "values":
        this.tell("values", { names: change.names });
        break;
      case "pending":
        this.tell("pending", change.unsent ? { unsent: change.unsent } : {});
        break;
    }
  }

  #flush(): void {
    const touched = [...this.#touched];
    this.#touched.clear();
    for (const index of touched) this.#emit("update", { item: this.transcript.item(index), index });
  }

  #emit<E extends keyof SessionEvents>(event: E, value: SessionEvents[E]): void {
    this.listeners.emit(event, value);
    // An item's versions have their text in common: what was heard is what they add.
    this.#events.push({ type: event, ...value } as unknown as SessionEvent, 2 * this.#heard + EACH);
    this.#heard = 0;
  }
}
