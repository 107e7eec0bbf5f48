/** What has become of one part of a streamed result (SEP-1905). */
export interface Part {
  /** How often it has come over the wire. */
  wire?: number;
  /** It came when later ones were there. */
  late?: true;
  /** The runtime has given it to the page. */
  delivered?: true;
}

/**
 * `due`: not made yet. `missing`: later ones are here. `held`: here, and waits for a missing one. `late`: was
 * missing.
 */
export type PartState = "due" | "missing" | "held" | "here" | "late";

/** Parts that are kept one by one. */
const MAX_PARTS = 2_000;

/** The parts of one call's result, by number: what the wire brought, and what the runtime made of it. */
export class Parts {
  readonly #all: Part[];
  /** Number of the last one that is known to exist. */
  #last: number;
  /** Of those that came over the wire. */
  #highest: number;

  /** `all` is plain data, for a later page; its first entry is the part with number 1. */
  constructor(all: Part[] = []) {
    this.#all = all;
    this.#last = all.length;
    this.#highest = all.reduce((highest, part, i) => (part.wire === undefined ? highest : i + 1), 0);
  }

  /** All of them, as plain data. */
  get all(): Part[] {
    return this.#all;
  }

  /** Number of the last one that is known to exist. */
  get last(): number {
    return this.#last;
  }

  /** The wire has brought these at once. */
  brought(seqNrs: readonly number[]): void {
    const before = this.#highest;
    for (const n of seqNrs) {
      const part = this.#part(n);
      if (!part) continue;
      if (part.wire === undefined && n < before) part.late = true;
      part.wire = (part.wire ?? 0) + 1;
      this.#highest = Math.max(this.#highest, n);
    }
  }

  /**
   * The runtime has given one to the page; `stored` is one from the journal, which the wire has brought
   * before.
   */
  delivered(n: number, stored: boolean): void {
    const part = this.#part(n);
    if (!part) return;
    part.delivered = true;
    if (!stored) return;
    part.wire ??= 1;
    this.#highest = Math.max(this.#highest, n);
  }

  /** Where a part stands. */
  state(n: number): PartState {
    const part = this.#all[n - 1];
    if (part?.delivered) return part.late ? "late" : "here";
    if (part?.wire) return "held";
    return n < this.#last ? "missing" : "due";
  }

  /** How often a part came again. */
  again(n: number): number {
    return Math.max(0, (this.#all[n - 1]?.wire ?? 0) - 1);
  }

  /** The parts in a state. */
  which(state: PartState): number[] {
    return Array.from({ length: this.#last }, (_, i) => i + 1).filter((n) => this.state(n) === state);
  }

  /** How many parts the page has. */
  get had(): number {
    return this.#all.filter((part) => part.delivered).length;
  }

  /** How many were missing for a while. */
  get late(): number {
    return this.#all.filter((part) => part.late).length;
  }

  /** How many came more than once. */
  get repeated(): number {
    return this.#all.filter((part) => (part.wire ?? 0) > 1).length;
  }

  #part(n: number): Part | undefined {
    if (!Number.isInteger(n) || n < 1 || n > MAX_PARTS) return undefined;
    this.#last = Math.max(this.#last, n);
    // No holes: JSON has none.
    while (this.#all.length < n) this.#all.push({});
    return this.#all[n - 1];
  }
}
