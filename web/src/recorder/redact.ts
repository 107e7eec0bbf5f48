// What a trace keeps of a message: its envelope, by which the protocol is played again, and of all else the shape alone. Names that
// servers and clients give to things (sessions, tasks, cursors, event ids) become others, the same each time.

/** What is kept as it is: words of the protocol's, where they are short. */
const WORDS = new Set(["jsonrpc", "method", "protocolVersion", "type", "status", "resultType", "level", "role", "taskSupport", "mode", "action", "mimeType"]);
/** What is a name for something. */
const NAMES = new Set(["taskId", "resumeToken", "requestState", "cursor", "nextCursor", "elicitationId", "subscriptionId", "io.modelcontextprotocol/subscriptionId"]);
/** What is an app's or a person's, numbers included. */
const PAYLOAD = new Set(["arguments", "content", "structuredContent", "data", "contents", "messages", "argument", "experimental"]);
/** Words of the protocol's are no longer than this. */
const LONGEST_WORD = 64;
/** Levels of nesting that are looked at. */
const DEEPEST = 64;

/** Header fields whose values say nothing of anybody. */
const HEADERS = new Set(["content-type", "accept", "mcp-protocol-version", "mcp-method", "retry-after", "allow", "content-encoding"]);
/** Those that name something. */
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
  if (typeof value === "object" && value !== null) {
    // Names of members of a payload may be anybody's.
    const members = Object.entries(value).map(([key, member], i) => {
      const isPayload = at.isPayload || PAYLOAD.has(key);
      return [at.isPayload && !WORDS.has(key) ? `m${i}` : key, redacted(member, { ...at, key, isPayload, depth: at.depth + 1 })] as const;
    });
    return Object.fromEntries(members);
  }
  if (typeof value === "number") return at.isPayload ? 0 : value;
  if (typeof value !== "string") return value;
  if (NAMES.has(at.key)) return at.names.of(at.key.split("/").pop()!, value);
  if (at.key === "id" || at.key === "requestId" || at.key === "progressToken") return at.names.of("id", value);
  if (WORDS.has(at.key) && value.length <= LONGEST_WORD && /^[\w./:;=+-]*$/.test(value)) return value;
  return `(${value.length})`;
}

/** Header fields without what they say of anybody. */
export function redactHeaders(headers: Headers, names: Pseudonyms): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, HEADERS.has(name) ? value : NAMING.has(name) ? names.of(name === "last-event-id" ? "event" : "session", value) : "(redacted)"]));
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
    if (field === "data") return `data: ${value === "" ? "" : JSON.stringify(redactMessage(value, this.#names))}`;
    if (field === "id") return `id: ${value === "" ? "" : this.#names.of("event", value)}`;
    if (field === "retry" || field === "event") return `${field}: ${/^[\w/-]*$/.test(value) ? value : ""}`;
    return line === "" ? "" : ":";
  }
}
