// Operations of the store in the form in which they cross to and from Go:
// jsbridge/store.go describes the layout, core/journal/op.go is its other half.
import { OP_HEADER, OP_OUTCOME_SHIFT, OpFlags, OpKind } from "../base/border.js";
import type { LoadedCall, Op, StoredRow } from "../storage/storage.js";

/**
 * Reads operations. Their bytes are views of `bytes`, or copies, each in a buffer of its own, as what is
 * stored has to be.
 */
export function decodeOps(bytes: Uint8Array, copied = false): Op[] {
  const part = (from: number, to: number): Uint8Array => (
    copied ? bytes.slice(from, to) : bytes.subarray(from, to)
  );
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ops: Op[] = [];
  for (let at = 0; at + OP_HEADER <= bytes.length; ) {
    const kind = bytes[at];
    const flags = bytes[at + 1]!;
    const epoch = view.getUint32(at + 4, true);
    const n = view.getUint32(at + 8, true);
    const call = view.getUint32(at + 12, true) + view.getUint32(at + 16, true) * 2 ** 32;
    const plainEnd = at + OP_HEADER + view.getUint32(at + 20, true);
    const end = plainEnd + view.getUint32(at + 24, true);
    const plain = part(at + OP_HEADER, plainEnd);
    const secret = end > plainEnd ? part(plainEnd, end) : null;
    at = end;
    if (kind === OpKind.Server)
      ops.push({
        kind: "server", plain, secret, ended: (flags & OpFlags.Ended) !== 0,
        beside: (flags & OpFlags.Beside) !== 0,
      });
    else if (kind === OpKind.Call) ops.push({ kind: "call", call, epoch, plain });
    else if (kind === OpKind.Log)
      ops.push({ kind: "log", call, epoch, n, plain, secret, ended: (flags & OpFlags.Ended) !== 0 });
    else if (kind === OpKind.Forget)
      ops.push({
        kind: "forget", call, mine: (flags & OpFlags.Owned) !== 0, awaited: (flags & OpFlags.Awaited) !== 0,
        outcome: outcomeIn(flags),
      });
    else if (kind === OpKind.Key)
      ops.push({ kind: "key", call, key: plain, dispensable: (flags & OpFlags.Owned) !== 0 });
  }
  return ops;
}

/** Takes the head off that is the first of some operations: the call that they are about. */
export function aboutOf(bytes: Uint8Array<ArrayBuffer>): {
  call: number;
  epoch: number;
  n: number;
  rest: Uint8Array<ArrayBuffer>
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const call = view.getUint32(12, true) + view.getUint32(16, true) * 2 ** 32;
  return { call, epoch: view.getUint32(4, true), n: view.getUint32(8, true), rest: bytes.slice(OP_HEADER) };
}

/** Builds a list of operations for the core. */
export class OpList {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;
  /** Where calls begin. */
  readonly #heads: number[] = [];

  /** The server's row, and the one beside it. */
  server(row: StoredRow & { beside?: StoredRow }): this {
    this.#add(OpKind.Server, 0, 0, 0, 0, row.plain, row.secret);
    return row.beside
      ? this.#add(OpKind.Server, OpFlags.Beside, 0, 0, 0, row.beside.plain, row.beside.secret)
      : this;
  }

  /** A call's head, without its log. */
  head(call: number, epoch: number, owned: boolean, plain: Uint8Array): this {
    this.#heads.push(this.#size);
    return this.#add(OpKind.Call, owned ? OpFlags.Owned : 0, call, epoch, 0, plain, null);
  }

  /** A call by its number alone, with the epoch and the row that something is said about. */
  about(call: number, epoch = 0, n = 0): this {
    return this.#add(OpKind.Call, 0, call, epoch, n, NOTHING, null);
  }

  /** A row of a call's log. */
  row(call: number, row: StoredRow & { epoch: number; n: number }): this {
    return this.#add(OpKind.Log, 0, call, row.epoch, row.n, row.plain, row.secret);
  }

  /** A call with its whole log, and who carries it. */
  call(loaded: LoadedCall): this {
    this.#heads.push(this.#size);
    const flags = (loaded.owned ? OpFlags.Owned : 0) | (loaded.ended ? OpFlags.Ended : 0);
    this.#add(
      OpKind.Call, flags, loaded.call, loaded.epoch, 0, loaded.plain, new TextEncoder().encode(loaded.owner),
    );
    if (loaded.acked > 0) this.#add(OpKind.Log, 0, loaded.call, 0, loaded.acked, NOTHING, null);
    for (const row of loaded.rows) this.row(loaded.call, row);
    return this;
  }

  /** A call that is stored no more, and how it had ended. */
  forget(call: number, outcome: number): this {
    const flags = ((outcome % HANDED) << OP_OUTCOME_SHIFT) | (outcome >= HANDED ? OpFlags.Ended : 0);
    return this.#add(OpKind.Forget, flags, call, 0, 0, NOTHING, null);
  }

  /**
   * A call of this page's has lost its key to the one that is added next; to one that cannot be read, where
   * none is.
   */
  lostKey(call: number): this {
    this.#heads.push(this.#size);
    return this.#add(OpKind.Key, 0, call, 0, 0, NOTHING, null);
  }

  /** Operations that are encoded already. */
  list(ops: Uint8Array): this {
    const at = this.#grow(ops.length);
    this.#bytes.set(ops, at);
    return this;
  }

  /** The list, for {@link Runtime.restore}. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#size);
  }

  /** The same in pieces of `most` bytes, or more where one call has more: none ends within a call. */
  pieces(most: number): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let from = 0;
    let end = 0;
    for (const at of [...this.#heads, this.#size]) {
      if (at - from > most && end > from) {
        pieces.push(this.#bytes.subarray(from, end));
        from = end;
      }
      end = at;
    }
    if (end > from) pieces.push(this.#bytes.subarray(from, end));
    return pieces;
  }

  #add(
    kind: number, flags: number, call: number, epoch: number, n: number, plain: Uint8Array,
    secret: Uint8Array | null,
  ): this {
    const at = this.#grow(OP_HEADER + plain.length + (secret?.length ?? 0));
    const plainAt = at + OP_HEADER;
    const secretAt = plainAt + plain.length;
    const view = this.#view;
    this.#bytes[at] = kind;
    this.#bytes[at + 1] = flags;
    view.setUint32(at + 4, epoch, true);
    view.setUint32(at + 8, n, true);
    view.setUint32(at + 12, call % 2 ** 32, true);
    view.setUint32(at + 16, Math.floor(call / 2 ** 32), true);
    view.setUint32(at + 20, plain.length, true);
    view.setUint32(at + 24, secret?.length ?? 0, true);
    this.#bytes.set(plain, plainAt);
    if (secret) this.#bytes.set(secret, secretAt);
    return this;
  }

  /** Makes room for so many bytes more. Returns where they begin. */
  #grow(bytes: number): number {
    const at = this.#size;
    this.#size += bytes;
    if (this.#size > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#size);
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}

/** Flag of an outcome: an app has received it. */
const HANDED = 16;

function outcomeIn(flags: number): number {
  return (flags >> OP_OUTCOME_SHIFT) | (flags & OpFlags.Ended ? HANDED : 0);
}

const NOTHING = new Uint8Array(0);
