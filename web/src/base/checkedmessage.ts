// Checks of messages that arrive from elsewhere in the origin, on a port or a channel: any script there may
// post one.

/**
 * The kind of a member: a number (whole, not negative), string, strings, boolean, object, array, bytes,
 * numbers, JSON of an object. A member with `?` may be missing.
 */
type Kind = "n" | "s" | "s[]" | "b" | "o" | "a" | "u8" | "u32" | "json" | "?" | "s?" | "o?" | "n?" | "a?";

/** The members of each message, by the message's name in its member `K`. */
export type Fields<M extends Record<K, string>, K extends string> = {
  readonly [T in M[K]]: { readonly [F in Exclude<keyof Extract<M, Record<K, T>>, K | "size">]-?: Kind }
};

/** The message, if `data` is one of those whose names are in `by`; undefined for anything else. */
export function checked<M extends Record<K, string>, K extends string>(
  fields: Fields<M, K>, by: K, data: unknown,
): M | undefined {
  if (!isObject(data)) return undefined;
  const name = data[by];
  if (typeof name !== "string" || !Object.hasOwn(fields, name)) return undefined;
  const known = (fields as Record<string, Record<string, Kind>>)[name]!;
  for (const [member, kind] of Object.entries(known)) if (!is(kind, data[member])) return undefined;
  return data as unknown as M;
}

function is(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case "n":
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case "s":
      return typeof value === "string";
    case "s[]":
      return Array.isArray(value) && value.every((one) => typeof one === "string");
    case "b":
      return typeof value === "boolean";
    case "a":
      return Array.isArray(value);
    case "o":
      return isObject(value);
    case "s?":
      return value === undefined || typeof value === "string";
    case "o?":
      return value === undefined || isObject(value);
    case "a?":
      return value === undefined || Array.isArray(value);
    case "n?":
      return value === undefined || is("n", value);
    case "u8":
      return value instanceof Uint8Array;
    case "u32":
      return value instanceof Uint32Array;
    case "json":
      return typeof value === "string" && isObject(parsed(value));
    case "?":
      return true;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
