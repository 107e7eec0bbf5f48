// Places of the protocol that a trace keeps. Every name outside these tables may be somebody's own: a server
// invents methods, events, member names and words as it likes.

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** The methods of all revisions and dialects. */
export const METHODS: ReadonlySet<string> = new Set([
  ...[
    "initialize", "ping", "server/discover", "completion/complete", "logging/setLevel", "roots/list",
    "sampling/createMessage", "elicitation/create",
  ],
  ...[
    "prompts/get", "prompts/list", "resources/list", "resources/read", "resources/subscribe",
    "resources/templates/list", "resources/unsubscribe",
  ],
  ...["tools/call", "tools/list", "subscriptions/listen", "requests/getStatus", "requests/resume"],
  ...["tasks/cancel", "tasks/continue", "tasks/get", "tasks/list", "tasks/result", "tasks/update"],
  ...[
    "cancelled", "elicitation/complete", "initialized", "message", "progress", "prompts/list_changed",
    "requests/resumePolicy",
  ].map((of) => `notifications/${of}`),
  ...[
    "resources/list_changed", "resources/updated", "roots/list_changed", "subscriptions/acknowledged",
    "tasks", "tasks/status",
  ].map((of) => `notifications/${of}`),
  "notifications/tools/list_changed",
]);

/** Words, by the member that has them. */
export const WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["jsonrpc", new Set(["2.0"])],
  ["method", METHODS],
  ...[
    "protocolVersion", "io.modelcontextprotocol/protocolVersion", "supportedVersions", "supported",
    "requested",
  ].map((member) => [member, new Set(REVISIONS)] as const),
  ["resultType", new Set(["complete", "task", "input_required"])],
  [
    "status",
    new Set(["submitted", "processing", "working", "input_required", "completed", "failed", "cancelled"]),
  ],
  ["level", new Set(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])],
  ["taskSupport", new Set(["forbidden", "optional", "required"])],
  ["mode", new Set(["form", "url"])],
  ["action", new Set(["accept", "decline", "cancel"])],
  ["cacheScope", new Set(["private", "public"])],
]);

/** Names for something: another one takes their place, the same each time. */
export const NAMES: ReadonlySet<string> = new Set([
  ...[
    "taskId", "taskIds", "resumeToken", "requestState", "cursor", "nextCursor", "elicitationId",
    "subscriptionId", "io.modelcontextprotocol/subscriptionId",
  ],
]);

/** Ids of requests: numbers stay, since the client counts them. */
export const IDS: ReadonlySet<string> = new Set(["id", "requestId", "progressToken"]);

/** Numbers that the protocol goes by. */
export const NUMBERS: ReadonlySet<string> = new Set(
  [
    "code", "progress", "total", "seqNr", "lastSeqNr", "minWait", "maxWait", "ttl", "ttlMs", "pollInterval",
    "pollIntervalMs",
  ],
);

/** Members whose own members have names that somebody gives: each is given another. */
export const MAPS: ReadonlySet<string> = new Set(["inputRequests", "inputResponses"]);

/**
 * Other members of the protocol's. What they hold is looked at in the same way; a text in them is not kept.
 */
export const MEMBERS: ReadonlySet<string> = new Set([
  ...[
    "params", "result", "error", "_meta", "task", "tasks", "tools", "prompts", "resources",
    "resourceTemplates", "roots", "requests", "partial-content",
  ],
  ...[
    "capabilities", "io.modelcontextprotocol/clientCapabilities", "extensions",
    "io.modelcontextprotocol/tasks", "resumableRequests", "responses",
  ],
  ...[
    "serverInfo", "clientInfo", "io.modelcontextprotocol/serverInfo", "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/related-task",
  ],
  ...[
    "elicitation", "sampling", "logging", "completions", "form", "create", "createMessage", "list", "call",
    "cancel", "notifications", "execution", "annotations",
  ],
  ...[
    "listChanged", "subscribe", "toolsListChanged", "promptsListChanged", "resourcesListChanged",
    "resourceSubscriptions",
  ],
  ...[
    "isError", "isComplete", "hasMore", "hasInputRequest", "hasPendingMessage", "readOnlyHint",
    "destructiveHint", "idempotentHint", "openWorldHint",
  ],
  ...[
    "name", "title", "description", "uri", "url", "version", "instructions", "message", "statusMessage",
    "reason", "createdAt", "lastUpdatedAt",
  ],
]);

/**
 * Members of the protocol's that hold what is an app's, a server's or a person's: their names stay, and of
 * what they hold the shape.
 */
export const PAYLOAD: ReadonlySet<string> = new Set([
  ...[
    "arguments", "argument", "content", "structuredContent", "contents", "messages", "data", "completion",
    "experimental",
  ],
  ...["inputSchema", "outputSchema", "requestedSchema"],
]);

/** Fields of an event stream's `event`. */
export const EVENTS: ReadonlySet<string> = new Set(["message", "endpoint", "error"]);

const MEDIA = ["application/json", "text/event-stream", "text/html", "text/plain"];
const oneOf = (...words: string[]): ((value: string) => boolean) => (value) => words.includes(value);

/** Header fields of which something may stay: whether a value says nothing of anybody. */
export const HEADERS: ReadonlyMap<string, (value: string) => boolean> = new Map([
  [
    "content-type",
    (value: string) => MEDIA.includes(value.split(";")[0]!.trim().toLowerCase()) &&
      /^[^;]*(; ?charset="?utf-8"?)?$/i.test(value),
  ],
  ["accept", oneOf("application/json, text/event-stream", ...MEDIA)],
  ["mcp-protocol-version", oneOf(...REVISIONS)],
  ["mcp-method", (value: string) => METHODS.has(value)],
  ["retry-after", (value: string) => /^\d{1,6}$/.test(value)],
  [
    "allow",
    (value: string) =>
      /^(GET|POST|DELETE|OPTIONS|HEAD|PUT|PATCH)(, ?(GET|POST|DELETE|OPTIONS|HEAD|PUT|PATCH))*$/.test(value),
  ],
  ["content-encoding", oneOf("gzip", "br", "deflate", "zstd")],
]);
