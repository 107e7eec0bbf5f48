import type { Open } from "../shared/mcp.js";

/** What a server may have changed. */
export type Changed = "tools" | "prompts" | "resources";

/** Which notification says that what has changed (until 2025-11-25 on the GET stream, later by subscription). */
const CHANGES: Record<string, Changed> = {
  "notifications/tools/list_changed": "tools",
  "notifications/prompts/list_changed": "prompts",
  "notifications/resources/list_changed": "resources",
};

/** What a notification says has changed; undefined for another one. */
export function changedBy(method: string): Changed | undefined {
  return CHANGES[method];
}

interface Entry {
  result: Open;
  until: number;
}

/** Results kept at most; the oldest goes first. */
const MOST = 256;

/**
 * Results that a server lets a client keep for a while (2026-07-28
 * server/utilities/caching): fresh until `ttlMs` after their receipt. One cache
 * belongs to one client, so nothing is shared between principals; a new token
 * empties it. Hints under a cache are no reason to poll.
 */
export class ResultCache {
  readonly #entries = new Map<string, Entry>();

  /** A fresh result for that request; undefined if there is none. */
  get(method: string, params: Open | undefined): Open | undefined {
    const entry = this.#entries.get(keyOf(method, params));
    // A copy: what an app does to its own must not be what the next one gets.
    return entry && performance.now() < entry.until ? structuredClone(entry.result) : undefined;
  }

  /** Keeps a result for as long as it says; not at all where it says nothing. */
  put(method: string, params: Open | undefined, result: Open): void {
    const ttl = result["ttlMs"];
    const key = keyOf(method, params);
    this.#entries.delete(key);
    if (typeof ttl !== "number" || !(ttl > 0)) return;
    this.#entries.set(key, { result: structuredClone(result), until: performance.now() + ttl });
    if (this.#entries.size > MOST) this.#entries.delete(this.#entries.keys().next().value!);
  }

  /** Drops what a notification has made stale. */
  changed(what: Changed): void {
    for (const key of this.#entries.keys()) if (key.startsWith(`${what}/`)) this.#entries.delete(key);
  }

  /** Drops what was read from a resource. */
  updated(uri: unknown): void {
    this.#entries.delete(keyOf("resources/read", { uri }));
  }

  /** Drops everything. */
  clear(): void {
    this.#entries.clear();
  }
}

function keyOf(method: string, params: Open | undefined): string {
  return `${method} ${JSON.stringify(params ?? {})}`;
}
