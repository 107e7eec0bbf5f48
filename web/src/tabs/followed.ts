import type { LoadedCall, Op } from "../storage/storage.js";

/** A row of a log, as another page tells it. */
export type Row = Extract<Op, { kind: "log" }>;

/** What is known of a call that another page carries. */
export interface Followed {
  owner: string;
  /** Epoch and number of the last row that was told. */
  epoch: number;
  n: number;
  /** It has its outcome. */
  done: boolean;
  /** This page carried it until then: which row of the epoch before was the last to count. */
  handed?: { epoch: number; sealed: number };
  /** The whole log is being read: what is told meanwhile waits. */
  reading: boolean;
  waiting: (() => void)[];
}

/** What is to be done with a row. */
export type Turn = "next" | "old" | "missed";

/** The calls that other pages carry. */
export class FollowedCalls extends Map<number, Followed> {
  /** Books a call that `owner` carries. */
  note(call: number, owner: string, epoch: number, n: number): Followed {
    const before = this.get(call);
    const followed: Followed = { owner, epoch, n, done: before?.done ?? false, reading: false, waiting: [] };
    this.set(call, followed);
    return followed;
  }

  /** Whether something has to wait until a call is read; then it does. */
  later(call: number, then: () => void): boolean {
    const followed = this.get(call);
    if (!followed?.reading) return false;
    followed.waiting.push(then);
    return true;
  }

  /** Books a call as it was read. */
  loaded(loaded: LoadedCall): Followed {
    const followed = this.note(loaded.call, loaded.owner, loaded.epoch, lastOf(loaded, loaded.epoch));
    followed.done ||= loaded.ended; // then nobody needs to ask whether its owner lives
    return followed;
  }

  /** Decides about a row, and books it where it is the next one. */
  turn(followed: Followed, row: Row): Turn {
    if (row.epoch < followed.epoch || (row.epoch === followed.epoch && row.n <= followed.n)) return "old";
    if (row.epoch !== followed.epoch || row.n !== followed.n + 1) return "missed";
    followed.n = row.n;
    return "next";
  }

  /** Those without an outcome. */
  unfinished(): number[] {
    return [...this].filter(([, followed]) => !followed.done).map(([call]) => call);
  }

  /** The pages that carry a call without an outcome. */
  owners(): Set<string> {
    const owners = new Set<string>();
    for (const { owner, done } of this.values()) if (!done && owner !== "") owners.add(owner);
    return owners;
  }

  /** The calls without an outcome that a page carries, in any order: others may be taking them, too. */
  of(owner: string): number[] {
    const calls = [...this].filter(([, followed]) => followed.owner === owner && !followed.done).map(([call]) => call);
    for (let i = calls.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [calls[i], calls[j]] = [calls[j]!, calls[i]!];
    }
    return calls;
  }
}

/** The number of the last row of an epoch; 0 where it has none. */
export function lastOf(loaded: LoadedCall, epoch: number): number {
  let last = 0;
  for (const row of loaded.rows) if (row.epoch === epoch && row.n > last) last = row.n;
  return last;
}
