import type { CallEvent } from "holdfast";
import { duration } from "./duration.js";
import type { Mark } from "./trace.js";

/** A line of a call's output. `tone` chooses its colour, `tag` stands before it. */
export interface Line {
  tone: "said" | "log" | "warning" | "notification" | "cut" | "resumed" | "wire" | "mark";
  tag: string;
  text: string;
}

const LOUD = new Set(["warning", "error", "critical", "alert", "emergency"]);

/** Why a stream was cut, in words. */
const CUT = {
  network: "The connection broke",
  end: "The server ended the stream",
  silent: "Nothing came for too long, so the stream was cut",
  refused: "The reconnect was refused",
  reload: "The page that had it is gone",
  connections: "Other calls wait for its connection",
  hung: "The pages that have the connections show no life",
  policy: "The server closed it, and keeps the call",
} as const;

/** Whether a log message is more than information. */
export function loud(level: string): boolean {
  return LOUD.has(level);
}

/** Tells an event in words. Progress without a message says nothing: its bar does. */
export function tell(event: CallEvent): Line | undefined {
  switch (event.type) {
    case "progress":
      return event.message === undefined ? undefined : { tone: "said", tag: "", text: String(event.message) };
    case "log": {
      const name = typeof event.logger === "string" ? `${event.logger}: ` : "";
      return {
        tone: loud(event.level) ? "warning" : "log", tag: String(event.level), text: name + plain(event.data),
      };
    }
    case "notification":
      return {
        tone: "notification",
        tag: "notification",
        text: event.params === undefined ? event.method : `${event.method} ${plain(event.params)}`,
      };
    case "segment":
      return {
        tone: "said", tag: `part ${event.seqNr}`,
        text: event.content.type === "text" ? String(event.content.text) : event.content.type,
      };
    case "task":
      return {
        tone: "log", tag: "task",
        text: event.message === undefined ? event.status : `${event.status}: ${event.message}`,
      };
    case "input":
      return {
        tone: "notification", tag: "asks",
        text: [...event.requests.values()].map((request) => request.method).join(", "),
      };
    case "gap":
      return {
        tone: "warning", tag: "gap",
        text: `${event.events} events are missing here: more came than could wait for this page.`,
      };
    case "guarantee":
      return undefined; // its badge says it
    case "resumed":
      return { tone: "resumed", tag: "resumed", text: RESUMED[event.outcome] ?? event.outcome };
    case "status":
      if (event.state === "owned") return tellMark("taken", 0);
      if (event.state === "cut" && event.why !== "reload") {
        const loop = event.code === "reconnect_loop"
          ? " The server accepts and closes at once; slowing down."
          : "";
        const wait = duration(event.delay ?? 0);
        return {
          tone: "cut", tag: "cut", text: `${CUT[event.why ?? "network"]}. Reconnecting in ${wait}.${loop}`,
        };
      }
      return undefined;
  }
}

/** What happened to whoever carried a call, as a line of its output. */
const MARKS: Record<Mark["kind"], string> = {
  reload: "This page was reloaded.",
  page: "The page that made the call is gone.",
  killed: "The runtime died, and another one has started.",
  disconnected: "This page was disconnected, and is back.",
  restarted: "It runs again.",
  joined: "Another page shows the call too. The worker carries it.",
  taken: "The tab that carried the call is gone. This one carries it on.",
  hour: "The network is gone for an hour. The server goes on.",
};

/**
 * Tells what a call has lived through; `messages` are those that the journal had of it, `outlived` that a
 * worker went on with it.
 */
export function tellMark(kind: Mark["kind"], messages: number, outlived = false): Line {
  const had = outlived && kind === "reload"
    ? " The worker went on."
    : messages > 0 ? " Everything above comes from the journal in this browser." : "";
  return { tone: "mark", tag: "", text: MARKS[kind] + had };
}

const RESUMED = {
  continued: "The stream goes on after the last message that had arrived.",
  restarted: "The server has forgotten the call. Its tool says that running it twice does no harm, so it " +
    "runs again from its start.",
  gap: "The stream goes on, but messages are missing.",
  lost: "The server no longer has the call.",
  unknown: "The call may have run. Nothing can tell.",
} as const;

/** A value of a server's as text. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
