// The kinds of the options of connectAgent and of an agent, by name. client/clientoptionkinds.ts has those of
// MCP.

import { COMMON } from "../connect/commonoptionkinds.js";
import {
  check, counts, flag, functions, group, type OptionKind, list, name, oneOf, open, signal, text, time,
} from "../base/kinds.js";

/** Options of connectAgent. */
export const CONNECT_AGENT: OptionKind = group({
  ...COMMON,
  version: oneOf(1, 2),
  promptLifecycle: flag,
  transport: oneOf("http", "websocket"),
  handlers: functions("elicitation", "permission"),
  input: oneOf("handlers", "manual"),
  timeouts: group({ answer: time, idle: time }),
  limits: counts(
    "line",
    "event",
    "body",
    "depth",
    "item",
    "replay",
    "requests",
    "streams",
    "stored",
    "backlog",
    "backlogBytes",
    "backlogTotal",
  ),
});

/** Options of a request. */
export const GIVEN_UP: OptionKind = group({ signal });

/** The options that a session is made from. */
export const SESSION: OptionKind =
  group({ cwd: name, mcpServers: list, additionalDirectories: list, signal });

/** Options of the list of sessions. */
export const LISTED: OptionKind = group({ cwd: text, cursor: text, signal });

/** Options of close(). */
export const CLOSED: OptionKind = group({ terminate: flag });

/** Refuses what can be no request, and options that there are not; throws `bad_argument`. */
export function checkRequest(method: string, params: unknown, options?: unknown): void {
  check("request", "method", method, name);
  check(method, "params", params, open);
  if (options !== undefined) check(method, "options", options, GIVEN_UP);
}
