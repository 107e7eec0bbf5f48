import type { LoadedCall } from "../store/index.js";

/** What is known of a call that another page carries. */
export interface Followed {
  owner: string;
  /** Epoch and number of the last row that was told. */
  epoch: number;
  n: number;
  /** It has its outcome. */
  done: boolean;
  /** The whole log is being read; `again` when a row came meanwhile. */
  reading: boolean;
  again: boolean;
}

/** The calls that other pages carry. */
export class FollowedCalls extends Map<number, Followed> {
  /** Books a call as it was read. */
  note(loaded: LoadedCall): Followed {
    const last = loaded.rows[loaded.rows.length - 1];
    const n = last?.epoch === loaded.epoch ? last.n : 0;
    const before = this.get(loaded.call);
    const followed = { owner: loaded.owner, epoch: loaded.epoch, n, done: before?.done ?? false, reading: false, again: false };
    this.set(loaded.call, followed);
    return followed;
  }

  /** Whether a row is the next one; books it if so. */
  next(call: number, epoch: number, n: number): boolean {
    const followed = this.get(call);
    if (!followed || followed.reading || followed.epoch !== epoch || followed.n + 1 !== n) return false;
    followed.n = n;
    return true;
  }

  /** The pages that carry a call without an outcome. */
  owners(): Set<string> {
    const owners = new Set<string>();
    for (const { owner, done } of this.values()) if (!done) owners.add(owner);
    return owners;
  }

  /** The calls without an outcome that a page carries. */
  of(owner: string): number[] {
    return [...this].filter(([, followed]) => followed.owner === owner && !followed.done).map(([call]) => call);
  }
}
