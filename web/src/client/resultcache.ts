import type { Open } from "../base/mcp.js";

/** Lists that a server may have changed. */
export type Changed = "tools" | "prompts" | "resources";

/**
 * The list that each notification reports as changed (until 2025-11-25 on the GET stream, later by
 * subscription).
 */
const CHANGES: Record<string, Changed> = {
  "notifications/tools/list_changed": "tools",
  "notifications/prompts/list_changed": "prompts",
  "notifications/resources/list_changed": "resources",
};

/** The list that a notification reports as changed; undefined for another notification. */
export function changedBy(method: string): Changed | undefined {
  return CHANGES[method];
}

/**
 * For how long from now on a result may be used, in ms; 0 where it is to be asked for
 * (core/durable/fresh.go).
 * `at` is when it was received, `latest` the latest time that is known to have been, both in
 * ms since 1970; `ran`: how long ago the receipt was by this page's monotonic clock, 0 where it was another
 * page's.
 */
export type Fresh = (at: number, ttl: number, latest: number, ran: number) => number;

/** A result, as its server lets a client keep it. */
export interface Kept {
  result: Open;
  /** When it was received, in ms since 1970. */
  at: number;
  /** ms. */
  ttl: number;
}

interface Entry extends Kept {
  /** When it was received, by the monotonic clock; for another page's, when it was read. */
  received: number;
}

/** Results kept at most; the oldest goes first. */
const MOST = 256;

/**
 * Results that a server lets a client keep for a while (2026-07-28
 * server/utilities/caching): fresh until `ttlMs` after their receipt. One cache
 * belongs to one client, so nothing is shared between principals; a new token
 * empties it. Hints under a cache are no reason to poll. What of it outlives the page is in
 * {@link StoredResults}.
 */
export class ResultCache {
  readonly #entries = new Map<string, Entry>();
  readonly #fresh: Fresh;
  #changes = 0;

  constructor(fresh: Fresh) {
    this.#fresh = fresh;
  }

  /**
   * How often anything was dropped: a result that was asked for before that is not kept, as it may be from
   * before it as well.
   */
  get changes(): number {
    return this.#changes;
  }

  /** A fresh result for that request; undefined if there is none. */
  get(method: string, params: Open | undefined): Open | undefined {
    const entry = this.#entries.get(keyOf(method, params));
    if (!entry || this.#fresh(entry.at, entry.ttl, entry.at, performance.now() - entry.received) === 0)
      return undefined;
    // A copy: what an app does to its own must not be what the next one gets.
    return structuredClone(entry.result);
  }

  /**
   * Keeps a result for as long as it says. Returns what is kept; undefined for a result that does not say so.
   */
  received(method: string, params: Open | undefined, result: Open): Kept | undefined {
    const ttl = result["ttlMs"];
    this.#entries.delete(keyOf(method, params));
    if (typeof ttl !== "number" || !(ttl > 0)) return undefined;
    const kept: Kept = { result: structuredClone(result), at: Date.now(), ttl };
    this.put(method, params, kept);
    return kept;
  }

  /** Keeps what another page has received. */
  put(method: string, params: Open | undefined, kept: Kept): void {
    const key = keyOf(method, params);
    this.#entries.delete(key);
    // Since its receipt as much time has gone by as the wall clock says; from here on either clock counts.
    this.#entries.set(key, { ...kept, received: performance.now() - Math.max(Date.now() - kept.at, 0) });
    if (this.#entries.size > MOST) this.#entries.delete(this.#entries.keys().next().value!);
  }

  /** Drops what a notification has made stale. */
  changed(what: Changed): void {
    this.#changes++;
    for (const key of this.#entries.keys()) if (key.startsWith(`${what}/`)) this.#entries.delete(key);
  }

  /** Drops what was read from a resource. */
  updated(uri: unknown): void {
    this.#changes++;
    this.#entries.delete(keyOf("resources/read", { uri }));
  }

  /** Drops everything. */
  clear(): void {
    this.#changes++;
    this.#entries.clear();
  }
}

function keyOf(method: string, params: Open | undefined): string {
  return `${method} ${JSON.stringify(params ?? {})}`;
}
