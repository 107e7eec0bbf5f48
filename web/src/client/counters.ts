/** Numbers of messages and events that were dropped or repaired since connecting. Every loss is counted. */
export interface Counters {
  /** Texts on a stream that are no JSON-RPC message. */
  unreadableMessages: number;
  /** Responses to nothing that is in flight. */
  unknownResponses: number;
  /** Second responses to a request. */
  duplicateResponses: number;
  /** Events that a server replayed although they had been delivered. */
  duplicateEvents: number;
  /** Events of a type other than "message". */
  ignoredEvents: number;
  /** Progress for a call that has ended, or never was. */
  lateProgress: number;
  /** Other notifications on the stream of a call that has ended. */
  lateNotifications: number;
  /** Requests of the server's that nobody handles. */
  refusedRequests: number;
  /** Sessions that the server had forgotten. */
  sessionsLost: number;
  /** Requests of the server's that a replay brought again. */
  repeatedRequests: number;
  /** Resume policies (SEP-975) for nothing that is in flight, or without a token. */
  ignoredPolicies: number;
  /** Messages of another call's stream that a resume brought. */
  foreignMessages: number;
  /** Segments of a streamed result that had come before. */
  duplicateSegments: number;
  /** Number of requests for missing segments. */
  gapsRefetched: number;
  /** Calls that the store has let go for their age (option `retention`): event `evicted`. */
  expiredCalls: number;
  /** Calls that it has let go since there was no room: event `evicted`. */
  evictedCalls: number;
  /** Stored records that could not be read. */
  quarantinedRecords: number;
  /** Events that a slow reader of a kept call did not get, and that are not stored either: event `gap`. */
  missingEvents: number;
  /** Pages that the server wanted visited, and that nobody was shown: event `integrity`, `unsafe_visit`. */
  unsafeVisits: number;
  /**
   * Progress that is less than what came before it under its token: event `integrity`, `progress_went_back`.
   */
  progressWentBack: number;
}

/** Counters that are all 0. */
export const NO_COUNTERS: Counters = {
  unreadableMessages: 0,
  unknownResponses: 0,
  duplicateResponses: 0,
  duplicateEvents: 0,
  ignoredEvents: 0,
  lateProgress: 0,
  lateNotifications: 0,
  refusedRequests: 0,
  sessionsLost: 0,
  repeatedRequests: 0,
  ignoredPolicies: 0,
  foreignMessages: 0,
  duplicateSegments: 0,
  gapsRefetched: 0,
  expiredCalls: 0,
  evictedCalls: 0,
  quarantinedRecords: 0,
  missingEvents: 0,
  unsafeVisits: 0,
  progressWentBack: 0,
};
