import type { BackgroundWork } from "../agent/acp.js";
import type { Recalled } from "../agent/sessionbackend.js";
import { Transcript, type TranscriptOp } from "../agent/transcript.js";
import { EVENT } from "../shared/border.js";
import type { Open } from "../shared/mcp.js";

/** Characters of a terminal's output that are encoded in one go. */
const CHUNK = 0x8000;

/** Something that an agent asks and has no answer to. */
export interface MirroredQuestion {
  /** As the core says it. */
  readonly text: string;
  /** What was saved of its answer: JSON; undefined for nothing. */
  draft: string | undefined;
  /** A page has been shown it. */
  isShown: boolean;
}

/** An event of a session's, without its position. */
type Said = [kind: number, text: string];

/**
 * What a host knows of a session of an agent's, or of what is asked outside of all: enough
 * for a page that comes later, or has missed something, to have all that the others have.
 */
export class SessionMirror {
  /** The core's number for it; 0 for none. */
  handle: number;
  #made: Recalled;
  readonly #transcript = new Transcript();
  /** Values of the session that the agent has named. */
  readonly #names = new Set<string>();
  /** The last word on its turns, and the last that ended one. */
  #turn: string | undefined;
  #ended: string | undefined;
  #isAtWork = false;
  #isOver = false;
  readonly #questions = new Map<number, MirroredQuestion>();
  readonly #drafts = new Map<number, string>();

  constructor(handle: number, made: Recalled) {
    this.handle = handle;
    this.#made = made;
  }

  /** What the core says of it. */
  get made(): Recalled {
    return this.#made;
  }

  /** Whether it is over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether something goes on in it, or waits for somebody. */
  get isAtWork(): boolean {
    return !this.#isOver && (this.#isAtWork || this.#questions.size > 0 || this.#transcript.pending.length > 0);
  }

  /** What is asked, by the core's number for it. */
  get questions(): ReadonlyMap<number, MirroredQuestion> {
    return this.#questions;
  }

  /** A new runtime has it, and says all of it once more. */
  again(handle: number, made: Recalled): void {
    this.handle = handle;
    this.#made = made;
    this.#reset();
    this.#questions.clear();
  }

  /** Something has happened in it. */
  heard(kind: number, position: number, text: string): void {
    switch (kind) {
      case EVENT.transcript:
        this.#apply(JSON.parse(text) as TranscriptOp);
        break;
      case EVENT.turn:
        this.#turned(text);
        break;
      case EVENT.status: {
        const { state } = JSON.parse(text) as { state: string };
        if (state === "closed") this.#isOver = true;
        if (state !== "followed" && state !== "owned") break;
        this.#made = { ...this.#made, owned: state === "owned" };
        this.#questions.clear(); // what is still open is asked again
        break;
      }
      case EVENT.draft:
        this.#drafts.set(position, text);
        break;
      case EVENT.question:
        this.#questions.set(position, { text, draft: this.#drafts.get(position), isShown: false });
        this.#drafts.delete(position);
        break;
      case EVENT.withdrawn:
        this.#questions.delete(position);
        break;
    }
  }

  /** That question has its answer. Reports whether it was open. */
  answered(question: number): boolean {
    return this.#questions.delete(question);
  }

  /** The transcript from its start, as events that make it. */
  *transcript(): Generator<Said> {
    const op = (op: TranscriptOp): Said => [EVENT.transcript, JSON.stringify(op)];
    yield op({ op: "reset" });
    for (const [at, item] of this.#transcript.items.entries()) yield op(putOf(at, item as unknown as Open & { type: string }));
    const patch: Open = {};
    for (const name of this.#names) {
      const value = this.#transcript.value(name);
      if (value !== undefined) Object.defineProperty(patch, name, { value, enumerable: true });
    }
    if (Object.keys(patch).length > 0) yield op({ op: "session", patch });
    for (const { prompt, content } of this.#transcript.pending) yield op({ op: "pending", prompt, content: [...content] });
  }

  /** Who is at work, as events. */
  *turns(): Generator<Said> {
    if (this.#ended !== undefined && this.#ended !== this.#turn) yield [EVENT.turn, this.#ended];
    if (this.#turn !== undefined) yield [EVENT.turn, this.#turn];
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

  #reset(): void {
    this.#apply({ op: "reset" });
    this.#turn = this.#ended = undefined;
    this.#isAtWork = false;
  }
}

/** What makes an item that stands as this one does. */
function putOf(at: number, item: Open & { type: string }): TranscriptOp {
  const { type, id, ...patch } = item as Open & { type: string; id?: string };
  if (type === "unknown") return { op: "put", at, type: String(patch["name"]), patch: patch["update"] as Open };
  const named = id === undefined ? {} : { id };
  if (type !== "terminal") return { op: "put", at, type, ...named, patch };
  const { output, text: _, ...rest } = patch as Open & { output: Uint8Array };
  return { op: "put", at, type, ...named, patch: { ...rest, output: { data: base64(output) } } };
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
