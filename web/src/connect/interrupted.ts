/**
 * The shortest life of a runtime or worker that is replaced, in ms: a shorter-lived one would end again the
 * same way.
 */
const REVIVAL_EVERY = 10_000;

/**
 * Whether a runtime, or a worker, that has ended may be replaced, which began at `since`
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
 * Whether it is worth another try that was under way when the runtime ended that had it. A tool that was
 * called may have run, and an agent may be at work on a prompt: to ask for that again might do it twice.
 */
export function isRepeatable(op: string): boolean {
  return REPEATABLE.has(op);
}
