import type { Call } from "./call.js";
import type { Durability, DurabilityReason } from "../tabs/journalclient.js";
import type { StateEvent, TokenSubject } from "../base/clientstate.js";
import type { HostEvent } from "../base/host.js";
import type { StatusEvent } from "../base/streamevents.js";
import type { CallToolResult, LoggingLevel } from "../base/mcp.js";
import type { Changed } from "./resultcache.js";

/** The events that a client emits ({@link McpClient.on}). */
export interface ClientEvents {
  /** The client's state changed. `error` says why, for "failed". */
  state: StateEvent;
  /** A notification that belongs to no call. */
  notification: { method: string; params?: unknown };
  /**
   * A list of the server's has changed, or may have changed while its notifications
   * could not be heard: list again. The client no longer uses its copy of that list.
   */
  changed: { what: Changed };
  /** A log message that belongs to no call. */
  log: { level: LoggingLevel; logger?: string; data: unknown };
  /**
   * The status of the listen stream; `off`: the server does not offer the stream, or the stream has ended for
   * good.
   */
  listen: ListenEvent;
  /** This client has made a call, by whatever part of the app; also by {@link Call.retry}. */
  call: { call: Call<unknown> };
  /**
   * A call of an earlier page, or of another one, has come back from the store. It may have ended already.
   */
  restored: { call: Call<CallToolResult> };
  /** Where calls are kept from now on; `why` says why they no longer outlive the page. */
  durability: { durability: Durability; why?: DurabilityReason };
  /**
   * Said once after connecting with `host: "auto"` where the client could not have the
   * shared worker, and is in another host: `error` is what `host: "shared"` would have
   * rejected with, and `why` its reason, for programs. And later, where its worker has ended
   * and cannot be replaced: then the client has failed.
   */
  host: HostEvent;
  /**
   * The token says whose it is, and that is not the `principal` that the app has named. It is used all the
   * same: whom
   * `principal` names is the app's word. Told once of each subject.
   */
  subject: TokenSubject;
  /**
   * The store has deleted a call that nobody has acknowledged. Reported once the deletion is stored, also for
   * calls that were found at `connect`.
   */
  evicted: EvictedCall;
  /**
   * The server broke a rule. `what` says which, such as `unreadable_message`,
   * `unknown_response`, `foreign_message`, `late_segment`, `too_many_requests` or
   * `redirected_stream`. The client dropped what broke the rule; {@link Counters} counts
   * the frequent cases. `quarantined_record` is a stored record that cannot be read.
   * `unsafe_visit`: the server asked to have an address visited that is not https (http where the server is
   * on this machine) or that holds a user name or control characters; it was answered `cancel`, and no
   * handler was asked.
   * `invalid_output` and `unchecked_output` are results that were delivered all the same
   * (option `validate` of {@link connect}). `header_refused`: the server's CORS rules do
   * not allow header fields of a tool, or the field that `header` names. Calls, or
   * reconnects, go without these fields. `answer_dropped`: what a person has answered was not sent, since
   * the server asks something else by now, or nothing. `progress_went_back`: a call's progress is less
   * than what came before it, and is delivered all the same. The tool may have run twice, since a browser
   * repeats a request whose connection has died; or its server counts anew. It is told once a run.
   */
  integrity: { what: string; cause?: string; header?: string };
}

/** @internal Their names. */
export const CLIENT_EVENTS: Readonly<Record<keyof ClientEvents, 1>> = {
  state: 1,
  notification: 1,
  changed: 1,
  log: 1,
  listen: 1,
  call: 1,
  restored: 1,
  durability: 1,
  host: 1,
  subject: 1,
  evicted: 1,
  integrity: 1,
};

/** A status of the listen stream, which carries the messages that belong to no call. */
export type ListenEvent =
  Omit<StatusEvent, "state" | "type" | "position"> & { state: StatusEvent["state"] | "off" };

/** A call that is in the store no more, though nobody has acknowledged it. */
export interface EvictedCall {
  /**
   * `quota`: the browser has no room for this origin. `limit`: the calls of this
   * server took more than `limits.stored`. `expired`: it was older than `retention` allows.
   */
  why: "quota" | "limit" | "expired";
  method: string;
  /** As the app gave it. */
  params?: unknown;
  /** The app's own name for the call. */
  key?: string;
  /** ms since 1970. */
  createdAt: number;
  /**
   * True if the call had its outcome. A call that still runs continues in this page, if the page has the
   * call.
   */
  ended: boolean;
}
