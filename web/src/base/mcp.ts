// MCP's own types, as far as this API speaks of them. Names and shapes are
// those of the specification's schema (2025-11-25); unknown members stay.

/** Open objects: servers may send members that no revision names yet. */
export interface Open {
  [member: string]: unknown;
}

/** The name and version of a client or server (schema: Implementation). For display only. */
export interface Implementation extends Open {
  name: string;
  version: string;
  title?: string;
}

/** Capabilities that a server declares (schema: ServerCapabilities). */
export interface ServerCapabilities extends Open {
  tools?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  prompts?: { listChanged?: boolean };
  logging?: object;
  completions?: object;
  /** Since 2025-11-25; `list` and `cancel` say that the server has tasks/list and tasks/cancel. */
  tasks?: { list?: object; cancel?: object; requests?: Open } & Open;
  experimental?: Open;
}

/** Hints about a tool. Untrusted unless the server is (schema: ToolAnnotations). */
export interface ToolAnnotations extends Open {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A JSON Schema, as the server sent it. */
export type JSONSchema = Open;

/** A tool (schema: Tool). */
export interface Tool extends Open {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JSONSchema;
  outputSchema?: JSONSchema;
  annotations?: ToolAnnotations;
  execution?: { taskSupport?: "forbidden" | "optional" | "required" };
}

/** Text content (schema: TextContent). */
export interface TextContent extends Open {
  type: "text";
  text: string;
}

/** An image; `data` is base64 (schema: ImageContent). */
export interface ImageContent extends Open {
  type: "image";
  data: string;
  mimeType: string;
}

/** A sound; `data` is base64 (schema: AudioContent). */
export interface AudioContent extends Open {
  type: "audio";
  data: string;
  mimeType: string;
}

/** A resource that the server can be asked for (schema: ResourceLink). */
export interface ResourceLink extends Open {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** Bytes. */
  size?: number;
}

/** A resource itself (schema: EmbeddedResource). */
export interface EmbeddedResource extends Open {
  type: "resource";
  resource: ResourceContents;
}

/**
 * One piece of a tool's result, told apart by `type` (schema: ContentBlock). A server may send a type that is
 * new.
 */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The result of tools/call. `isError` is the tool's failure, not the protocol's. */
export interface CallToolResult extends Open {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** The result of tools/list, or several of them joined. */
export interface ListToolsResult extends Open {
  tools: Tool[];
  nextCursor?: string;
}

/** How a task stands (schema: TaskStatus); a server may have other words. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled" | (string & {});

/** A task of the server's (schema: Task, 2025-11-25). Times are in ms, points of time in ISO 8601. */
export interface Task extends Open {
  /** May be all that it takes to read the result: not for logs, URLs or other people's eyes. */
  taskId: string;
  status: TaskStatus;
  /** The server's own words for a person. */
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** How long the server keeps it after `createdAt`; null for without limit. */
  ttl: number | null;
  /** How often the server wants to be asked. */
  pollInterval?: number;
}

/** The result of tasks/list, or several of them joined. */
export interface ListTasksResult extends Open {
  tasks: Task[];
  nextCursor?: string;
}

/** Severity of a log message (RFC 5424, schema: LoggingLevel). */
export type LoggingLevel =
  | "debug"
  | "info"
  | "notice"
  | "warning"
  | "error"
  | "critical"
  | "alert"
  | "emergency";

/** A resource (schema: Resource). */
export interface Resource extends Open {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
}

/** A resource template (schema: ResourceTemplate); `uriTemplate` is RFC 6570's. */
export interface ResourceTemplate extends Open {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

/** The result of resources/list, or several of them joined. */
export interface ListResourcesResult extends Open {
  resources: Resource[];
  nextCursor?: string;
}

/** The result of resources/templates/list, or several of them joined. */
export interface ListResourceTemplatesResult extends Open {
  resourceTemplates: ResourceTemplate[];
  nextCursor?: string;
}

/** Contents of a resource: `text`, or `blob` in base64. */
export interface ResourceContents extends Open {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

/** The result of resources/read. */
export interface ReadResourceResult extends Open {
  contents: ResourceContents[];
}

/** A prompt (schema: Prompt). */
export interface Prompt extends Open {
  name: string;
  title?: string;
  description?: string;
  arguments?: { name: string; title?: string; description?: string; required?: boolean }[];
}

/** The result of prompts/list, or several of them joined. */
export interface ListPromptsResult extends Open {
  prompts: Prompt[];
  nextCursor?: string;
}

/** The result of prompts/get. */
export interface GetPromptResult extends Open {
  description?: string;
  messages: { role: "user" | "assistant"; content: ContentBlock }[];
}

/** The result of completion/complete: at most 100 values. */
export interface CompleteResult extends Open {
  completion: { values: string[]; total?: number; hasMore?: boolean };
}
