import { draftOf, type Draft } from "../input/drafts.js";
import { EVENT, REPLAY_HEADER } from "../base/border.js";
import type { ContentBlock, LoggingLevel, Open } from "../base/mcp.js";
import type { Positioned, ResumedEvent, StatusEvent } from "../base/streamevents.js";

/** notifications/progress: how far the call has come. */
export interface ProgressEvent extends Positioned {
  type: "progress";
  progress: number;
  total?: number;
  message?: string;
}

/** notifications/message: a log line that belongs to the call. */
export interface LogEvent extends Positioned {
  type: "log";
  level: LoggingLevel;
  logger?: string;
  data: unknown;
}

/** Any other notification on the call's stream. */
export interface NotificationEvent extends Positioned {
  type: "notification";
  method: string;
  params?: unknown;
}

/**
 * The effect of a page reload on a call. `lost-on-reload`: the store has nothing that could continue the
 * call. `resumable`: the store has an event id, a resume policy or an unanswered request for input; or the
 * call has not left, and the next page sends it in time ({@link CallOptions.sendWithin}). `durable`: the call
 * is a task of the server's, or came from the store with its outcome. `survives-reload`: the store has
 * nothing that could continue the call, but the call runs in a worker that outlives the page. A reload does
 * not cut such a call. A crash of the browser or the end of the worker does, and the call ends with
 * `outcome_unknown`.
 */
export type Guarantee = "lost-on-reload" | "survives-reload" | "resumable" | "durable";

/** The effect of a page reload on the call has changed. */
export interface GuaranteeEvent extends Positioned {
  type: "guarantee";
  guarantee: Guarantee;
  /**
   * The reason why nothing is kept of a call with a `key`, or with `journal: true`, in the words of the event
   * `durability`.
   */
  why?: string;
}

/** A part of a streamed result (SEP-1905), in order and without a gap. The whole is the call's result. */
export interface SegmentEvent extends Positioned {
  type: "segment";
  /** The segment's number, from 1. */
  seqNr: number;
  content: ContentBlock;
}

/** The server's report on the task that the server has made of the call. */
export interface TaskEvent extends Positioned {
  type: "task";
  status: "working" | "input_required" | "completed" | "failed" | "cancelled" | (string & {});
  message?: string;
  /**
   * The server does not serve the result in a way that was asked for, and falls back to this one (SEP-1905).
   */
  fallback?: string;
}

/** One thing that the server asks for, with the answer that a person has begun. */
export interface InputRequest extends Draft {
  /** "elicitation/create", "sampling/createMessage" or "roots/list". */
  method: string;
  params?: Open;
}

/** A request for input, for calls with `input: "manual"`: answer it with {@link Call.answer}. */
export interface InputEvent extends Positioned {
  type: "input";
  /** The server's questions, by key. */
  requests: Map<string, InputRequest>;
}

/**
 * Events that this reader does not get: more events waited than `limits` allow, and the
 * store does not have them (any more). Their place is between the event before and the
 * event after this one.
 */
export interface GapEvent extends Positioned {
  type: "gap";
  /** Number of events. */
  events: number;
  /**
   * Positions of the first and the last of these events; `from` is above `to` where none was a message of the
   * server's, and all were the client's own, such as `status`.
   */
  from: number;
  to: number;
}

/** An event of a call, in the order in which it happened. */
export type CallEvent =
  | GapEvent
  | ProgressEvent
  | LogEvent
  | NotificationEvent
  | StatusEvent
  | ResumedEvent
  | GuaranteeEvent
  | SegmentEvent
  | TaskEvent
  | InputEvent;

/** The kind of a {@link GapEvent}. */
export const GAP: EVENT.gap = EVENT.gap;

/**
 * True if events of this kind are stored with their calls, and can be read again. Example: false for a
 * question, which may have been answered by then.
 */
export function isStored(kind: number): boolean {
  return kind <= EVENT.notification || kind === EVENT.segment || kind === EVENT.task;
}

/**
 * Events that a call had from an earlier host, which had not stored all of them: they are not delivered
 * again.
 */
export class HadEvents {
  /** The position of the last; 0 for none. */
  to = 0;

  /** True if the call had the event from the earlier host. A run from the start makes new events. */
  has({ kind, position, text }: RawEvent): boolean {
    if (this.to === 0) return false;
    if (kind === EVENT.resumed && (JSON.parse(text) as ResumedEvent).outcome === "restarted") this.to = 0;
    return position <= this.to && isStored(kind);
  }
}

/**
 * Reads events as the journal tells them again: kind, position and length of each, and its text
 * (jsbridge/doc.go).
 */
