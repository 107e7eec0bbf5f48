import { badArgument } from "./arguments.js";
import { utf8ByteString } from "./bytestring.js";
import { headerEntries } from "./headerentries.js";

/** Names that MCP sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
]);

/**
 * Header fields as the core takes them: name, value as a byte string, and so on. `own` are those that the
 * protocol sets itself.
 */
export function headerList(
  headers: HeadersInit | undefined,
  hasTokenProvider: boolean,
  op = "connect",
  own: ReadonlySet<string> = OWN_HEADERS,
): string[] {
  const list: string[] = [];
  for (const [name, value] of headerEntries(headers)) {
    const argument = `headers[${JSON.stringify(name)}]`;
    const lower = String(name).toLowerCase();
    if (own.has(lower)) throw badArgument(op, argument, "is set by the protocol itself");
    if (lower === "authorization" && hasTokenProvider) {
      throw badArgument(op, argument, "cannot go with a token provider, which sets it too");
    }
    if (typeof value !== "string") throw badArgument(op, argument, "has to be a string");
    const bytes = utf8ByteString(value);
    let sent: string | null;
    try {
      // A Request's headers drop the names that a page may not set.
      sent = new Request("http://localhost/", { headers: { [name]: bytes } }).headers.get(name);
    } catch {
      throw badArgument(op, argument, "holds characters that a header cannot carry");
    }
    if (sent === null) throw badArgument(op, argument, "is a header that browsers do not let a page set");
    list.push(name, bytes);
  }
  return list;
}
