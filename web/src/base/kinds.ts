// Kinds of arguments. Each kind says in words which values it accepts: an error quotes them.

import { badArgument, isCount, isTime, COUNT, TIME } from "./arguments.js";

/** The problem of a value: the member at fault (empty for the value itself), and the problem in words. */
type Problem = readonly [member: string, words: string];

/** Returns the problem of a value; undefined where there is none. */
export type OptionKind = (value: unknown) => Problem | undefined;

/** Makes a kind from a test, and from the words for the values that pass it. */
export function takes(words: string, test: (value: unknown) => boolean): OptionKind {
  return (value) => (test(value) ? undefined : ["", `has to be ${words}`]);
}

/** One of some values. */
export function oneOf(...values: readonly unknown[]): OptionKind {
  const words = values.map((value) => JSON.stringify(value));
  const last = words.pop()!;
  return takes(words.length > 0 ? `${words.join(", ")} or ${last}` : last, (value) => values.includes(value));
}

/** Any text. */
export const text: OptionKind = takes("a string", (value) => typeof value === "string");
/** Text that says something. */
export const name: OptionKind = takes(
  "a string that is not empty", (value) => typeof value === "string" && value !== "",
);
/** True or false. */
export const flag: OptionKind = takes("true or false", (value) => typeof value === "boolean");
/** A function of the app's. */
export const code: OptionKind = takes("a function", (value) => typeof value === "function");
/** A signal that cancels an operation. */
export const signal: OptionKind = takes("an AbortSignal", (value) => value instanceof AbortSignal);
/** A time in ms. */
export const time: OptionKind = takes(TIME, isTime);
/** A bound. */
export const count: OptionKind = takes(COUNT, isCount);
/** An address, or the text of what may be one. */
export const address: OptionKind = takes(
  "a URL, or the text of one", (value) => typeof value === "string" || value instanceof URL,
);
/** Where a file is. */
export const place: OptionKind = takes("a URL, or the text of one", isPlace);
/** A list. */
export const list: OptionKind = takes("a list", Array.isArray);
/** Members of any name. */
export const open: OptionKind = takes("an object", (value) => isObject(value) && !Array.isArray(value));
/** Anything: somebody else looks at it. */
export const any: OptionKind = () => undefined;

/**
 * An object of members, each of a kind; `undefined` counts as left out. An object of a class of the app's may
 * have members of its own.
 */
export function group(members: Readonly<Record<string, OptionKind>>): OptionKind {
  return (value) => {
    const wrong = open(value);
    if (wrong) return wrong;
    const given = value as Record<string, unknown>;
    const own = isPlain(given) ? Object.keys(given) : [];
    for (const member of new Set([...own, ...Object.keys(members)])) {
      if (given[member] === undefined) continue;
      const kind = Object.hasOwn(members, member) ? members[member]! : unknown(members);
      const problem = kind(given[member]);
      if (problem) return [`${member}${problem[0] && `.${problem[0]}`}`, problem[1]];
    }
    return undefined;
  };
}

/** An object of functions. */
export function functions(...names: readonly string[]): OptionKind {
  return group(Object.fromEntries(names.map((each) => [each, code])));
}

/** An object of bounds. */
export function counts(...names: readonly string[]): OptionKind {
  return group(Object.fromEntries(names.map((each) => [each, count])));
}

/** True, false or an object of that kind. */
export function flagOr(kind: OptionKind): OptionKind {
  return (value) => {
    if (typeof value === "boolean") return undefined;
    return typeof value === "object" ? kind(value) : ["", "has to be true, false or an object"];
  };
}

/** One that may be left out. */
export function optional(kind: OptionKind): OptionKind {
  return (value) => (value === undefined ? undefined : kind(value));
}

/**
 * Throws `bad_argument`, which names the member of `argument` that is of no such kind, or `argument` itself.
 */
export function check(op: string, argument: string, value: unknown, kind: OptionKind): void {
  const problem = kind(value);
  if (problem) throw badArgument(op, problem[0] || argument, problem[1]);
}

/** The same for arguments, by their names in order. */
export function checkAll(
  op: string, args: readonly unknown[], kinds: Readonly<Record<string, OptionKind>>,
): void {
  Object.entries(kinds).forEach(([argument, kind], i) => check(op, argument, args[i], kind));
}

/** True if the value is an address, which may be relative to the page. */
export function isPlace(value: unknown): boolean {
  try {
    return (typeof value === "string" || value instanceof URL) && !!new URL(value, "https://a");
  } catch {
    return false;
  }
}

function unknown(members: object): OptionKind {
  return () => ["", `is no option: there are ${Object.keys(members).join(", ")}`];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
