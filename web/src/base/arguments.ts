// Checks of what an app gives, and how an error names the argument.

import { HoldfastError } from "./errors.js";
import { inPage } from "./inpage.js";

/** An error that names the argument. */
export function badArgument(op: string, argument: string, problem: string): HoldfastError {
  return new HoldfastError({ code: "bad_argument", op, message: `${argument} ${problem}` });
}

/**
 * The error of an argument that JSON cannot hold, such as a BigInt, a circle, or what throws as it is read.
 */
export function notJSON(op: string, argument: string, cause?: unknown): HoldfastError {
  return new HoldfastError({
    code: "bad_argument", op, message: `${argument} cannot be written as JSON`, cause,
  });
}

/** The absolute form of a server URL, resolved against the page; `protocols` are those that it may have. */
export function serverURL(
  url: string | URL, op = "connect", protocols: readonly string[] = ["http:", "https:"],
): string {
  // An empty value would resolve to the page's own address, and null or undefined to one beside that.
  if (!url || (typeof url !== "string" && typeof url.href !== "string"))
    throw badArgument(op, "url", "has to be a URL, or the text of one");
  let absolute: URL;
  try {
    absolute = new URL(inPage(url));
  } catch {
    throw badArgument(op, "url", "is not a URL");
  }
  if (!protocols.includes(absolute.protocol)) {
    throw badArgument(
      op,
      "url",
      `has to start with ${protocols.join(", ").replace(/, ([^,]*)$/, " or $1")}, not ${absolute.protocol}`,
    );
  }
  if (absolute.username || absolute.password) {
    throw badArgument(op, "url", "holds a user name or password, which fetch refuses: use headers or token");
  }
  absolute.hash = "";
  return absolute.href;
}

/** Refuses what is not an AbortSignal: a controller in its place is a common slip. */
export function checkSignal(op: string, signal: unknown): void {
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw badArgument(op, "signal", "has to be an AbortSignal");
}

/** Rejects what was begun for nothing. */
export function throwIfAborted(op: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedError(op, signal);
}

/** The error of an operation that its signal has cancelled. */
export function abortedError(op: string, signal: AbortSignal): HoldfastError {
  return new HoldfastError({
    code: "cancelled", op, message: "the signal was aborted", cause: signal.reason,
  });
}

/** The rule for a time, in words. */
export const TIME = "a number of ms above 0: Infinity is for ever, and without it the default holds";

/** True if the value is a time, e.g. 500 or Infinity. */
export function isTime(value: unknown): boolean {
  return typeof value === "number" && value > 0;
}

/** The rule for a bound, in words. */
export const COUNT = "a positive integer";

/** True if the value is a bound, e.g. 1,000. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/**
 * A time for the core: 0 for the default, -1 for never. The app's own 0 is refused: some
 * would mean "at once" by it, and others "never".
 */
export function milliseconds(op: string, argument: string, value: number | undefined): number {
  if (value === undefined) return 0;
  if (!isTime(value)) throw badArgument(op, argument, `has to be ${TIME}`);
  return value > Number.MAX_SAFE_INTEGER ? -1 : Math.ceil(value);
}

/** A bound for the core: 0 for the default. */
export function bound(argument: string, value: number | undefined, op = "connect"): number {
  if (value === undefined) return 0;
  if (!isCount(value)) throw badArgument(op, argument, `has to be ${COUNT}`);
  return Math.min(value, 0x7fffffff);
}

/** Refuses a number where its group belongs: `timeouts: 5000` says nothing. */
export function checkGroup(op: string, argument: "timeouts" | "options", value: unknown): void {
  if (value !== undefined && (typeof value !== "object" || value === null))
    throw badArgument(op, argument, "has to be an object");
}
