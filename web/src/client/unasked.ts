import type { Listeners } from "../base/listeners.js";
import type { Open } from "../base/mcp.js";
import type { Durability } from "../tabs/journalclient.js";
import type { ClientEvents, EvictedCall } from "./clientevents.js";
import { decodeEvent, isIntegrity } from "./events.js";
import { isTold } from "../tabs/channel.js";
import { EVENT } from "../base/border.js";

/** The listeners to messages that belong to no call. */
export interface UnaskedUse {
  readonly listeners: Listeners<ClientEvents>;
  /** Takes the durability from here on, and its reason, in the words of the core. */
  kept(durability: Durability, why: string): void;
  /** Messages were lost while the listen stream was away. */
  missed(): void;
  /** The server has said something. */
  noticed(method: string, params: Open | undefined): void;
}

/** True if the other tabs of a user hear of the message. */
export function isForOthers(isSelfDescribing: boolean, kind: number, text: string): boolean {
  return isSelfDescribing ? isForAll(kind, text) : isTold(kind);
}

/**
 * True if a message on a stream of 2026-07-28 is for all tabs of a user. Example: a list has changed, or may
 * have changed. Each tab asks for all other messages itself.
 */
export function isForAll(kind: number, text: string): boolean {
  return kind === EVENT.status
    ? text.includes(`"missed":true`)
    : kind === EVENT.notification && text.includes(`/list_changed"`);
}

/**
 * Tells a client's listeners of an event that belongs to no call: what the server says unasked, and what the
 * core says of the store.
 */
export function tellUnasked(
  kind: number, position: number, text: string, { listeners, kept, missed, noticed }: UnaskedUse,
): void {
  if (isIntegrity(kind)) return listeners.emit("integrity", JSON.parse(text) as ClientEvents["integrity"]);
  if (kind === EVENT.evicted) return listeners.emit("evicted", JSON.parse(text) as EvictedCall);
  if (kind === EVENT.durability) {
    const { durability, why = "" } = JSON.parse(text) as { durability: Durability; why?: string };
    return kept(durability, why);
  }
  const { position: _, ...event } = decodeEvent({ kind, position, text });
  switch (event.type) {
    case "log":
      listeners.emit("log", event);
      break;
    case "status":
      if (event.missed) missed();
      listeners.emit("listen", event);
      break;
    case "notification":
      noticed(event.method, event.params as Open | undefined);
      listeners.emit("notification", event);
      break;
  }
}
