// Redaction of a message for a trace. The trace keeps the envelope, by which the protocol is played again,
// and only the shape of everything else. Names that servers and clients give to things (sessions, tasks,
// cursors, event ids) become other names, the same each time.

import { EVENTS, HEADERS, IDS, MAPS, MEMBERS, METHODS, NAMES, NUMBERS, PAYLOAD, WORDS } from "./words.js";

/** Levels of nesting that are looked at. */
const DEEPEST = 64;

/** Header fields that name something. */
const NAMING = new Set(["mcp-session-id", "last-event-id"]);

/** Puts other names in the place of those that came, the same one each time. */
export class Pseudonyms {
  readonly #known = new Map<string, string>();

  /** The name for a value of that kind. */
  of(kind: string, value: string): string {
    const key = `${kind} ${value}`;
    let name = this.#known.get(key);
    if (name === undefined) this.#known.set(key, (name = `${kind}-${this.#known.size + 1}`));
    return name;
  }
}

/** A message of JSON-RPC's without what it is about; for what is none, its length. */
export function redactMessage(text: string, names: Pseudonyms): unknown {
  if (text === "") return "";
  try {
    return redacted(JSON.parse(text), { names, key: "", isPayload: false, depth: 0 });
  } catch {
    return `(${text.length} characters)`;
  }
}

interface At {
  names: Pseudonyms;
  key: string;
  isPayload: boolean;
  depth: number;
}

function redacted(value: unknown, at: At): unknown {
  if (at.depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.map((each) => redacted(each, { ...at, depth: at.depth + 1 }));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map((member, i) => redactedMember(member, i, value, at)));
  if (at.isPayload)
    return typeof value === "string"
      ? `(${value.length})`
      : value === null ? null : typeof value === "number" ? 0 : false;
  if (typeof value === "number") return NUMBERS.has(at.key) || IDS.has(at.key) ? value : 0;
  if (typeof value !== "string") return value;
  if (WORDS.get(at.key)?.has(value)) return value;
  if (at.key === "method" || NAMES.has(at.key)) return at.names.of(at.key.split("/").pop()!, value);
  return IDS.has(at.key) ? at.names.of("id", value) : `(${value.length})`;
}

function redactedMember([key, value]: [string, unknown], i: number, of: object, at: At): [string, unknown] {
  const to = { ...at, key, depth: at.depth + 1 };
  if (!at.isPayload) {
    if (MAPS.has(at.key)) return [at.names.of("input", key), redacted(value, to)];
    // The params of an invented method have no known meaning: they are payload.
    const isInvented = key === "params" && typeof (of as { method?: unknown }).method === "string" &&
      !METHODS.has((of as { method: string }).method);
    const isOther = key === "id" && at.key !== ""; // not that of a message
    if (PAYLOAD.has(key) || isInvented) return [key, redacted(value, { ...to, isPayload: true })];
    if (!isOther && [MAPS, MEMBERS, NAMES, IDS, NUMBERS, WORDS].some((known) => known.has(key)))
      return [key, redacted(value, to)];
  }
  return [`m${i}`, redacted(value, { ...to, isPayload: true })]; // names of members may be anybody's, too
}

/** Header fields without what they say of anybody. */
export function redactHeaders(headers: Headers, names: Pseudonyms): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => {
      if (NAMING.has(name)) return [name, names.of(name === "last-event-id" ? "event" : "session", value)];
      // Argument names follow the prefix `mcp-param-`.
      return [
        name.startsWith("mcp-param-") ? names.of("mcp-param", name) : name,
        HEADERS.get(name)?.(value) ? value : "(redacted)",
      ];
    }),
  );
}

/** Lines of an event stream, without what their messages are about. Lines come in pieces of any size. */
export class EventLines {
  readonly #names: Pseudonyms;
  readonly #utf8 = new TextDecoder();
  #rest = "";

  constructor(names: Pseudonyms) {
    this.#names = names;
  }

  /** The whole lines that a piece brings, redacted. */
  push(piece: Uint8Array): string {
    const text = this.#rest + this.#utf8.decode(piece, { stream: true });
    const lines = text.split(/\r\n|\n|\r(?=[^\n])/);
    this.#rest = lines.pop()!;
    return lines.map((line) => `${this.#line(line)}\n`).join("");
  }

  #line(line: string): string {
    const [, field = "", value = ""] = /^(\w*): ?(.*)$/s.exec(line) ?? [];
    if (field === "data")
      return `data: ${value === "" ? "" : JSON.stringify(redactMessage(value, this.#names))}`;
    if (field === "id") return `id: ${value === "" ? "" : this.#names.of("event", value)}`;
    if (field === "retry") return `retry: ${/^\d{1,9}$/.test(value) ? value : ""}`;
    if (field === "event")
      return `event: ${EVENTS.has(value) ? value : value && this.#names.of("event-type", value)}`;
    return line === "" ? "" : ":";
  }
}
