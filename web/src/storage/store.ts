// The contract of the durable store. The core decides what is written, in bytes
// of its own; a store keeps them and says truthfully whether it has. Two keep it:
// IndexedDB (indexeddb.ts) and, where there is none, the page's memory (memory.ts).

import type { StoreReasonWord } from "../base/border.js";

/**
 * One thing to write. The bytes are the store's from here on. `secret` is plain
 * here and sealed at rest; null for none.
 *
 * | kind | what it does |
 * | --- | --- |
 * | `server` | puts the server's row. `ended`: it says that its session is over, and nothing else. `beside`:
 * the row that is there is of a build that this one cannot read, and stays; this one rests beside it |
 * | `call` | adds a call: its head, owned by this tab, of `epoch`: 1, and more for one that is written again
 * by who has taken it over. Rows of the epochs before count for nothing |
 * | `log` | adds a row to a call's log, without looking whether the epoch is still the call's: a row of an
 * epoch that was taken over is ignored by whoever reads. `ended`: the call has its outcome. Of epoch 0: an
 * app has done with the call's events up to position `n`; it takes the place of lower ones |
 * | `forget` | deletes a call, head and whole log; with `mine` only where this tab carries it or nobody has
 * it, else none of the commit's ops about the call is done. `awaited`: the app waits for it. `outcome`: it
 * had ended, with an outcome of that kind, which {@link Store.ended} knows for a while |
 * | `key` | gives a key, the app's own name for a call, to a call that the same commit adds. Where another
 * call that is stored has it, and another tab carries that one, none of the commit's ops about this call is
 * done; with `dispensable` they are, and it goes without the key. At rest the key is hashed |
 *
 * Adding what is there already fails the whole commit.
 */
export type Op =
  | { kind: "server"; plain: Uint8Array; secret: Uint8Array | null; ended?: boolean; beside?: boolean }
  | { kind: "call"; call: number; epoch: number; plain: Uint8Array }
  | {
    kind: "log";
    call: number;
    epoch: number;
    n: number;
    plain: Uint8Array;
    secret: Uint8Array | null;
    ended?: boolean;
  }
  | { kind: "forget"; call: number; mine?: boolean; awaited?: boolean; outcome?: number }
  | { kind: "key"; call: number; key: Uint8Array; dispensable?: boolean };

/**
 * Contents in the place of a row that does not open (another key, another row's, damaged). No build writes
 * them, and the core can read them in none.
 */
export const UNREADABLE: Uint8Array = new Uint8Array(1);

/**
 * A row that was read; its `plain` is {@link UNREADABLE} where it does not open as a whole. The secret is
 * null where the row has none.
 */
export interface StoredRow {
  plain: Uint8Array;
  secret: Uint8Array | null;
}

/** A server's row. */
export interface ServerRow extends StoredRow {
  /** True once the session is over: the next page makes a new one. */
  ended: boolean;
  /** The row of a build that could not read this one, where there is one. */
  beside?: StoredRow;
}

/** A row of a call's log. */
export interface LogRow extends StoredRow {
  epoch: number;
  n: number;
}

/** Where a row stands in its call's log. */
export type LogPlace = Pick<LogRow, "epoch" | "n">;

/** A call and the valid rows of its log, in the order of (epoch, n). */
export interface LoadedCall {
  call: number;
  /** The epoch that its owner writes under. */
  epoch: number;
  /** True if the owner is this tab. */
  owned: boolean;
  /** The tab that owns the call; empty for none. */
  owner: string;
  plain: Uint8Array;
  /**
   * It has its outcome, so that nobody needs to carry it, nor the secrets by which it could be gone on with:
   * those are null.
   */
  ended: boolean;
  /** An app has done with its events up to this position; 0 for none. */
  acked: number;
  /** A record that is none is missing, so numbers may be: the core has to look. */
  rows: LogRow[];
}

/** Everything of a server, as a tab starts with it. */
export interface Loaded {
  /** A number from 1 to 2^29 - 1 that no other load of this server was given lately. */
  idEpoch: number;
  server: ServerRow | null;
  calls: LoadedCall[];
  /** The latest time that is sure to have come, in ms since 1970, by which records are aged; 0 for none. */
  sound: number;
}

