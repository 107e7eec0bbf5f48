// What both stores do with records once they have read them: which calls there
// are, which of them this tab takes over, what it all weighs. No I/O.

import { type HeadRecord, isHead, isLog, isServer, type LogRecord, nextIdEpoch, type ServerRecord, takenOver, validRows } from "./rows.js";
import type { Usage } from "./store.js";

/** A call as it was read: its head, and the rows of its log that count. */
export interface Found {
  head: HeadRecord;
  rows: LogRecord[];
}

/** All records of a server, as read. */
export interface Records {
  ids: unknown;
  server: unknown;
  heads: readonly unknown[];
  rows: readonly unknown[];
}

/** What a load returns, and what it changes. */
export interface Loading {
  idEpoch: number;
  server: ServerRecord | null;
  calls: Found[];
  /** Heads to put: of the calls that were taken over. */
  taken: HeadRecord[];
  /** Calls without a head whose rows are to be deleted: they were forgotten while their owner still wrote. */
  orphans: number[];
}

/** Decides what a load by `tab` does. `isGone` is asked once for each owner. */
export function loading(records: Records, tab: string, isGone: (owner: string) => boolean): Loading {
  const rows = byCall(records.rows);
  const gone = new Map<string, boolean>();
  const calls: Found[] = [];
  const taken: HeadRecord[] = [];
  for (const record of records.heads) {
    const call = callOf(record);
    const found = call === undefined ? null : foundCall(record, rows.get(call) ?? []);
    if (call !== undefined) rows.delete(call);
    if (!found) continue;
    const { owner } = found.head;
    if (!gone.has(owner)) gone.set(owner, isGone(owner));
    if (gone.get(owner)) {
      found.head = takenOver(found.head, found.rows, tab);
      taken.push(found.head);
    }
    calls.push(found);
  }
  return {
    idEpoch: nextIdEpoch((records.ids as { last?: unknown } | undefined)?.last),
    server: isServer(records.server) ? records.server : null,
    calls,
    taken,
    orphans: [...rows.keys()],
  };
}

/** Puts a head and the rows of its call together; null unless the head is one. */
export function foundCall(head: unknown, rows: readonly unknown[]): Found | null {
  return isHead(head) ? { head, rows: validRows(head, rows) } : null;
}

/**
 * Takes a call over, if its head is of `epoch`. `again` is the second try of
 * what broke off: it may have been done already.
 */
export function taking(head: unknown, rows: readonly unknown[], epoch: number, tab: string, again: boolean): Found | null {
  const found = foundCall(head, rows);
  if (again && found?.head.epoch === epoch + 1 && found.head.owner === tab) return found;
  if (found?.head.epoch !== epoch) return null;
  return { head: takenOver(found.head, found.rows, tab), rows: found.rows };
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
    if (kind === "server" ? isServer(record) : kind === "head" ? isHead(record) : isLog(record)) {
      const { plain, secret } = record as LogRecord;
      usage.bytes += plain.byteLength + (secret?.byteLength ?? 0);
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
