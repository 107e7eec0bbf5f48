// Keys of connections: two parts of an app mean the same connection if the address and the options are the
// same, as far as they can be compared.

import type { OAuth } from "holdfast";

/**
 * A text that is the same for the same address and options. Functions count by being there, since a component
 * makes new ones each time that it is drawn; objects of a class by which one they are, and a sign-in by what
 * it was made of: its functions say who signs in, and count by their text, which stays the same where a
 * component is drawn again.
 */
export function connectionKey(url: unknown, options: object): string {
  const { auth, ...others } = options as { auth?: { readonly of?: object } };
  // The functions of a sign-in, which have what it does, look alike for all.
  return JSON.stringify([absolute(url), comparable(others), comparable(auth?.of ?? auth, String)]);
}

function absolute(url: unknown): string {
  try {
    return new URL(String(url), globalThis.document?.baseURI ?? globalThis.location?.href).href;
  } catch {
    return String(url); // connecting says what is wrong with it
  }
}

function comparable(value: unknown, textOf: (code: unknown) => string = () => ""): unknown {
  if (typeof value === "function") return ["function", textOf(value)];
  if (typeof value !== "object" || value === null) return [typeof value, String(value)];
  if (value instanceof URL) return ["url", value.href];
  if (value instanceof Headers) return ["headers", [...value]];
  if (Array.isArray(value)) return value.map((each) => comparable(each, textOf));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return ["object", numberOf(value)];
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return [
    "members",
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, comparable(member, textOf)]),
  ];
}

const numbers = new WeakMap<object, number>();
let last = 0;

function numberOf(object: object): number {
  let number = numbers.get(object);
  if (number === undefined) numbers.set(object, (number = ++last));
  return number;
}

type Code = (...args: unknown[]) => unknown;

/**
 * The options with functions that call the newest of the app's: a handler of a component sees what that
 * component sees now. Of handlers as well, and of no other members.
 */
export function withNewest<O extends object>(options: O, newest: () => O): O {
  const copy = (given: object, now: () => object): object =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => {
        const live = (): unknown => (now() as Record<string, unknown>)[name];
        if (name === "auth") return [name, newestSignIn(value as OAuth, () => live() as OAuth | undefined)];
        if (typeof value === "function")
          return [name, (...args: unknown[]) => (now() as Record<string, Code>)[name]!(...args)];
        return [
          name,
          name === "handlers" && typeof value === "object" && value !== null
            ? copy(handlersOf(value), () => live() as object)
            : value,
        ];
      }),
    );
  return copy(options, newest) as O;
}

/** The same sign-in, which calls the newest of its functions. That of a program has none. */
function newestSignIn(auth: OAuth | undefined, now: () => OAuth | undefined): OAuth | undefined {
  if (auth?.of && !("kind" in auth.of)) auth.newest = now;
  return auth;
}

/** Handlers may be methods of a class. */
function handlersOf(handlers: object): object {
  const known = ["elicitation", "sampling", "roots", "permission"].filter((name) => name in handlers);
  const all = new Set([...Object.keys(handlers), ...known]);
  return Object.fromEntries([...all].map((name) => [name, (handlers as Record<string, unknown>)[name]]));
}
