// Events of the streams of calls and of sessions alike.

/** The member that every event of a call has. */
export interface Positioned {
  /**
   * How many messages of the server's this call had brought when the event
   * was made. Grows by one with each message; stable over reconnects.
   */
  position: number;
}

/** The state of the call's stream has changed. */
export interface StatusEvent extends Positioned {
  type: "status";
  /**
   * `open`: the server streams. `cut`: the connection is gone, a reconnect is
   * due. `reconnecting`: it is under way, or somebody has signed in and what waited for
   * that leaves. `parked`: let go of for now ({@link Call.pause}). `followed`: another page carries the
   * call. `owned`: this page has taken it over. `awaiting_authorization`: the server has refused the
   * request, or one about the call, and has not run it; or it has refused another one, and this one has not
   * left. It goes on once somebody has signed in.
   */
  state: "open" | "cut" | "reconnecting" | "parked" | "followed" | "owned" | "awaiting_authorization";
  /**
   * Why it was cut: the network broke, the server ended it, nothing came, the
   * reconnect was refused for now, the page that had it is gone, or the server
   * closed it as its resume policy says (SEP-975). Why it was parked: over
   * HTTP/1.1 a browser has few connections, and other calls wait for this one's (`connections`), or
   * pages that show no life have them all (`hung`): the call leaves, or goes on, by one connection
   * more, when it is its turn.
   */
  why?: "network" | "end" | "silent" | "refused" | "reload" | "policy" | "connections" | "hung";
  /** Which attempt comes next, counted from 1 since anything new arrived. */
  attempt?: number;
  /** Until the reconnect, in ms. */
  delay?: number;
  /** On the listen stream: it is open again, and what was said meanwhile is gone. */
  missed?: boolean;
  /**
   * Set once the server accepts and closes without progress, at speed: the pace is the backoff's from here
   * on.
   */
  code?: "reconnect_loop";
}

/** The outcome of a resume. */
export interface ResumedEvent extends Positioned {
  type: "resumed";
  /**
   * `continued`: the stream goes on after the last event that was received.
   * `restarted`: the request was run again, which its tool or the app allows.
   * `gap`: something is missing. `lost`: the server no longer has the call.
   * `unknown`: it may have run, and nothing can tell. The last two end the call.
   */
  outcome: "continued" | "restarted" | "gap" | "lost" | "unknown";
  /** True if that is proven; event ids are opaque and cannot prove it. */
  proven: boolean;
  /** Connections lost since the call was made. */
  cuts: number;
  /**
   * Numbers of the first and the last segment that the server does not give, for a `gap` in a streamed
   * result.
   */
  missing?: [number, number];
}
