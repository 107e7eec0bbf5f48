// The load of a store from its records: the calls of the store, those that this tab adopts, and the weight of
// all. Both stores share this. No I/O.

import { goesAlong, type Heir, type Heirs, heirsOf, inherit, inherited } from "./heirs.js";
import {
  type HeadRecord, hasEnded, isAck, isHead, isLog, isServer, type LogRecord, nextIdEpoch, type ServerRecord,
  takenOver, validRows,
} from "./rows.js";
import type { Usage } from "./store.js";

/** A call as it was read: its head, and the rows of its log that count. */
export interface Found {
  /** The head as it stands. */
  head: HeadRecord;
  /** The head as it is written, which may be that of a page whose ended calls another one has. */
  written: HeadRecord;
  rows: LogRecord[];
  ended: boolean;
  /** An app has done with its events up to this position. */
  acked: number;
}

/** The result of a load, and the changes that the load makes. */
export interface Loading {
  idEpoch: number;
  server: ServerRecord | null;
  /** The row beside that. */
  beside: ServerRecord | null;
  calls: Found[];
  /** Heirs that still have calls. */
  heirs: Heirs;
  /**
   * Heads to put: of the calls that were taken over, and that their owners' heirs do not have with all
   * others.
   */
  taken: HeadRecord[];
  /** Calls without a head whose rows are to be deleted: they were forgotten while their owner still wrote. */
  orphans: number[];
}

/**
 * Puts the records of a server together as they are read: first the heads, then the logs, a number of calls
 * at a time.
 */
export class Gathering {
  readonly #ids: unknown;
  readonly #server: unknown;
  readonly #heads: readonly unknown[];
  readonly #byCall = new Map<number, unknown>();
  readonly #heirs: Map<string, Heir>;
  readonly #found = new Map<unknown, Found>();
  readonly #orphans: number[] = [];

  constructor(ids: unknown, server: unknown, heads: readonly unknown[]) {
    this.#ids = ids;
    this.#server = server;
    this.#heads = heads;
    this.#heirs = heirsOf(ids);
    for (const head of heads) this.#byCall.set(callOf(head) ?? -1, head);
  }

  /** The numbers of the calls that have a head. */
  numbers(): Iterable<number> {
    return this.#byCall.keys();
  }

  /** Takes the whole logs of some calls. */
  logs(rows: readonly unknown[]): void {
    for (const [call, log] of byCall(rows)) {
      const head = this.#byCall.get(call);
      const found = foundCall(head, log, this.#heirs);
      if (found) this.#found.set(head, found);
      else if (head === undefined) this.#orphans.push(call);
    }
  }

  /** Decides what a load by `tab` does. `isGone` is asked once for each owner. */
  end(tab: string, isGone: (owner: string) => boolean): Loading {
    const heirs = this.#heirs;
    const calls: Found[] = [];
    const gone = new Map<string, boolean>();
    const along: Found[] = [];
    const taken: HeadRecord[] = [];
    for (const head of this.#heads) {
      const found = this.#found.get(head) ?? foundCall(head, [], heirs);
      if (!found) continue;
      calls.push(found);
      const { owner } = found.head;
      if (owner === null) continue; // it has to be read first
      if (!gone.has(owner)) gone.set(owner, isGone(owner));
      if (!gone.get(owner)) continue;
      if (goesAlong(found.written, found.rows, heirs)) {
        along.push(found);
      } else {
        found.head = found.written = takenOver(found.head, found.rows, tab);
        taken.push(found.head);
      }
    }
    inherit(heirs, along.map(({ written }) => written), tab);
    for (const found of along) found.head = inherited(found.written, found.rows, heirs);
    const owners = new Set<string | null>(calls.map(({ written }) => written.owner));
    for (const owner of heirs.keys()) if (!owners.has(owner)) heirs.delete(owner);
    return {
      idEpoch: nextIdEpoch((this.#ids as { last?: unknown } | undefined)?.last),
      server: isServer(this.#server) ? this.#server : null,
      beside: null,
      calls,
      heirs,
      taken,
      orphans: this.#orphans,
    };
  }
}

/** Puts a head and the rows of its call together; null unless the head is one. */
export function foundCall(head: unknown, all: readonly unknown[], heirs: Heirs): Found | null {
  if (!isHead(head)) return null;
  const before = validRows(head, all);
  const now = inherited(head, before, heirs);
  let acked = 0;
  for (const row of all) if (isAck(row) && row.n > acked) acked = row.n;
  return {
    head: now,
    written: head,
    rows: now === head ? before : validRows(now, all),
    ended: hasEnded(before),
    acked,
  };
}

/**
 * Takes a call over, if its head is of `epoch`. `retry` is the second try of
 * what broke off: it may have been done already.
 */
export function taking(
  head: unknown, rows: readonly unknown[], heirs: Heirs, epoch: number, tab: string, retry: boolean,
): Found | null {
  const found = foundCall(head, rows, heirs);
  if (retry && found?.head.epoch === epoch + 1 && found.head.owner === tab) return found;
  if (found?.head.epoch !== epoch) return null;
  const taken = takenOver(found.head, found.rows, tab);
  return { ...found, head: taken, written: taken };
}

/** Groups rows by their call. What has no number for a call belongs to none. */
function byCall(rows: readonly unknown[]): Map<number, unknown[]> {
  const groups = new Map<number, unknown[]>();
  for (const row of rows) {
    const call = callOf(row);
    if (call === undefined) continue;
    const group = groups.get(call);
    if (group) group.push(row);
    else groups.set(call, [row]);
  }
  return groups;
}

function callOf(record: unknown): number | undefined {
  const call = (record as { call?: unknown } | null | undefined)?.call;
  return typeof call === "number" ? call : undefined;
}

/** Adds records to a count, which starts as noUsage(). */
export function count(usage: Usage, kind: "server" | "head" | "log", records: readonly unknown[]): void {
  for (const record of records) {
    if (
      kind === "server" ? isServer(record) : kind === "head" ? isHead(record) : isLog(record) || isAck(record)
    ) {
      const { plain, all, secret } = record as LogRecord;
      usage.bytes += (plain ?? all!).byteLength + (secret?.byteLength ?? 0);
      if (kind === "head") usage.calls++;
      if (kind === "log") usage.rows++;
    } else {
      usage.quarantined++;
    }
  }
}

/** A count of nothing, with what the browser says of the origin. */
export async function noUsage(): Promise<Usage> {
  const usage: Usage = { calls: 0, rows: 0, bytes: 0, quarantined: 0, origin: null };
  try {
    const estimate = await globalThis.navigator?.storage?.estimate?.();
    if (estimate) usage.origin = { usage: estimate.usage ?? 0, quota: estimate.quota ?? 0 };
  } catch {
    // Some browsers have the method and refuse it, in a private window for one.
  }
  return usage;
}
