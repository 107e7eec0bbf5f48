import { digest } from "../storage/digest.js";
import {
  type ListName, LISTS, type NewResult, type ResultName, type Results, UNREADABLE,
} from "../storage/storage.js";
import type { Open } from "../base/mcp.js";
import type { Fresh, Kept } from "./resultcache.js";

/** Delay before a list is written, in ms: meanwhile the app draws the list, and asks for its other pages. */
const LATER = 200;

/** Longest wait for the store, in ms: behind a transaction of a frozen tab the store may never answer. */
const PATIENCE = 500;

/** The shortest freshness of a stored result, in ms: a page that is loaded again hardly asks sooner. */
const WORTH = 1_000;

/** The version of the rows that this build writes. Rows of another version are not read. */
const VERSION = 1;

/** The content of one sealed list. */
interface Stored extends Kept {
  v: number;
  /** True if `cacheScope` says that the list is the same for all who may see it. */
  public: boolean;
  /** The owner: the digest of the token that the list was asked for with. */
  context: string;
}

/** The client's parts that the stored results use. */
export interface StoredResultsUse {
  /** The store of the results; undefined where nothing is stored. */
  rows(): Results | undefined;
  fresh: Fresh;
  /**
   * The client's facts that can change the server's lists: protocol revision, capabilities, header fields.
   */
  variant(): string;
  /** The token that requests carry; empty for none. */
  token(): string;
  /** Reports that a stored list cannot be opened. */
  unreadable(list: ListName): void;
}

/** A list that was asked for: by what it may be kept once it is there. */
export interface AskedFor {
  /** In ms since 1970. */
  at: number;
  token: string;
}

/**
 * The lists of a server that the next page may use, for as long as the server lets it: `ttlMs` is
 * a promise to those who listen to nothing, so what nobody heard while no page was there does not
 * matter (2026-07-28 server/utilities/caching). Contents of resources are not among them: they are
 * a person's data, and whoever subscribes to a resource does so anew in each page.
 *
 * Nothing here fails: what cannot be stored, or read, is asked for.
 */
export class StoredResults {
  readonly #use: StoredResultsUse;
  /** Results to be written, by method and params. */
  readonly #waiting = new Map<string, () => Promise<NewResult>>();
  /** Lists to be dropped, once the drop under way has ended. */
  readonly #stale = new Set<ListName>();
  #dropping = false;

  constructor(use: StoredResultsUse) {
    this.#use = use;
  }

  /** A list is asked for now. */
  asked(): AskedFor {
    return { at: Date.now(), token: this.#use.token() };
  }

  /** A list that is fresh, of whatever page; undefined if there is none. No promise where none can be. */
  get(method: string, params: Open | undefined): Promise<Kept | undefined> | undefined {
    const list = listOf(method);
    const rows = this.#use.rows();
    if (!rows || !list) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PATIENCE, undefined);
      void this.#read(rows, list, method, params).then((kept) => {
        clearTimeout(timer);
        resolve(kept);
      });
    });
  }

  async #read(
    rows: Results, list: ListName, method: string, params: Open | undefined,
  ): Promise<Kept | undefined> {
    try {
      const found = await rows.get(await this.#name(list, method, params));
      if (!found) return undefined;
      if (found.bytes === UNREADABLE) this.#use.unreadable(list);
      const { v, at, ttl, result, ...of } = JSON.parse(new TextDecoder().decode(found.bytes)) as Stored;
      if (v !== VERSION || this.#use.fresh(at, ttl, found.latest, 0) === 0) return undefined;
      // A private result belongs to the authorization that the server gave it to. Another authorization of
      // the same user does not get that result.
      return of.public || of.context === (await digest([this.#use.token()]))
        ? { result, at, ttl }
        : undefined;
    } catch {
      return undefined;
    }
  }

  /** Has a list stored that has come, some time. */
  put(method: string, params: Open | undefined, { result, at, ttl }: Kept, asked: AskedFor): void {
    const list = listOf(method);
    if (!list || ttl < WORTH || !this.#use.rows() || this.#use.token() !== asked.token) return;
    const name = this.#name(list, method, params); // by what holds now
    if (this.#waiting.size === 0) setTimeout(() => void this.#write(), LATER);
    this.#waiting.set(`${list} ${method} ${JSON.stringify(params)}`, async () => {
      const stored: Stored = {
        v: VERSION,
        public: result["cacheScope"] === "public",
        context: await digest([asked.token]),
        at,
        ttl,
        result,
      };
      return {
        ...(await name),
        asked: asked.at,
        at,
        until: Date.now() + this.#use.fresh(at, ttl, at, 0),
        bytes: new TextEncoder().encode(JSON.stringify(stored)),
      };
    });
  }

  /** Drops the stored results of these lists: no page uses them any more. */
  drop(lists: readonly ListName[]): void {
    for (const key of this.#waiting.keys())
      if (lists.some((list) => key.startsWith(`${list} `))) this.#waiting.delete(key);
    for (const list of lists) this.#stale.add(list);
    if (!this.#dropping) void this.#drop();
  }

  /**
   * One transaction at a time, however fast a server says that it has changed. The first is on its way when
   * this returns.
   */
  async #drop(): Promise<void> {
    this.#dropping = true;
    while (this.#stale.size > 0) {
      const lists = [...this.#stale];
      this.#stale.clear();
      await this.#use.rows()?.drop(lists, Date.now()).catch(() => undefined);
    }
    this.#dropping = false;
  }

  async #write(): Promise<void> {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    if (waiting.length === 0) return;
    try {
      await this.#use.rows()?.put(await Promise.all(waiting.map((make) => make())));
    } catch {
      // The next page asks.
    }
  }

  async #name(list: ListName, method: string, params: Open | undefined): Promise<ResultName> {
    return { list, digest: await digest([method, JSON.stringify(params ?? {}), this.#use.variant()]) };
  }
}

/** The list that a method asks for; undefined where the results of the method are not stored. */
function listOf(method: string): ListName | undefined {
  return LISTS.find((list) => method.startsWith(`${list}/`) && method.endsWith("/list"));
}
