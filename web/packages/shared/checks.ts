// Checks of the app's arguments. The module's own checks are in parts of it that are loaded later.

import { HoldfastError } from "holdfast";

/** An error that names the argument. */
export function badArgument(op: string, argument: string, problem: string, hint?: string): HoldfastError {
  return new HoldfastError({
    code: "bad_argument", op, message: `${argument} ${problem}`, ...(hint && { hint })
  });
}

/** Refuses what is no call; a promise of one is a common slip. */
export function checkCall(op: string, call: unknown): void {
  if (typeof (call as { cancel?: unknown } | null)?.cancel !== "function")
    throw badArgument(op, "call", "has to be a Call: what callTool gives");
}

/** Refuses what is no client. */
export function checkClient(op: string, client: unknown): void {
  if (typeof (client as { calls?: unknown } | null)?.calls !== "function")
    throw badArgument(op, "client", "has to be an McpClient: what connect resolves to");
}

/** Refuses what is no agent. */
export function checkAgent(op: string, agent: unknown): void {
  if (typeof (agent as { sessions?: unknown } | null)?.sessions !== "function")
    throw badArgument(op, "agent", "has to be an Agent: what connectAgent resolves to");
}

/** Refuses options of another kind. */
export function checkObserve(op: string, { events, ...others }: { events?: number }): void {
  for (const name of Object.keys(others)) throw badArgument(op, name, "is no option: there is events");
  if (events !== undefined && !(Number.isSafeInteger(events) && events >= 1))
    throw badArgument(op, "events", "has to be a positive integer");
}
