import type { Open } from "../base/mcp.js";
import { othersFirst } from "../base/yielding.js";

/**
 * Copies that are made in one task: of two thousand together one took 65 ms, and of a hundred 4 (Chromium
 * 156).
 */
const AT_ONCE = 100;

/**
 * An answer that many wait for. Each has a copy: what an app does to its own must not be what the next one
 * gets.
 */
class Shared {
  readonly answer: Promise<Open>;
  #turn: Promise<Open>;
  #copies = 0;

  constructor(answer: Promise<Open>) {
    this.answer = this.#turn = answer;
  }

  async copy(): Promise<Open> {
    if (++this.#copies % AT_ONCE === 0) this.#turn = this.#turn.finally(othersFirst);
    return structuredClone(await this.#turn);
  }
}

class Asked extends Shared {
  /** Number of changes before the request left. */
  readonly changes: number;
  /** The request behind this one, for callers that ask after a change. */
  next?: Shared;

  constructor(answer: Promise<Open>, changes: number) {
    super(answer);
    this.changes = changes;
  }
}

/**
 * Requests of which one is under way at a time, and one more behind it, however many ask for the same: a
 * server that says without end that its list has changed is asked no faster than it answers.
 */
export class OneAtATime {
  readonly #asked = new Map<string, Asked>();
  #changes = 0;

  /** Counts a change: the answer to an earlier request may be old. */
  changed(): void {
    this.#changes++;
  }

  /**
   * The answer to a request by that name: to one that is under way, or to one behind it if anything has
   * changed since it left.
   */
  async get<T extends Open>(name: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(name);
    if (!asked) return this.#begin(name, ask());
    const again = (): Promise<Open> => this.get(name, ask);
    const shared = asked.changes === this.#changes
      ? asked
      : (asked.next ??= new Shared(asked.answer.then(again, again)));
    return (await shared.copy()) as T;
  }

  #begin<T extends Open>(name: string, answer: Promise<T>): Promise<T> {
    this.#asked.set(name, new Asked(answer, this.#changes));
    const over = (): void => void this.#asked.delete(name);
    answer.then(over, over);
    return answer;
  }
}
