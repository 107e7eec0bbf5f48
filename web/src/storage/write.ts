// The transactions that only write. What they do follows from nothing that they
// read, so that they work in a page that is being left: a request that follows
// from another would be lost. But what only a call's owner may do does.

import { type GenerationRecord, generationName, generationOf, tombstone } from "./generation.js";
import { type Heirs, heirsOf, heirTo } from "./heirs.js";
import { type Claim, decide } from "./callkeys.js";
import type { Found } from "./loading.js";
import { asWritten, ownerOf } from "./onecall.js";
import { openDatabase } from "./open.js";
import { below } from "./ranges.js";
import {
  type Bytes, type Contents, type HeadRecord, type LogRecord, own, type ServerRecord,
} from "./rows.js";
import { type Identity, seal } from "./seal.js";
import { type Op, StoreError } from "./store.js";
import { resultKeys } from "./resultrows.js";
import { tombstoneOf } from "./calltombstones.js";
import { notesName } from "./unreadable.js";
import { commit, storeError, transact } from "./transaction.js";

/** The identity that a secret of the server's row is sealed under. */
export function serverIdentity(server: string): Identity {
  return ["servers", server];
}

/**
 * The name under which `keys` has the row of a server that rests beside it, for builds that cannot read the
 * row itself.
 */
export function besideName(server: string): string {
  return `beside ${server}`;
}

/** The identity that a secret of that row is sealed under. */
export function besideIdentity(server: string): Identity {
  return [...serverIdentity(server), "beside"];
}

/** The identity that a secret of a row of a log is sealed under. */
export function logIdentity(server: string, call: number, epoch: number, n: number): Identity {
  return ["log", server, call, epoch, n];
}

/**
 * The identity that the head of a call is sealed under: whoever takes it over leaves its contents as they
 * are.
 */
export function headIdentity(server: string, call: number): Identity {
  return ["calls", server, call];
}

/** The identity that what is plain of a row is sealed under, where everything is. */
export function plainIdentity(row: Identity): Identity {
  return [...row, "plain"];
}

/** The sealed parts of an op. */
export interface Sealed {
  secret: Bytes | null;
  /** The sealed plain part, where everything is sealed. */
  all?: Bytes;
}

/** Seals the secrets of `ops`, or all that is in them: a list with the parts at the places of their ops. */
export function sealOps(
  key: CryptoKey, server: string, ops: readonly Op[], everything: boolean,
): Promise<Sealed[]> {
  return Promise.all(
    ops.map(async (op): Promise<Sealed> => {
      if (op.kind === "forget" || op.kind === "key") return UNSEALED;
      const row = identityOf(server, op);
      const secret = hasSecret(op) ? await seal(key, row, op.secret) : null;
      return everything && hasContent(op)
        ? { secret, all: await seal(key, plainIdentity(row), op.plain) }
        : { secret };
    }),
  );
}

function identityOf(server: string, op: Exclude<Op, { kind: "forget" | "key" }>): Identity {
  if (op.kind === "server") return op.beside ? besideIdentity(server) : serverIdentity(server);
  return op.kind === "call" ? headIdentity(server, op.call) : logIdentity(server, op.call, op.epoch, op.n);
}

/** True if an op has a secret. */
export function hasSecret(op: Op): op is Extract<Op, { secret: unknown }> & { secret: Uint8Array } {
  return (op.kind === "server" || op.kind === "log") && op.secret !== null;
}

/**
 * True if an op has more than its numbers. An ack has only numbers, and a page writes it even while the page
 * is left.
 */
export function hasContent(op: Op): boolean {
  return op.kind === "server" || op.kind === "call" || (op.kind === "log" && op.epoch > 0);
}

const UNSEALED: Sealed = { secret: null };

/** Whose write it is. */
export interface Writer {
  server: string;
  /** Generation of the store that writes. */
  generation: string;
  tab: string;
  /** A second try of what broke off: it may be stored already, then what is there is the same. */
  retry: boolean;
}

/** Whose write it is, and how. */
export interface Writing extends Writer {
  strict: boolean;
  /** The keys that calls want which are added. */
  claims: ReadonlyMap<number, Claim> | null;
  /** The time, in ms since 1970, where the store is to say when it was last written to; else 0. */
  at: number;
  /** Calls that this tab has given up: their keys are not its own. */
  released: ReadonlySet<number>;
  /** There is no room: nothing is added for what `ops` delete, not even a tombstone. */
  full?: boolean;
}

/** Findings of a transaction. */
export interface Written {
  fenced: number[];
  lost: { call: number; holder: Found | null }[];
}

const NO_CLAIMS: ReadonlyMap<number, Claim> = new Map();

/**
 * Writes `ops` in one transaction, which is on its way when this returns. `sealed` are their sealed parts, at
 * the places of their ops.
 */
