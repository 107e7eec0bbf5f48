import type { Call } from "./call.js";
import { Connection } from "./connection.js";
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListTasksResult,
  ListToolsResult,
  LoggingLevel,
  Open,
  ReadResourceResult,
} from "../base/mcp.js";
import type { CallOptions, CompleteOptions, ListOptions, RequestOptions } from "./options.js";
import type { ClientBackend } from "./backend.js";
import { OneAtATime } from "./oneatatime.js";
import { toolCall, type ToolCall } from "./toolcall.js";

/**
 * An MCP client. Made by {@link connect}; several of one page may share a connection,
 * each with its own handlers, tokens, listeners and calls.
 */
export class McpClient extends Connection {
  /** @internal No private member: a traced client has it of this one. */
  protected readonly lists = new OneAtATime();

  /** @internal Use {@link connect}. */
  constructor(backend: ClientBackend) {
    super(backend);
    // before a listener of the app's, which may ask for a list
    backend.listeners.add("changed", () => this.lists.changed());
  }

  /**
   * @internal A list, of which one is asked for at a time. Whoever says how it is to be asked for has a
   * request of their own.
   */
  protected list<T extends Open>(op: string, options: ListOptions, ask: () => Promise<T>): Promise<T> {
    return Object.keys(Object(options)).length > 0 ? ask() : this.lists.get(op, ask);
  }

  /**
   * The server's tools, all pages of them; with a cursor, the one page it names.
   * The server may change them: listen for `changed`.
   */
  listTools(options: ListOptions = {}): Promise<ListToolsResult> {
    return this.list("tools/list", options, () => this.ask("tools/list", "listTools", options));
  }

  /**
   * Calls a tool. The call starts at once; iterate it for progress and logs,
   * await its `result`. A tool's own failure is a result with `isError`. `T` is what the app
   * takes the result for; nobody checks that but the tool's outputSchema.
   *
   * @throws HoldfastError `bad_argument`, at once
   */
  callTool<T = CallToolResult>(name: string, args?: Open, options?: CallOptions): Call<T>;
  /** The same in the words of the official client: `callTool({ name, arguments }, { onprogress })`. */
  callTool<T = CallToolResult>(tool: ToolCall, options?: CallOptions): Call<T>;
  callTool<T>(tool: string | ToolCall, second?: unknown, third?: unknown): Call<T> {
    const { args, options } = toolCall(tool, second, third);
    return this.make("tools/call", "callTool", args, options);
  }

  /**
   * The tasks that the server has for this client (tasks/list of 2025-11-25), all
   * pages of them; with a cursor, the one page that the cursor names. The server decides
   * what it lists: a server that does not tell its clients apart may list the tasks of
   * others, and an id may be enough to read a result. The calls of this client are in
   * {@link Connection.calls}.
   *
   * @throws HoldfastError `unsupported` where the server does not say that it has `tasks.list`
   */
  listTasks(options: ListOptions = {}): Promise<ListTasksResult> {
    return this.ask("tasks/list", "listTasks", options);
  }

  /** The server's resources, all pages of them. */
  listResources(options: ListOptions = {}): Promise<ListResourcesResult> {
    return this.list("resources/list", options, () => this.ask("resources/list", "listResources", options));
  }

  /** The server's resource templates (RFC 6570), all pages of them. */
  listResourceTemplates(options: ListOptions = {}): Promise<ListResourceTemplatesResult> {
    return this.list(
      "resources/templates/list", options,
      () => this.ask("resources/templates/list", "listResourceTemplates", options),
    );
  }

  /** Reads a resource. */
  readResource(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    return this.ask("resources/read", "readResource", uri, options);
  }

  /** Subscribes to changes of a resource: notifications/resources/updated, by `on("notification")`. */
  subscribeResource(uri: string, options: RequestOptions = {}): Promise<void> {
    return this.ask("resources/subscribe", "subscribeResource", uri, options);
  }

  /** Ends {@link McpClient.subscribeResource}. */
  unsubscribeResource(uri: string, options: RequestOptions = {}): Promise<void> {
    return this.ask("resources/unsubscribe", "unsubscribeResource", uri, options);
  }

  /** The server's prompts, all pages of them. */
  listPrompts(options: ListOptions = {}): Promise<ListPromptsResult> {
    return this.list("prompts/list", options, () => this.ask("prompts/list", "listPrompts", options));
  }

  /** Fills in a prompt. */
  getPrompt(
    name: string, args: Record<string, string> = {}, options: RequestOptions = {},
  ): Promise<GetPromptResult> {
    return this.ask("prompts/get", "getPrompt", name, args, options);
  }

  /**
   * Asks for completions of an argument's value. What they depend on is in `context` of the options.
   *
   * @param ref a prompt (`{ type: "ref/prompt", name }`) or a template (`{ type: "ref/resource", uri }`)
   */
  complete(
    ref: Open, argument: { name: string; value: string }, options: CompleteOptions = {},
  ): Promise<CompleteResult> {
    return this.ask("completion/complete", "complete", ref, argument, options);
  }

  /**
   * Sets from which severity on the server sends log messages. Since 2026-07-28 each
   * request carries the level in its `_meta`: later requests do, unless the app gives a
   * request a level of its own. Where several clients of a page share a connection, the
   * last level that one of them sets holds for all.
   */
  setLoggingLevel(level: LoggingLevel, options: RequestOptions = {}): Promise<void> {
    return this.ask("logging/setLevel", "setLoggingLevel", level, options);
  }

  /**
   * Tells the server that the folders of `handlers.roots` have changed
   * (notifications/roots/list_changed), so that it asks for them again. From
   * 2026-07-28 on a server asks in each call that needs them: nothing is sent.
   *
   * @throws HoldfastError `bad_argument` where there is no such handler
   */
  rootsChanged(): Promise<void> {
    return this.backend.ask("notifications/roots/list_changed", "rootsChanged");
  }
}
