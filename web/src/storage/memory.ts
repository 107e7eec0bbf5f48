import type { Heirs } from "./heirs.js";
import { type Held, held, type OpenInMemory, openInMemory } from "./memorystores.js";
import { isOverBeside } from "./forgotten.js";
import { count, type Found, foundCall, Gathering, noUsage, taking } from "./loading.js";
import { type Bytes, type LogRecord, own, type ServerRecord, validRows } from "./rows.js";
import {
  type Committed, type Loaded, type LoadedCall, type LogRow, type LostKey, type Op, type LogPlace,
  type ServerRow, type Store, StoreError, type StoredRow, type StoreOptions, type Usage,
} from "./store.js";
import { outcomeOf, placeOf, tombstoneOf } from "./calltombstones.js";
import { headRecord, logRecord, ownersOnly, serverRecord, written } from "./write.js";

/** Here every head is written again: that costs nothing. */
const NO_HEIRS: Heirs = new Map();

/**
 * Opens the store of the page's memory, for where the database cannot be had. It keeps secrets as they are.
 */
export function memoryStore(options: StoreOptions): Store {
  const store = new MemoryStore(options);
  openInMemory.add(store);
  return store;
}

class MemoryStore implements Store, OpenInMemory {
  readonly durability = "memory";
  readonly seals = true;
  readonly generation = "";
  readonly #options: StoreOptions;
  #closed = false;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get server(): string {
    return this.#options.server;
  }

  async load(alive: (owner: string) => boolean, known: () => void = () => {}): Promise<Loaded> {
    known();
    const mine = this.#held();
    const { tab } = this.#options;
    const gathering = new Gathering(mine.ids, mine.server, inOrder(mine.heads));
    gathering.logs(inOrder(mine.log).flat());
    const found = gathering.end(tab, (owner) => owner !== tab && !alive(owner));
    mine.ids = { last: found.idEpoch };
    for (const { head } of found.calls) mine.heads.set(head.call, head);
    for (const call of found.orphans) mine.log.delete(call);
    for (const [key, call] of mine.keys) if (!mine.heads.has(call)) mine.keys.delete(key);
    return {
      idEpoch: found.idEpoch,
      server: copiedServer(found.server),
      calls: found.calls.map((call) => this.#copiedCall(call)),
      sound: 0,
    };
  }

  async takeOver(call: number, epoch: number): Promise<LoadedCall | null> {
    const mine = this.#held();
    const found =
      taking(mine.heads.get(call), mine.log.get(call) ?? [], NO_HEIRS, epoch, this.#options.tab, false);
    if (found) mine.heads.set(call, found.head);
    return found && this.#copiedCall(found);
  }

  async release(call: number): Promise<void> {
    const mine = this.#held();
    const head = mine.heads.get(call);
    if (head?.owner === this.#options.tab) mine.heads.set(call, { ...head, owner: null });
  }

  async read(call: number): Promise<LoadedCall | null> {
    return this.#find(this.#held(), call);
  }

  async rows(call: number, after: LogPlace, most: number): Promise<LogRow[]> {
    const mine = this.#held();
    const head = mine.heads.get(call);
    const rows = head ? validRows(head, mine.log.get(call) ?? []) : [];
    const from =
      rows.findIndex((row) => row.epoch > after.epoch || (row.epoch === after.epoch && row.n > after.n));
    return from < 0 ? [] : rows.slice(from, from + most)
      .map(({ epoch, n, plain }) => ({ epoch, n, plain: plain!.slice(), secret: null }));
  }

  async ended(call: number): Promise<number> {
    return outcomeOf(this.#held().tombstones.get(placeOf(call)), call);
  }

  async readServer(): Promise<ServerRow | null> {
    return copiedServer(this.#held().server);
  }

  async commit(ops: readonly Op[], strict: boolean): Promise<Committed> {
    const mine = this.#held();
    const { server, tab } = this.#options;
    const undo: (() => void)[] = [];
    const guarded = ownersOnly(ops);
    const fenced = [...guarded].filter((call) => (mine.heads.get(call)?.owner ?? tab) !== tab);
    const lost: LostKey[] = [];
    const claims = new Set(ops.flatMap((op) => (op.kind === "key" ? [op.call] : [])));
    const carryOut = (op: Op): void => void undo.push(apply(mine, op, server, tab));
    try {
      for (const op of ops)
        if (op.kind === "server" || !(fenced.includes(op.call) || claims.has(op.call))) carryOut(op);
      for (const op of ops) {
        if (op.kind !== "key" || fenced.includes(op.call)) continue;
        const key = new TextDecoder().decode(op.key);
        const holder = mine.heads.get(mine.keys.get(key) ?? op.call);
        const free = !holder || holder.call === op.call || holder.owner === tab;
        if (!free && !op.dispensable) {
          lost.push({ call: op.call, holder: this.#find(mine, holder.call) });
          continue;
        }
        if (free) undo.push(put(mine.keys, key, op.call));
        for (const other of ops) if (other.kind !== "server" && other.call === op.call) carryOut(other);
      }
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
    const carried = strict ? [...written(ops, new Set([...guarded, ...claims]))] : [];
    return {
      sealed: true,
      fenced: [...fenced, ...carried.filter((call) => mine.heads.get(call)?.owner !== tab)],
      lost,
    };
  }

  async forget(): Promise<string> {
    this.#held();
    const { server } = this.#options;
    held.delete(server);
    this.close();
    for (const store of [...openInMemory]) if (store.server === server) store.end();
    return this.generation;
  }

  async isForgotten(said: string): Promise<boolean> {
    return isOverBeside(this.server, said).catch(() => true);
  }

  // It ends with the page.
  async sweep(): Promise<void> {}

  async usage(): Promise<Usage> {
    const mine = this.#held();
    const usage = await noUsage();
    if (mine.server) count(usage, "server", [mine.server]);
    count(usage, "head", [...mine.heads.values()]);
    count(usage, "log", [...mine.log.values()].flat());
    return usage;
  }

  close(): void {
    this.#closed = true;
    openInMemory.delete(this);
  }

  end(): void {
    this.close();
    this.#options.onLost?.("closed");
  }

  #held(): Held {
    if (this.#closed) throw new StoreError("closed", "the store was closed");
    const { server } = this.#options;
    const found = held.get(server) ?? {
      ids: undefined,
      server: undefined,
      heads: new Map(),
      log: new Map(),
      keys: new Map(),
      tombstones: new Map(),
    };
    held.set(server, found);
    return found;
  }

  #find(mine: Held, call: number): LoadedCall | null {
    const found = foundCall(mine.heads.get(call), mine.log.get(call) ?? [], NO_HEIRS);
    return found && this.#copiedCall(found);
  }

  #copiedCall({ head, rows, ended, acked }: Found): LoadedCall {
    const { call, epoch, owner, plain } = head;
    const owned = owner === this.#options.tab;
    return {
      call,
      epoch,
      owned,
      owner: owner ?? "",
      plain: plain!.slice(),
      ended,
      acked,
      rows: rows.map((row) => ({ epoch: row.epoch, n: row.n, ...copied(row) })),
    };
  }
}

/** A plain copy of the secret: memory seals nothing. */
function kept({ secret }: { secret: Uint8Array | null }): { secret: Bytes | null } {
  return { secret: secret && own(secret) };
}

/** Applies one op and returns how to take it back. */
function apply(mine: Held, op: Op, server: string, tab: string): () => void {
  switch (op.kind) {
    case "server": { // never beside one: no other build has a part in this memory
      const before = mine.server;
      mine.server = serverRecord(server, op, kept(op));
      return () => (mine.server = before);
    }
    case "call":
      if (mine.heads.has(op.call)) throw there();
      mine.heads.set(op.call, headRecord(server, op, tab));
      return () => mine.heads.delete(op.call);
    case "log": {
      const rows = mine.log.get(op.call) ?? [];
      mine.log.set(op.call, rows);
      const row = logRecord(server, op, kept(op));
      if (op.epoch === 0) {
        mine.log.set(op.call, [row, ...rows.filter((other) => other.epoch > 0 || other.n > op.n)]);
        return () => mine.log.set(op.call, rows);
      }
      // From the end: rows come in order, save those of an owner whose epoch is over.
      let at = rows.length;
      while (at > 0 && before(row, rows[at - 1]!)) at--;
      const last = rows[at - 1];
      if (last?.epoch === row.epoch && last.n === row.n) throw there();
      rows.splice(at, 0, row);
      return () => rows.splice(rows.indexOf(row), 1);
    }
    case "forget": {
      const head = mine.heads.get(op.call);
      const rows = mine.log.get(op.call);
      mine.heads.delete(op.call);
      mine.log.delete(op.call);
      if (op.outcome) mine.tombstones.set(placeOf(op.call), tombstoneOf(server, op.call, op.outcome));
      return () => {
        if (head) mine.heads.set(op.call, head);
        if (rows) mine.log.set(op.call, rows);
      };
    }
    case "key": // decided before
      return () => {};
  }
}

/** Puts an entry into a map and returns how to take it back. */
function put<K, V>(map: Map<K, V>, key: K, value: V): () => void {
  const before = map.get(key);
  map.set(key, value);
  return () => (before === undefined ? map.delete(key) : map.set(key, before));
}

function before(a: LogRecord, b: LogRecord): boolean {
  return a.epoch < b.epoch || (a.epoch === b.epoch && a.n < b.n);
}

function there(): StoreError {
  return new StoreError("failed", "the database refused: ConstraintError");
}

/** The records of a map by their calls, as the database has them. */
function inOrder<T>(records: Map<number, T>): T[] {
  return [...records].sort(([a], [b]) => a - b).map(([, record]) => record);
}

/** Contents that the reader may change. */
function copied(row: LogRecord | ServerRecord): StoredRow {
  return { plain: row.plain!.slice(), secret: row.secret && row.secret.slice() };
}

function copiedServer(row: ServerRecord | null | undefined): ServerRow | null {
  return row ? { ...copied(row), ended: row.ended === true } : null;
}