export function write(
  db: IDBDatabase, ops: readonly Op[], sealed: readonly Sealed[], how: Writing,
): Promise<Written> {
  const { server, generation, strict, retry, full = false } = how;
  const claims = how.claims ?? NO_CLAIMS;
  // Only what is needed: a log row must not wait for who reads the heads.
  const stores = new Set(ops.flatMap(touched));
  const done: Written = { fenced: [], lost: [] };
  if (stores.size === 0) return Promise.resolve(done);
  const guarded = ownersOnly(ops);
  const carried = strict ? written(ops, new Set([...guarded, ...claims.keys()])) : new Set<number>();
  if (guarded.size > 0) stores.add("ids");
  if (carried.size > 0) stores.add("calls").add("ids");
  if (claims.size > 0) stores.add("ids").add("log");
  return transact(db, {
    stores: [...stores], mode: "readwrite", strict, generation, onlyDeletes: full,
  }, (tx, then) => {
    // Blind, as the rest: whatever has the name there is of this generation, or the fence fails.
    if (how.at > 0 && !full)
      tx.objectStore("keys").put(
        { name: generationName(server), value: generation, at: how.at } satisfies GenerationRecord,
      );
    const add = (store: string, record: HeadRecord | LogRecord): void => {
      const request = tx.objectStore(store).add(record);
      if (!retry) return;
      request.onerror = (event) => {
        if (request.error?.name === "ConstraintError") event.preventDefault();
      };
    };
    const forget = (first: number, last = first): void => {
      tx.objectStore("calls").delete(IDBKeyRange.bound([server, first], [server, last]));
      tx.objectStore("log").delete(IDBKeyRange.bound([server, first], [server, last, []]));
    };
    const putTombstone = (call: number, outcome = 0): void => {
      if (outcome && !full) tx.objectStore("calls").put(tombstoneOf(server, call, outcome));
    };
    const carryOut = (op: Op, i: number): void => {
      switch (op.kind) {
        case "server":
          if (op.beside)
            tx.objectStore("keys").put({ name: besideName(server), ...serverRecord(server, op, sealed[i]) });
          else tx.objectStore("servers").put(serverRecord(server, op, sealed[i]));
          break;
        case "call":
          add("calls", headRecord(server, op, how.tab, sealed[i]));
          break;
        case "log":
          if (op.epoch === 0) {
            // Blind, as all of it: a higher one that is there stays, and counts.
            tx.objectStore("log").delete(
              IDBKeyRange.bound([server, op.call, 0, 0], [server, op.call, 0, op.n]),
            );
            tx.objectStore("log").put(logRecord(server, op));
            break;
          }
          add("log", logRecord(server, op, sealed[i]));
          break;
        case "forget":
          forget(op.call);
          putTombstone(op.call, op.outcome);
          break;
        case "key": // decided before
      }
    };
    const carryOutAll = (call: number): void =>
      ops.forEach((op, i) => op.kind !== "server" && op.call === call && carryOut(op, i));
    const claim = (call: number): void => {
      const claim = claims.get(call);
      if (!claim) return carryOutAll(call);
      decide(tx, then, { server, tab: how.tab, call, claim, released: how.released }, {
        stored: () => carryOutAll(call),
        lost: (holder) => done.lost.push({ call, holder }),
      });
    };
    const forgotten: number[] = [];
    const forgetAll = (): void => runs(forgotten.splice(0)).forEach((run) => forget(...run));
    ops.forEach((op, i) => {
      if (op.kind !== "server" && (guarded.has(op.call) || claims.has(op.call))) return;
      if (op.kind === "forget") {
        forgotten.push(op.call);
        putTombstone(op.call, op.outcome);
        return;
      }
      forgetAll(); // in its place: what follows may write the call again
      carryOut(op, i);
    });
    forgetAll();
    for (const call of guarded) {
      asWritten(tx, then, server, call, (ids, head, rows) => {
        if (head !== undefined && ownerOf(ids, head, rows) !== how.tab) done.fenced.push(call);
        else claim(call);
      });
    }
    for (const call of claims.keys()) if (!guarded.has(call)) claim(call);
    let heirs: Heirs;
    if (carried.size > 0) then(tx.objectStore("ids").get([server]), (ids) => (heirs = heirsOf(ids)));
    for (const call of carried) {
      then(tx.objectStore("calls").get([server, call]), (head: HeadRecord | undefined) => {
        if (head?.owner !== how.tab && (head && heirTo(head, heirs)?.tab) !== how.tab) done.fenced.push(call);
      });
    }
    // Without it Chrome waits for the last callback before it commits, and a
    // page that is being left has no callbacks any more.
    if (!retry && !full && guarded.size === 0 && claims.size === 0) commit(tx);
    return () => done;
  });
}

/**
 * Calls whose numbers follow each other, each time the first and the last: of small calls that are deleted
 * together nearly all do.
 */
function runs(calls: number[]): [first: number, last: number][] {
  const found: [first: number, last: number][] = [];
  for (const call of calls.sort((a, b) => a - b)) {
    const run = found.at(-1);
    if (run && call === run[1] + 1) run[1] = call;
    else found.push([call, call]);
  }
  return found;
}

