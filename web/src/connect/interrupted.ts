/**
 * The shortest life of a runtime or worker that is replaced, in ms: a shorter-lived one would end again the
 * same way.
 */
const REVIVAL_EVERY = 10_000;

/**
 * True if an ended runtime or worker may be replaced, because it lived long enough. `since` is its start
 * (`performance.now()`).
 */
export function livedLong(since: number): boolean {
  return performance.now() - since >= REVIVAL_EVERY;
}

/**
 * Operations that may be repeated whatever became of the first attempt: a second attempt changes nothing
 * more.
 */
const REPEATABLE: ReadonlySet<string> = new Set([
  "ack",
  "calls",
  "close",
  "completion/complete",
  "forget",
  "logging/setLevel",
  "logout",
  "notifications/roots/list_changed",
  "ping",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "resources/unsubscribe",
  "session/list",
  "stored",
  "tasks/list",
  "terminate",
  "tools/list",
]);

/**
 * True if an operation that the end of its runtime interrupted may be tried again. Example: false for a tool
 * call, which may have run, and for a prompt, which an agent may be at work on.
 */
export function isRepeatable(op: string): boolean {
  return REPEATABLE.has(op);
}