/** The room that a server needs. */
export interface Usage {
  calls: number;
  /** Rows of all logs. */
  rows: number;
  /**
   * Bytes of the contents, with sealed parts and the results of the server's lists, but without keys and
   * overhead.
   */
  bytes: number;
  /**
   * Records whose shape is not one this version writes. They are skipped, and go 30 days after they were
   * found (sweep.ts).
   */
  quarantined: number;
  /** Usage and quota of the whole origin, in bytes; null where the browser reports none. */
  origin: { usage: number; quota: number } | null;
}

/**
 * Why the store could not do it.
 *
 * | reason | meaning |
 * | --- | --- |
 * | `missing` | no IndexedDB here, or it may not be used |
 * | `blocked` | another tab holds the database and does not let go |
 * | `timeout` | the database does not open, and nothing says why |
 * | `quota` | no room; nothing of the commit is stored |
 * | `newer` | a newer version of Holdfast has the database: this one writes no more |
 * | `lost` | the connection broke, and again on a new one |
 * | `cipher` | everything has to be sealed, and there is no cipher (plain http) |
 * | `closed` | `close()`; or what was stored has been deleted: by `forget()` or `wipe()` of any tab, by the
 * user, by the browser. Nothing is ever written again |
 * | `failed` | anything else; `cause` has it |
 */
export type StoreReason = StoreReasonWord;

/**
 * The only error of a store. After it nothing of the operation is stored. Its text holds no content of a row.
 */
export class StoreError extends Error {
  override name = "StoreError";
  /** Why, for programs. */
  readonly reason: StoreReason;