/** The calls about which `ops` are for their owner alone. */
export function ownersOnly(ops: readonly Op[]): Set<number> {
  return new Set(ops.flatMap((op) => (op.kind === "forget" && op.mine ? [op.call] : [])));
}

/**
 * The calls whose rows are among `ops`, but those that are looked at anyway: who acts on what is stored has
 * to know that it is the one to act.
 */
export function written(ops: readonly Op[], looked: ReadonlySet<number>): Set<number> {
  return new Set(
    ops.flatMap((op) => (op.kind === "log" && op.epoch > 0 && !looked.has(op.call) ? [op.call] : [])),
  );
}

/** True if `ops` delete calls, and do no more: such a commit needs no room. */
export function onlyDeletes(ops: readonly Op[]): boolean {
  return ops.length > 0 && ops.every((op) => op.kind === "forget");
}

function touched(op: Op): string[] {
  switch (op.kind) {
    case "server":
      return [op.beside ? "keys" : "servers"];
    case "call":
    case "key":
      return ["calls"];
    case "log":
      return ["log"];
    case "forget":
      return ["calls", "log"];
  }
}

/**
 * Deletes all of a server, where `still` says so of its generation, and keeps out what
 * pages that do not know it have under way. Returns the generation that has ended.
 */
export async function forgetServer(
  db: IDBDatabase, server: string, still: (record: unknown) => boolean = () => true,
): Promise<string | undefined> {
  try {
    return await deleteServer(db, server, still, true);
  } catch (error) {
    if (storeError(error).reason !== "quota") throw error;
  }
  const generation = await deleteServer(db, server, still, false);
  if (generation === undefined) return undefined;
  // Where there was no room for it before, there may be by now.
  const scope = { stores: ["keys"], mode: "readwrite" } as const;
  await transact(db, scope, (tx) => {
    tx.objectStore("keys").put(tombstone(generation, Date.now()));
    return () => undefined;
  }).catch(() => undefined);
  return generation;
}

/**
 * Deletes all that is stored of a server and user in a store that cannot be opened, for want of room: a
 * deletion needs none. Makes nothing where there is nothing. Rejects with a StoreError.
 */
export async function forgetUnopened(server: string): Promise<void> {
  let db: IDBDatabase;
  try {
    db = await openDatabase(() => undefined, { make: false });
  } catch (error) {
    // There is no database, or none can be had here: so nothing is in it.
    if (error instanceof StoreError && (error.reason === "closed" || error.reason === "missing")) return;
    throw error;
  }
  try {
    await forgetServer(db, server);
  } finally {
    db.close();
  }
}

/** Deletes all of a server; `marks` the end of its generation, which it returns, with a tombstone. */
function deleteServer(
  db: IDBDatabase, server: string, still: (record: unknown) => boolean, marks: boolean,
): Promise<string | undefined> {
  const scope = {
    stores: ["ids", "servers", "calls", "log", "keys"], mode: "readwrite", strict: true,
  } as const;
  let generation: string | undefined;
  return transact(db, scope, (tx, then) => {
    const keys = tx.objectStore("keys");
    then(keys.get([generationName(server)]), (record) => {
      if (!still(record)) return;
      generation = generationOf(record);
      if (generation !== undefined && marks) keys.put(tombstone(generation, Date.now()));
      for (const name of [generationName(server), notesName(server), besideName(server)]) keys.delete([name]);
      for (const store of ["ids", "servers"]) tx.objectStore(store).delete([server]);
      for (const store of ["calls", "log"]) tx.objectStore(store).delete(below(server));
      tx.objectStore("log").delete(resultKeys(server));
      commit(tx);
    });
    return () => generation;
  });
}

/** The record of a server's row. */
export function serverRecord(
  server: string, op: { plain: Uint8Array; ended?: boolean }, sealed: Sealed = UNSEALED,
): ServerRecord {
  const record: ServerRecord = { server, ...contents(op.plain, sealed), secret: sealed.secret };
  if (op.ended) record.ended = true;
  return record;
}

/** The record of a new call's head. */
export function headRecord(
  server: string,
  op: { call: number; epoch: number; plain: Uint8Array },
  owner: string,
  by: Sealed = UNSEALED,
): HeadRecord {
  // Late writes of former owners must not count (fault 76).
  const sealed = new Array<number>(op.epoch - 1).fill(-1);
  return { server, call: op.call, epoch: op.epoch, owner, sealed, ...contents(op.plain, by) };
}

/** The record of a row of a log. */
export function logRecord(
  server: string,
  op: { call: number; epoch: number; n: number; plain: Uint8Array; ended?: boolean },
  sealed: Sealed = UNSEALED,
): LogRecord {
  const record: LogRecord = {
    server, call: op.call, epoch: op.epoch, n: op.n, ...contents(op.plain, sealed), secret: sealed.secret,
  };
  if (op.ended) record.ended = true;
  return record;
}

function contents(plain: Uint8Array, { all }: Sealed): Contents {
  return all ? { all } : { plain: own(plain) };
}
