// Whose each key is, the app's own name for a call. It rests as a digest, beside
// the heads of the calls: so whatever deletes those of a server deletes it as well. A
// record counts as long as the call that it names is stored, so that nothing has to look
// for it when a call is forgotten, in a page that may be going; the next load deletes it.

import { heirsOf } from "./heirs.js";
import { type Found, foundCall } from "./loading.js";
import { asWritten, ownerOf } from "./onecall.js";
import { KEY } from "./ranges.js";
import { keyDigest } from "./serverkey.js";
import type { Op } from "./store.js";
import type { Then } from "./transaction.js";

/** The record of a key. */
export interface KeyRecord {
  server: string;
  /** Where a head has the call's number: {@link KEY} and the digest. */
  call: string;
  /** The call that has the key. */
  of: number;
}

/** A call's claim to a key. */
export interface Claim {
  name: string;
  /** True for a call under way: its store goes on without the key where another call has that. */
  dispensable: boolean;
}

/** The keys that `ops` want, by their calls; null where there are none, as a rule. */
export function claimed(ops: readonly Op[], server: string): Promise<Map<number, Claim>> | null {
  const keys = ops.filter((op) => op.kind === "key");
  if (keys.length === 0) return null;
  const claims = keys.map(async (op): Promise<[number, Claim]> => [
    op.call,
    { name: KEY + (await keyDigest(server, op.key)), dispensable: op.dispensable === true },
  ]);
  return Promise.all(claims).then((all) => new Map(all));
}

/**
 * Decides about a call's claim: `stored` where its ops are to be written, else
 * `lost` with the call that has the key. Of two transactions that both want it the
 * database runs one after the other.
 */
export function decide(
  tx: IDBTransaction,
  then: Then,
  who: { server: string; tab: string; call: number; claim: Claim; released: ReadonlySet<number> },
  next: { stored(): void; lost(holder: Found | null): void },
): void {
  const { server, tab, call, claim, released } = who;
  const calls = tx.objectStore("calls");
  const take = (): void => {
    calls.put({ server, call: claim.name, of: call } satisfies KeyRecord);
    next.stored();
  };
  then(calls.get([server, claim.name]), (record: Partial<KeyRecord> | undefined) => {
    if (typeof record?.of !== "number" || record.of === call) return take();
    asWritten(tx, then, server, record.of, (ids, head, rows) => {
      // Between its own calls a page decides by itself, but for one that it cannot read.
      if (head === undefined || (ownerOf(ids, head, rows) === tab && !released.has(record.of!))) take();
      else if (claim.dispensable) next.stored();
      else next.lost(foundCall(head, rows, heirsOf(ids)));
    });
  });
}
