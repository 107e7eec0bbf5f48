import { CallFlags, TaskWish, WISH_SHIFT } from "../base/border.js";
import { isKept, isLong, withKey } from "./idempotency.js";
import { nameOf } from "./methodname.js";
import type { Open } from "../base/mcp.js";
import { callDefaults, type CallDefaults, type CallOptions } from "./options.js";
import type { CallTimes } from "../runtime/port.js";
import { badArgument, bound, checkGroup, checkSignal, milliseconds, notJSON } from "../base/arguments.js";

/** Methods that the client itself sends. */
const OWN_METHODS = new Set(
  [
    "server/discover", "subscriptions/listen", "initialize", "notifications/initialized",
    "notifications/cancelled",
  ],
);

/** A request or notification as the core takes it. */
export interface Outgoing {
  /** Method, params, _meta, key, and what the app says of a task; params, _meta and that as JSON, or empty. */
  frame: [method: string, params: string, meta: string, key: string, task: string];
  /** The app's members of `_meta`, and the idempotency key. */
  meta: Open;
  times: CallTimes;
  /** CallFlags, and a TaskWish. */
  how: number;
}

/** Makes a request from what the app gave; throws `bad_argument`. */
export function outgoing(
  method: string, params: Open | undefined, options: CallOptions & MadeThere, defaults: CallDefaults,
): Outgoing {
  const op = nameOf(method);
  if (typeof method !== "string" || method === "")
    throw badArgument(op, "method", "has to be a JSON-RPC method");
  if (OWN_METHODS.has(method)) throw badArgument(op, "method", "is sent by the client itself");
  checkSignal(op, options.signal);
  checkGroup(op, "timeouts", options.timeouts);
  const times = {
    answer: milliseconds(op, "timeouts.answer", options.timeouts?.answer),
    idle: milliseconds(op, "timeouts.idle", options.timeouts?.idle),
    total: milliseconds(op, "timeouts.total", options.timeouts?.total),
    send: milliseconds(op, "sendWithin", options.sendWithin),
    made: madeAt(options),
  };
  const argument = method === "tools/call" ? "args" : "params";
  const { _meta, ...rest } = membersOf(op, argument, params);
  const kept = isKept(method, options);
  const meta = withKey(kept || isLong(method), _meta as Open | undefined, options.meta);
  if ("progressToken" in meta) throw badArgument(op, "meta.progressToken", "is given by the client itself");
  const empty = Object.keys(meta).length === 0;
  return {
    frame: [
      method, params === undefined ? "" : toJSON(op, argument, rest), empty ? "" : toJSON(op, "meta", meta),
      keyOf(op, options.key), taskOf(op, options.task),
    ],
    meta,
    times,
    how: howOf(op, kept, options, defaults),
  };
}

/** Facts that a page's own call tells a worker, beside the app's options. */
export interface MadeThere {
  /** When it was made, in ms since 1970. */
  madeAt?: number;
  /** True if the call names a tool: the core says whether the call may become a task. */
  tool?: boolean;
}

function madeAt({ madeAt }: MadeThere): number {
  return Number.isFinite(madeAt) ? madeAt! : Date.now();
}

/** The app's wishes for the task that its call may become, as JSON; empty for none. */
function taskOf(op: string, task: CallOptions["task"]): string {
  if (typeof task !== "object") return "";
  const { ttl, responseModes } = task;
  bound("task.ttl", ttl, op);
  return toJSON(op, "task", { ttl, responseModes });
}

function wishOf({ task, tool }: CallOptions & MadeThere): TaskWish {
  if (!tool) return TaskWish.AsIs;
  if (task === undefined) return TaskWish.Unsaid;
  return task ? TaskWish.Wanted : TaskWish.Unwanted;
}

function keyOf(op: string, key: string | undefined): string {
  if (key === undefined) return "";
  if (typeof key !== "string" || key === "" || key.length > 1024)
    throw badArgument(op, "key", "has to be a string of 1 to 1024 characters");
  return key;
}

/** The flags that say whether a call may be run again. */
const RERUN = { never: CallFlags.RerunNever, hinted: 0, always: CallFlags.RerunAlways } as const;

function howOf(op: string, kept: boolean, options: CallOptions, defaults: CallDefaults): number {
  const { ack, rerun } = callDefaults(op, {
    ack: options.ack ?? defaults.ack, rerun: options.rerun ?? defaults.rerun,
  });
  return (
    (kept ? CallFlags.Durable : 0) |
    RERUN[rerun] |
    (ack === "manual" ? CallFlags.ManualAck : 0) |
    (options.input === "manual" ? CallFlags.ManualInput : 0) |
    (wishOf(options) << WISH_SHIFT)
  );
}

/** The members of an object, some of which may be code that throws. */
function membersOf(op: string, argument: string, params: Open | undefined): Open {
  try {
    return { ...params };
  } catch (cause) {
    throw notJSON(op, argument, cause);
  }
}

function toJSON(op: string, argument: string, value: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined || !text.startsWith("{")) throw new TypeError("not an object");
    return text;
  } catch (cause) {
    throw notJSON(op, argument, cause);
  }
}
