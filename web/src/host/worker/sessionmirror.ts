import type { BackgroundWork } from "../../agent/acp.js";
import type { Recalled } from "../../agent/sessionbackend.js";
import { Transcript, type TranscriptOp } from "../../agent/transcript.js";
import { EVENT } from "../../base/border.js";
import { piecesOf } from "./transcriptpieces.js";

/** A question of an agent that has no answer yet. */
export interface MirroredQuestion {
  /**
   * Pages' number of the question, which no other question here ever has. Each runtime counts its own from
   * the start.
   */
  readonly number: number;
  /** The runtime's number for it. */
  readonly core: number;
  /** As the core says it. */
  readonly text: string;
  /** Saved draft of the answer, as JSON; undefined for none. */
  draft: string | undefined;
  /** A page has been shown it. */
  isShown: boolean;
}

/** The handle of a session that no runtime has. */
const NOWHERE = -1;

let questions = 0;

/**
 * Mirror of an agent's session, or of the requests outside of all sessions, in a host. A page that comes
 * later, or has missed events, gets from the mirror all that the other pages have.
 */
export class SessionMirror {
  /** Core's number of the session; 0 for the requests outside of all sessions. */
  #handle: number;
  #made: Recalled;
  readonly #transcript = new Transcript();
  /** Values of the session that the agent has named. */
  readonly #names = new Set<string>();
  /** Last event of the session's turns, and the last that ended a turn. */
  #turn: string | undefined;
  #ended: string | undefined;
  #isAtWork = false;
  #isOver = false;
  /** Open questions, by the pages' numbers. */
  readonly #questions = new Map<number, MirroredQuestion>();
  /**
   * Questions that were answered for another carrier of the session, by the core's number. Another answer may
   * have been quicker.
   */
  readonly #given = new Map<number, number>();
  /** Saved drafts for the questions that are asked next, by the core's number. */
  readonly #drafts = new Map<number, string>();

  constructor(handle: number, made: Recalled) {
    this.#handle = handle;
    this.#made = made;
  }

  /** The core's number for it; undefined while no runtime has it, or it is over. */
  get handle(): number | undefined {
    return this.#handle === NOWHERE || this.#isOver ? undefined : this.#handle;
  }

  /** True for a session; false for the requests outside of all sessions. */
  get isSession(): boolean {
    return this.#handle !== 0;
  }

  /** Description of the session by the core. */
  get made(): Recalled {
    return this.#made;
  }

  /** True once the session is over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** True if a turn is under way, a question is open, or an item waits for a person. */
  get isAtWork(): boolean {
    return this.handle !== undefined && (this.#isAtWork || this.#questions.size > 0 || this.#transcript.pending.length > 0);
  }

  /** Open questions, by the pages' numbers. */
  get questions(): ReadonlyMap<number, MirroredQuestion> {
    return this.#questions;
  }

  /** A new runtime has it, and says all of it once more. */
  again(handle: number, made: Recalled): void {
    this.#handle = handle;
    this.#made = made;
    this.#letGo();
    this.#apply({ op: "reset" });
    this.#turn = this.#ended = undefined;
    this.#isAtWork = false;
  }

  /** The runtime that had it has exited, or its number is another session's now. Returns what nobody waits for any more. */
  lost(): number[] {
    const withdrawn = [...this.#questions.keys()];
    if (this.isSession) this.#handle = NOWHERE;
    this.#letGo();
    return withdrawn;
  }

  /**
   * Something has happened in it. Returns its position as pages know it, a question's number
   * there; undefined where no page is to hear of it.
   */
  heard(kind: number, position: number, text: string): number | undefined {
    switch (kind) {
      case EVENT.item:
        this.#apply(JSON.parse(text) as TranscriptOp);
        break;
      case EVENT.phase:
        this.#turned(text);
        break;
      case EVENT.status: {
        const { state } = JSON.parse(text) as { state: string };
        if (state === "closed") this.#over();
        if (state !== "followed" && state !== "owned") break;
        this.#made = { ...this.#made, owned: state === "owned" };
        this.#questions.clear(); // what is still open is asked again
        this.#given.clear();
        break;
      }
      case EVENT.draft:
        this.#drafts.set(position, text);
        return undefined; // it comes with its question
      case EVENT.question:
        return this.#asked(position, text);
      case EVENT.withdrawn:
        return this.#withdrawn(position);
    }
    return position;
  }

  /** Removes a question that has its answer. Reports whether the question was open. */
  answered({ number, core }: MirroredQuestion): boolean {
    if (!this.#questions.delete(number)) return false;
    if (!this.#made.owned) this.#given.set(core, number);
    return true;
  }

  /** The transcript from its start, as events that make it: as it is when the first is taken. */
  transcript(): Generator<string> {
    return piecesOf(this.#transcript, this.#names);
  }

  /** Turns at work, as events. */
  *turns(): Generator<string> {
    if (this.#ended !== undefined && this.#ended !== this.#turn) yield this.#ended;
    if (this.#turn !== undefined) yield this.#turn;
  }

  #asked(core: number, text: string): number {
    const number = this.#open(core)?.number ?? ++questions;
    this.#questions.set(number, { number, core, text, draft: this.#drafts.get(core), isShown: false });
    this.#drafts.delete(core);
    return number;
  }

  #withdrawn(core: number): number | undefined {
    const number = this.#open(core)?.number ?? this.#given.get(core);
    this.#given.delete(core);
    if (number !== undefined) this.#questions.delete(number);
    return number;
  }

  #open(core: number): MirroredQuestion | undefined {
    return [...this.#questions.values()].find((one) => one.core === core);
  }

  #letGo(): void {
    this.#questions.clear();
    this.#given.clear();
    this.#drafts.clear();
  }

  #over(): void {
    this.#isOver = true;
    this.#letGo();
  }

  #apply(op: TranscriptOp): void {
    this.#transcript.apply(op);
    if (op.op === "session") for (const name of Object.keys(op.patch)) this.#names.add(name);
    else if (op.op === "reset") this.#names.clear();
  }

  #turned(text: string): void {
    const { state, ended, background } = JSON.parse(text) as { state: string; ended: boolean; background?: BackgroundWork[] | null };
    this.#turn = text;
    if (ended) this.#ended = text;
    this.#isAtWork = state !== "idle" || (background?.length ?? 0) > 0;
  }
}