export function* unpacked(events: Uint8Array): Generator<RawEvent> {
  const view = new DataView(events.buffer, events.byteOffset, events.byteLength);
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let at = 0; at < events.length; ) {
    const end = at + REPLAY_HEADER + view.getUint32(at + 5, true);
    yield {
      kind: events[at]!,
      position: view.getUint32(at + 1, true),
      text: utf8.decode(events.subarray(at + REPLAY_HEADER, end)),
    };
    at = end;
  }
}

/** True if an event of this kind reports that the client dropped something the server sent. */
export function isIntegrity(kind: number): boolean {
  return kind === EVENT.integrity;
}

/** Keeps a draft of the answer to the request for input with that key. */
export type SaveDraft = (key: string, value: unknown) => void;

/** Texts that came together, and are parsed together. */
export interface ParsedTogether {
  /** The value of the text at that place; throws where it is no JSON. */
  parsed(at: number, text: string): unknown;
}

/** An event as it came: parsed when it is read, if ever. */
export interface RawEvent {
  kind: number;
  position: number;
  text: string;
  /** Those that its text came with, and its place among them. */
  texts?: ParsedTogether | undefined;
  at?: number;
  /** Saves a draft; set where the event asks for input. */
  save?: SaveDraft;
  shown?: () => void;
}

/**
 * The responses to what a loop was last shown by the event of that position: the server may have asked
 * something else under their keys since.
 */
export function answerTo(position: number, responses: Record<string, unknown>): string {
  const json = Object.keys(responses).length === 0 ? "" : JSON.stringify(responses);
  return json && position > 0 ? `[${position},${json}]` : json;
}

/** The text that {@link answerTo} has made, with more responses in it. */
export function alsoAnswered(answer: string, more: Record<string, unknown>): string {
  const given = JSON.parse(answer || "{}") as Record<string, unknown> | [number, Record<string, unknown>];
  const [position, responses] = Array.isArray(given) ? given : [0, given];
  return answerTo(position, { ...responses, ...more });
}

/** Keeps no drafts. */
const saveNothing: SaveDraft = () => {};

/**
 * Decodes an event of a call. Its text is JSON that the core has accepted;
 * JSON.parse is the last judge of it.
 */
export function decodeEvent(
  { kind, position, text, texts, at = 0, save = saveNothing, shown }: RawEvent,
): CallEvent {
  const json = (texts ? texts.parsed(at, text) : JSON.parse(text)) as Record<string, unknown>;
  switch (kind) {
    case EVENT.progress: {
      // Thousands a second of them: spreading what may be absent took as long as JSON.parse.
      const event: ProgressEvent = { type: "progress", position, progress: json["progress"] as number };
      if (json["total"] !== undefined) event.total = json["total"] as number;
      if (json["message"] !== undefined) event.message = json["message"] as string;
      return event;
    }
    case EVENT.log:
      return {
        type: "log",
        position,
        level: json["level"] as LoggingLevel,
        ...(json["logger"] === undefined ? {} : { logger: json["logger"] as string }),
        data: json["data"],
      };
    case GAP:
      return { ...(json as unknown as GapEvent), type: "gap", position };
    case EVENT.status:
      return { ...(json as unknown as StatusEvent), type: "status", position };
    case EVENT.resumed:
      return { ...(json as unknown as ResumedEvent), type: "resumed", position };
    case EVENT.guarantee:
      return {
        type: "guarantee",
        position,
        guarantee: json["guarantee"] as Guarantee,
        ...("why" in json && { why: json["why"] as string }),
      };
    case EVENT.segment: {
      const { seqNr, ...content } = json;
      return {
        type: "segment", position, seqNr: seqNr as number, content: content as unknown as ContentBlock,
      };
    }
    case EVENT.task:
      return {
        type: "task",
        position,
        status: json["status"] as string,
        ...(json["message"] === undefined ? {} : { message: json["message"] as string }),
        ...(json["fallback"] === undefined ? {} : { fallback: json["fallback"] as string }),
      };
    case EVENT.input: {
      const { inputRequests = {}, drafts = {} } =
        json as { inputRequests?: Record<string, Omit<InputRequest, keyof Draft>>; drafts?: object };
      const requests = Object.entries(inputRequests);
      shown?.();
      return {
        type: "input",
        position,
        requests: new Map(
          requests.map(([key, request]) => [key, { ...request, ...draftOf(drafts, key, save) }]),
        ),
      };
    }
    default:
      return {
        type: "notification",
        position,
        method: json["method"] as string,
        ...((json["params"] ?? undefined) === undefined ? {} : { params: json["params"] }), // null is none
      };
  }
}

/** The events beyond a position. */
export async function* beyond(
  events: AsyncIterableIterator<CallEvent>, position: number,
): AsyncGenerator<CallEvent, void, undefined> {
  for await (const event of events) if (event.position > position) yield event;
}
