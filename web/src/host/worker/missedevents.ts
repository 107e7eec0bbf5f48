// Events of a session that a page has missed, beside those that the transcript repeats. A page may be frozen
// for days while the agent works, and the events kept for it stay bounded.

import { EVENT } from "../../base/border.js";

/** Kind of the missed event that assigns a question to the page. */
export const ASSIGNED = 0;

/** Events beside the transcript that are kept: beyond, the page misses the oldest that it can do without. */
const MOST = 1_000;

/** An event: its text, and for a question its number. */
export type Missed = readonly [kind: number, position: number, text: string];

/** The events that one page has missed of one session, in their order. */
export class MissedEvents {
  #all: Missed[] = [];
  /** Number of the events that were taken. */
  #taken = 0;
  #operations = 0;
  #operationBytes = 0;

  get isEmpty(): boolean {
    return this.#taken === this.#all.length;
  }

  /** Characters of the operations on the transcript. */
  get operationBytes(): number {
    return this.#operationBytes;
  }

  /** Adds an event. */
  add(kind: number, position: number, text: string): void {
    if (kind === EVENT.item) {
      this.#operations++;
      this.#operationBytes += text.length;
    } else if (kind === EVENT.withdrawn) {
      if (this.#leave((one) => !asks(one) || one[1] !== position)) return; // it was not asked yet
    } else if (kind === EVENT.status && carrierOf(text)) {
      // Questions that are still open are asked again.
      this.#leave((one) => !asks(one) && !(one[0] === EVENT.status && carrierOf(one[2])));
    }
    this.#all.push([kind, position, text]);
    if (this.#all.length - this.#taken - this.#operations > MOST) this.#lessen();
  }

  /** The next one, which is not missed any more. */
  take(): Missed | undefined {
    const next = this.#all[this.#taken++];
    if (!next) {
      this.#all = [];
      this.#taken = 0;
    } else if (next[0] === EVENT.item) {
      this.#operations--;
      this.#operationBytes -= next[2].length;
    }
    return next;
  }

  /** Leaves out the operations on the transcript: the page gets that from its start. */
  dropOperations(): void {
    this.#leave(([kind]) => kind !== EVENT.item);
    this.#operations = this.#operationBytes = 0;
  }

  /** Leaves those that `stays` says. Reports whether a question is not among them that was. */
  #leave(stays: (one: Missed) => boolean): boolean {
    const before = this.#all.slice(this.#taken);
    const asked = (all: readonly Missed[]): number => all.filter(([kind]) => kind === EVENT.question).length;
    this.#all = before.filter(stays);
    this.#taken = 0;
    return asked(this.#all) < asked(before);
  }

  /** Lets go of the oldest that the page can do without. */
  #lessen(): void {
    for (const needless of [isPassing, isReport]) {
      const at = this.#all.findIndex((one, index) => index >= this.#taken && needless(one));
      if (at < 0) continue;
      this.#all.splice(at, 1);
      return;
    }
  }
}

/** True if the event is a question or belongs to one, as a draft does. */
function asks([kind]: Missed): boolean {
  return kind === EVENT.question || kind === EVENT.draft || kind === ASSIGNED;
}

/** True if the status says which page carries the session from then on, as "owned" does. */
function carrierOf(text: string): boolean {
  const state = stateOf(text);
  return state === "followed" || state === "owned";
}

function stateOf(text: string): string {
  return (JSON.parse(text) as { state: string }).state;
}

/** True if no page needs to hear the event late, as a notification. */
function isPassing([kind, , text]: Missed): boolean {
  if (kind === EVENT.status) return !carrierOf(text) && stateOf(text) !== "closed";
  return kind === EVENT.notification || (kind === EVENT.phase && text.includes(`"ended":false`));
}

/** True if a page should hear the event late: the end of a turn, or a repair. */
function isReport([kind]: Missed): boolean {
  return kind === EVENT.phase || kind === EVENT.resumed || kind === EVENT.guarantee || kind === EVENT.integrity;
}