  constructor(reason: StoreReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** Events that a store reports unasked. No listener may throw. */
export interface StoreEvents {
  /**
   * The store lost its database: `newer` (each operation tries again) or for good, `closed`; others if it
   * could not be opened again. `closed` is reported once, and nothing after it.
   */
  onLost?: ((why: StoreReason) => void) | undefined;
  /** The database is not to be had for 1.5 s by now: probably another tab's. The store waits on. */
  onBlocked?: (() => void) | undefined;
}

/** Whose rows a store reads and writes. */
export interface StoreOptions extends StoreEvents {
  /** Key of the server and the user (serverKey). */
  server: string;
  /** True seals the plain part as well, and stores nothing without a cipher. */
  sealAll?: boolean;
  /** Name of this tab, the owner of what it adds. Another page of the same name would count as this one. */
  tab: string;
}

/** The pages' use of their stores, as a sweep asks for it. */
export interface SweepUse {
  /** True if the core could read that call of this server. */
  reads(call: number): boolean;
  /** Asks which servers' stores are open in any page. */
  inUse(): Promise<(server: string) => boolean>;
  /** True once the page is hidden or closes: another page then sweeps the rest. */
  over(): boolean;
}

/** The result of a commit. */
export interface Committed {
  sealed: boolean;
  /**
   * Calls that another tab has taken over, or that are forgotten: this tab's epoch of them is over. Looked
   * for where the commit was strict, or depends on it.
   */
  fenced: readonly number[];
  /** Calls that were not added, since another call has their key. */
  lost: readonly LostKey[];
}

/** A call that was not added. */
export interface LostKey {
  call: number;
  /** The call that has its key, as it stood in that transaction; null where it cannot be read. */
  holder: LoadedCall | null;
}

/** Name of a list that a server serves. One `list_changed` is about one list. */
export type ListName = (typeof LISTS)[number];

/** All of them. */
export const LISTS = ["tools", "prompts", "resources"] as const;

/** The name of a result: its list, and the digest of its inputs. */
export interface ResultName {
  list: ListName;
  /** Hash of all that the result depends on. */
  digest: string;
}

/** A result to keep. */
export interface NewResult extends ResultName {
  /** When it was asked for, and received, in ms since 1970. */
  asked: number;
  at: number;
  /** Until when it may be fresh. */
  until: number;
  /** The bytes that {@link Results.get} returns: sealed at rest. */
  bytes: Uint8Array;
}

/**
 * Results of one server and user, for as long as the server lets a client keep them. Every method may reject
 * with a StoreError.
 */
export interface Results {
  /**
   * Reads one; null where it is not there, {@link UNREADABLE} where it does not open. `latest`: the latest
   * time that the store tells, in ms since 1970.
   */
  get(name: ResultName): Promise<{ bytes: Uint8Array; latest: number } | null>;
  /**
   * Keeps some. For what has no room the oldest of the origin go. Not kept is what was asked for before a
   * {@link Results.drop} of its list.
   */
  put(results: readonly NewResult[]): Promise<void>;
  /** Deletes all of these lists, since they have changed by then (ms since 1970). */
  drop(lists: readonly ListName[], at: number): Promise<void>;
}

/** The durable store of one server, as one tab has it. Every method may reject with a StoreError. */
export interface Store {
  /** Where the rows are: `memory` ends with the page. */
  readonly durability: "indexeddb" | "memory";
  /** True if secrets can be stored: a store on the disk seals them with a key, or leaves them out. */
  readonly seals: boolean;

  /**
   * Reads everything, and takes over, in the same transaction, each call whose
   * owner `alive` says is gone. `alive` is not asked about this tab's own calls, nor
   * are those taken over that nobody has: whoever could read one of them may. Where
   * there is no room nothing is taken over, and `idEpoch` is one at random.
   * `known` is called once it is read who owns what, which nobody changes before
   * the load is over: `alive` is not asked before the logs are read, too.
   */
  load(alive: (owner: string) => boolean, known?: () => void): Promise<Loaded>;

  /** Takes over one call if its epoch is still `epoch`; null if somebody else has, or it is forgotten. */
  takeOver(call: number, epoch: number): Promise<LoadedCall | null>;

  /** Gives up a call that this tab has, for somebody to take over who can read it. */
  release(call: number): Promise<void>;

  /** Reads one call without taking it; null if there is none. */
  read(call: number): Promise<LoadedCall | null>;

  /**
   * Reads the next valid rows of a call's log behind a place, `most` of them or fewer,
   * in their order and without their secrets; none where it is over, or the next one cannot be read.
   */
  rows(call: number, after: LogPlace, most: number): Promise<LogRow[]>;

  /**
   * How a call that is stored no more had ended: a number of the core's, 0 where
   * that is not known. For a day, and of the last calls only.
   */
  ended(call: number): Promise<number>;

  /** Results that the server lets a client keep; undefined where no store outlives the page. */
  readonly results?: Results;

  /** Reads the server's row; null if there is none. */
  readServer(): Promise<ServerRow | null>;

  /**
   * Stores all of it or, rejecting, nothing. `strict` waits for the disk, which
   * only a power cut can tell. `sealed` is false if a secret was left out
   * because there is no cipher. A strict commit also says which of the calls
   * whose rows it holds are another tab's by now: those rows count for nothing.
   *
   * Without a secret or a key among `ops`, and with the database open, the transaction is
   * on its way when this returns, before it resolves: a page that is being left
   * may still write so. It then overtakes a commit whose secrets are just being
   * sealed, so a commit that must come second waits for the first.
   */
  commit(ops: readonly Op[], strict: boolean): Promise<Committed>;

  /**
   * The random mark of what this store has open, from its making until it is forgotten:
   * another one is another store, of the same server and user maybe. Empty in memory.
   */
  readonly generation: string;

  /**
   * Forgets everything of this server and user, and ends: their stores in all tabs write nothing any more,
   * whatever is under way. Returns the generation that has ended.
   */
  forget(): Promise<string>;

  /**
   * True if that generation's rows are deleted, as another page says; an empty name is that of a store that
   * could not be opened. Never rejects: where the database cannot be read, the page's word counts.
   */
  isForgotten(said: string): Promise<boolean>;

  /**
   * Once a day and origin, deletes what nobody has come back to for 30 days: whole
   * stores of other servers and users, and what cannot be read of this one. See sweep.ts.
   */
  sweep(use: SweepUse): Promise<void>;

  /** Counts what this server and user take up. It reads every row: not for the hot road. */
  usage(): Promise<Usage>;

  /** Ends the store. Transactions under way still complete; all else rejects with `closed`. */
  close(): void;
}
