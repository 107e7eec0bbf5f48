import type { LoggingLevel, Open } from "./mcp.js";

/** What every event of a call has. */
interface Positioned {
  /**
   * How many messages of the server's this call had brought when the event
   * was made. Grows by one with each message; stable over reconnects.
   */
  position: number;
}

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

/** What the call's stream does. */
export interface StatusEvent extends Positioned {
  type: "status";
  /** `open`: the server streams. `cut`: the connection is gone, a reconnect is due. `reconnecting`: it is under way. */
  state: "open" | "cut" | "reconnecting";
  /** Why it was cut: the network broke, the server ended it, nothing came, or the reconnect was refused for now. */
  why?: "network" | "end" | "silent" | "refused";
  /** Which attempt comes next, counted from 1 since anything new arrived. */
  attempt?: number;
  /** Until the reconnect, in ms. */
  delay?: number;
  /** On the listen stream: it is open again, and what was said meanwhile is gone. */
  missed?: boolean;
  /** Set once the server accepts and closes without progress, at speed: the pace is the backoff's from here on. */
  code?: "reconnect_loop";
}

/** What a resume did. */
export interface ResumedEvent extends Positioned {
  type: "resumed";
  /** `continued`: the stream goes on after the last event that was received. */
  outcome: "continued" | "restarted" | "gap";
  /** Whether that is proven; event ids are opaque and cannot prove it. */
  proven: boolean;
  /** Connections lost since the call was made. */
  cuts: number;
}

/** A request for input, for calls with `input: "manual"`: answer it with {@link Call.answer}. */
export interface InputEvent extends Positioned {
  type: "input";
  /** What is asked, by key: the method ("elicitation/create" ...) and its params. */
  requests: Map<string, { method: string; params?: Open }>;
}

/** An event of a call, in the order in which it happened. */
export type CallEvent = ProgressEvent | LogEvent | NotificationEvent | StatusEvent | ResumedEvent | InputEvent;

/** Numbers of core/engine EventKind. */
export const EVENT = {
  progress: 1,
  log: 2,
  notification: 3,
  status: 4,
  resumed: 5,
  integrity: 6,
  input: 7,
  request: 8,
} as const;

/** Whether an event kind means that something the server sent was dropped. */
export function isIntegrity(kind: number): boolean {
  return kind === EVENT.integrity;
}

/**
 * Decodes an event of a call. `text` is JSON that the core has accepted;
 * JSON.parse is the last judge of it.
 */
export function decodeEvent(kind: number, position: number, text: string): CallEvent {
  const json = JSON.parse(text) as Record<string, unknown>;
  switch (kind) {
    case EVENT.progress:
      return {
        type: "progress",
        position,
        progress: json["progress"] as number,
        ...(json["total"] === undefined ? {} : { total: json["total"] as number }),
        ...(json["message"] === undefined ? {} : { message: json["message"] as string }),
      };
    case EVENT.log:
      return {
        type: "log",
        position,
        level: json["level"] as LoggingLevel,
        ...(json["logger"] === undefined ? {} : { logger: json["logger"] as string }),
        data: json["data"],
      };
    case EVENT.status:
      return { ...(json as unknown as StatusEvent), type: "status", position };
    case EVENT.resumed:
      return { ...(json as unknown as ResumedEvent), type: "resumed", position };
    case EVENT.input:
      return {
        type: "input",
        position,
        requests: new Map(Object.entries((json["inputRequests"] ?? {}) as Record<string, { method: string; params?: Open }>)),
      };
    default:
      return {
        type: "notification",
        position,
        method: json["method"] as string,
        ...(json["params"] === undefined ? {} : { params: json["params"] }),
      };
  }
}
