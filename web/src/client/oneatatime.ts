import type { Open } from "../base/mcp.js";

interface Asked {
  readonly answer: Promise<Open>;
  /** How often anything had changed as the request left. */
  readonly changes: number;
  /** What is asked for behind it, for whoever asks after another change. */
  next?: Promise<Open>;
}

/**
 * Requests of which one is under way at a time, and one more behind it, however many ask for the same: a server
 * that says without end that its list has changed is asked no faster than it answers.
 */
export class OneAtATime {
  readonly #asked = new Map<string, Asked>();
  #changes = 0;

  /** What left before may be old. */
  changed(): void {
    this.#changes++;
  }

  /** The answer to a request by that name: to one that is under way, or to one behind it if anything has changed since it left. */
  async get<T extends Open>(name: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.#asked.get(name);
    if (!asked) return this.#begin(name, ask());
    const again = (): Promise<Open> => this.get(name, ask);
    // A copy: what an app does to its own must not be what the next one gets.
    return structuredClone(await (asked.changes === this.#changes ? asked.answer : (asked.next ??= asked.answer.then(again, again)))) as T;
  }

  #begin<T extends Open>(name: string, answer: Promise<T>): Promise<T> {
    this.#asked.set(name, { answer, changes: this.#changes });
    const over = (): void => void this.#asked.delete(name);
    answer.then(over, over);
    return answer;
  }
}
