import type {
  Call,
  CallEvent,
  CallToolResult,
  Guarantee,
  HoldfastError,
  InputEvent,
  Open,
  Progress,
} from "holdfast";

/**
 * How a call stands, in the words of MCP's tasks. `looking`: the calls of earlier pages are being read;
 * `missing`: none of them has that key or id. `input_required`: a call with `input: "manual"` waits for an
 * answer. `awaiting_authorization`: the call waits until somebody has signed in.
 * `failed` has an `error`; a tool that reports a failure of its own has `completed`, with `isError`.
 */
export type CallState =
  | "looking"
  | "missing"
  | "working"
  | "input_required"
  | "awaiting_authorization"
  | "completed"
  | "failed"
  | "cancelled";

/** Actions on a call that is shown. The functions stay the same while the call does. */
export interface CallActions {
  /** The app has done with the call: no later page gets it, and lists drop it. As {@link Call.ack}. */
  ack(position?: number): Promise<void>;
  /** As {@link Call.cancel}: the only one of these that ends the work. */
  cancel(reason?: string): void;
  /** As {@link Call.pause}. */
  pause(): void;
  /** As {@link Call.resume}. */
  resume(): void;
  /**
   * Runs the request again, as {@link Call.retry}; from then on the new call is shown in the place of this
   * one.
   */
  retry(): void;
  /** As {@link Call.abandon}. */
  abandon(): void;
  /** Answers `input`, as {@link Call.answer}. */
  answer(responses: Record<string, Open>): void;
}

/** A call as it stands: one value for all who show it. */
export interface CallSnapshot<T = CallToolResult> extends CallActions {
  readonly state: CallState;
  /** The call; undefined where it is not found. */
  readonly call: Call<T> | undefined;
  /** The newest events, in their order. How many at most says {@link ObserveOptions.events}. */
  readonly events: readonly CallEvent[];
  /** How many events there were in all. */
  readonly eventCount: number;
  /** The newest progress. */
  readonly progress: Progress | undefined;
  /** The server's open request, of a call with `input: "manual"`; undefined once it is answered. */
  readonly input: InputEvent | undefined;
  readonly result: T | undefined;
  readonly error: HoldfastError | undefined;
  /** The guarantee for the call if the page were reloaded now. */
  readonly guarantee: Guarantee;
  /** True if the call's stream is left unread for now. */
  readonly paused: boolean;
}

/** How a call is observed. */
export interface ObserveOptions {
  /**
   * How many events a snapshot has at most; the most that anybody asked for holds for all who observe the
   * call. Default 1,000.
   */
  events?: number;
}

/** How many events a snapshot has, unless somebody asks for more. */
export const EVENTS = 1000;

const none = (): void => {};

/** A call that is not there. */
function absent(state: "looking" | "missing"): CallSnapshot {
  return Object.freeze({
    state,
    call: undefined,
    events: [],
    eventCount: 0,
    progress: undefined,
    input: undefined,
    result: undefined,
    error: undefined,
    guarantee: "lost-on-reload",
    paused: false,
    ack: () => Promise.resolve(),
    cancel: none,
    pause: none,
    resume: none,
    retry: none,
    abandon: none,
    answer: none,
  });
}

export const LOOKING: CallSnapshot = absent("looking");
export const MISSING: CallSnapshot = absent("missing");
