// The records as they lie in the database, and what makes one valid. What is
// read is not trusted: another version, a broken disk or a script of the same
// origin may have written it (fault 70). Contents are bytes, never trees (fault
// 72): a tree may be too deep to clone, and costs more than its text.

/** Bytes in a buffer of their own. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The contents of a record outside its secret: `plain` or, where the app has everything sealed
 * (StoreOptions.seal), `all`, the sealed form of `plain`. One of the two.
 */
export interface Contents {
  plain?: Bytes;
  all?: Bytes;
}

/** The row of a server. `secret` is sealed; in memory it is plain. */
export interface ServerRecord extends Contents {
  server: string;
  secret: Bytes | null;
  /** The session is over. */
  ended?: true;
}

/**
 * The head of a call. An epoch is what its owner writes under, from 1; a
 * takeover begins the next one and notes where the log of the last one ends:
 * sealed[e - 1] is the last valid n of epoch e, -1 if it has no row.
 */
export interface HeadRecord extends Contents {
  server: string;
  call: number;
  epoch: number;
  /** Null where nobody has it until somebody who can read it takes it over (fault 135). */
  owner: string | null;
  sealed: number[];
}

/** A row of a call's log. */
export interface LogRecord extends Contents {
  server: string;
  call: number;
  epoch: number;
  n: number;
  secret: Bytes | null;
  /** With this row, or before it, the call has its outcome. */
  ended?: true;
}

/** True if a call has its outcome; `rows` are its valid ones. */
export function hasEnded(rows: readonly LogRecord[]): boolean {
  return rows.some((row) => row.ended === true);
}

/** True if a record is a server's row. */
export function isServer(value: unknown): value is ServerRecord {
  const record = value as ServerRecord | null | undefined;
  return typeof record === "object" &&
    record !== null &&
    typeof record.server === "string" &&
    hasContent(record);
}

/** True if a record is the head of a call. */
export function isHead(value: unknown): value is HeadRecord {
  const record = value as HeadRecord | null | undefined;
  return (
    typeof record === "object" &&
    record !== null &&
    isCount(record.call) &&
    isCount(record.epoch) &&
    (typeof record.owner === "string" || record.owner === null) &&
    Array.isArray(record.sealed) &&
    record.sealed.length === record.epoch - 1 &&
    record.sealed.every((n) => n === -1 || isCount(n)) &&
    hasContents(record)
  );
}

/** True if a record is a row of a log. */
export function isLog(value: unknown): value is LogRecord {
  const record = value as LogRecord | null | undefined;
  return (
    typeof record === "object" &&
    record !== null &&
    isCount(record.call) &&
    isCount(record.epoch) &&
    record.epoch > 0 &&
    isCount(record.n) &&
    hasContent(record)
  );
}

/**
 * True if a record says that an app has done with a call's events up to position n. The row is of epoch 0,
 * which no owner has.
 */
export function isAck(value: unknown): value is LogRecord {
  const record = value as LogRecord | null | undefined;
  return typeof record === "object" &&
    record !== null &&
    isCount(record.call) &&
    record.epoch === 0 &&
    isCount(record.n) &&
    hasContent(record);
}

function hasContents({ plain, all }: { plain?: unknown; all?: unknown }): boolean {
  return plain instanceof Uint8Array || (plain === undefined && all instanceof Uint8Array);
}

function hasContent(record: Contents & { secret: unknown }): boolean {
  return hasContents(record) && (record.secret === null || record.secret instanceof Uint8Array);
}

/** True if a value is a count: 0, 1 or 2, but not -1 or 0.5. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * The rows of a call that count: not what an owner wrote whose
 * epoch was over, and who did not know it (fault 76).
 */
export function validRows(head: HeadRecord, rows: readonly unknown[]): LogRecord[] {
  return rows.filter((row): row is LogRecord => isLog(row) && row.n <= lastOf(head, row.epoch));
}

function lastOf(head: HeadRecord, epoch: number): number {
  return epoch === head.epoch ? Infinity : (head.sealed[epoch - 1] ?? -1);
}

/**
 * The head of a call after `tab` took it over; `rows` are its valid ones. Fields of a later version are kept.
 */
export function takenOver(
  head: HeadRecord, rows: readonly { epoch: number; n: number }[], tab: string,
): HeadRecord {
  let last = -1;
  for (const row of rows) if (row.epoch === head.epoch) last = Math.max(last, row.n);
  return { ...head, epoch: head.epoch + 1, owner: tab, sealed: [...head.sealed, last] };
}

/**
 * Bytes in a buffer that is theirs alone. Cloning a view clones all of the
 * buffer behind it, which may be the whole memory of the wasm.
 */
export function own(bytes: Uint8Array): Bytes {
  return bytes.byteLength === bytes.buffer.byteLength ? (bytes as Bytes) : bytes.slice();
}

/**
 * The first number for a server is random in this many bits, so that clearing the store does not repeat it.
 */
const FIRST_BITS = 28;

/** Ids have room for an epoch below this. */
const EPOCHS = 2 ** 29;

/** The id epoch that follows `last`; a random one where there is none. Never 0. */
export function nextIdEpoch(last: unknown): number {
  if (isCount(last) && last < EPOCHS) return (last + 1) % EPOCHS || 1;
  return crypto.getRandomValues(new Uint32Array(1))[0]! >>> (32 - FIRST_BITS) || 1;
}
