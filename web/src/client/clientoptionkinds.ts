// Kinds of the options of connect and of requests, by name: the page checks the options before it sends
// anything. A name that is not listed here is refused. A misspelled name would otherwise have no effect, and
// no error would report it.

import { COMMON } from "../connect/commonoptionkinds.js";
import {
  code, count, counts, flag, flagOr, functions, group, type OptionKind, oneOf, open, optional, name, place,
  signal, takes, text, time,
} from "../base/kinds.js";
import type { Asks, Makes } from "./backend.js";
import type { ResponseMode } from "./options.js";

const TIMEOUTS = group({ answer: time, idle: time, total: time });
const ACK = oneOf("auto", "manual");
const RERUN = oneOf("never", "hinted", "always");

/** Capabilities that the core declares by itself, because the core implements them. */
const OWN = ["tasks", "resumableRequests"];

const CAPABILITIES: OptionKind = (value) => {
  const wrong = open(value);
  if (wrong) return wrong;
  for (const [name, each] of Object.entries(value as object)) {
    if (OWN.includes(name)) return [name, "is declared by the client itself"];
    const problem = open(each);
    if (problem) return [name, problem[1]];
  }
  return undefined;
};

/** Options of connect. */
export const CONNECT: OptionKind = group({
  ...COMMON,
  revision: text,
  capabilities: CAPABILITIES,
  handlers: functions("elicitation", "sampling", "roots"),
  listen: flag,
  timeouts: TIMEOUTS,
  sendWithin: time,
  streamedBodies: flag,
  limits: counts(
    "line", "event", "body", "depth", "calls", "backlog", "backlogBytes", "backlogTotal", "stored",
  ),
  validate: oneOf("reject", "report", false),
  validator: place,
  record: flagOr(
    group({
      most: takes("a positive integer", (value) => Number.isSafeInteger(value) && (value as number) > 0),
    }),
  ),
  recorder: place,
  retention: group({ ended: time, running: time }),
  ack: ACK,
  rerun: RERUN,
});

const ASKED = { signal, timeouts: TIMEOUTS, sendWithin: time, meta: open };

/** Options of a request that is answered, and no more. */
export const REQUEST: OptionKind = group(ASKED);

/** Options of a completion. */
export const COMPLETE: OptionKind = group({ ...ASKED, context: group({ arguments: open }) });

/** Options of a list. */
export const LIST: OptionKind = group({ ...ASKED, cursor: text, cache: oneOf("default", "reload") });

/** Options of a notification. */
export const NOTIFICATION: OptionKind = group({ meta: open });

const MODES: readonly unknown[] = ["immediate", "streaming", "task"] satisfies ResponseMode[];
const responseModes = takes(
  'an array of "immediate", "streaming", "task"',
  (value) => Array.isArray(value) && value.length > 0 && value.every((mode) => MODES.includes(mode)),
);

/** Options of a call. */
export const CALL: OptionKind = group({
  ...ASKED,
  onprogress: code,
  journal: flag,
  key: takes(
    "a string of 1 to 1024 characters",
    (value) => typeof value === "string" && value !== "" && value.length <= 1024,
  ),
  ack: ACK,
  rerun: RERUN,
  task: flagOr(group({ ttl: count, responseModes })),
  input: oneOf("handlers", "manual"),
});

/** Arguments of the client's methods that return a promise, by name, with the options last. */
export const ASKS: { readonly [M in keyof Asks]: Readonly<Record<string, OptionKind>> } = {
  listTools: { options: LIST },
  listTasks: { options: LIST },
  listResources: { options: LIST },
  listResourceTemplates: { options: LIST },
  readResource: { uri: name, options: REQUEST },
  subscribeResource: { uri: name, options: REQUEST },
  unsubscribeResource: { uri: name, options: REQUEST },
  listPrompts: { options: LIST },
  getPrompt: { name, args: open, options: REQUEST },
  complete: { ref: open, argument: open, options: COMPLETE },
  setLoggingLevel: { level: name, options: REQUEST },
  rootsChanged: {},
  notify: { method: name, params: optional(open), options: NOTIFICATION },
  ping: { options: REQUEST },
};

/** Arguments of the client's methods that return a call, without the options. */
export const MAKES: { readonly [M in keyof Makes]: Readonly<Record<string, OptionKind>> } = {
  callTool: { name, args: open },
  request: { method: name, params: optional(open) },
};
