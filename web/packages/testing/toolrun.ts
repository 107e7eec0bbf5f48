import type { CallToolResult, LoggingLevel, Open } from "holdfast";
import type { ServerStream } from "./serverstreams.js";

/** Functions that a tool of a test server may call while it runs. */
export interface ToolContext {
  /** Says how far it has come (notifications/progress). */
  progress(progress: number, total?: number, message?: string): void;
  /** Says something for the log (notifications/message). */
  log(data: unknown, level?: LoggingLevel): void;
  /**
   * Asks the client for something, such as "elicitation/create"; rejects with what the client refuses it
   * with.
   */
  ask(method: string, params: Open): Promise<Open>;
  /** Aborted when the client cancels the call. A cut cancels nothing. */
  signal: AbortSignal;
}

interface Waiting {
  resolve(result: Open): void;
  reject(error: Error): void;
}

/** The answer to a call. */
type Answer = { result: CallToolResult };

let questions = 0;

/** A tool that runs for one call. */
export class ToolRun {
  readonly #stream: ServerStream;
  readonly #token: unknown;
  readonly #over = new AbortController();
  readonly #waiting = new Map<string, Waiting>();

  constructor(stream: ServerStream, progressToken: unknown) {
    this.#stream = stream;
    this.#token = progressToken;
  }

  /** Runs it. Never rejects: what it throws is its failure. */
  async of(
    run: (args: Open, context: ToolContext) => CallToolResult | string | Promise<CallToolResult | string>,
    args: Open
  ): Promise<Answer> {
    const say = (method: string, params: object): void => this.#stream.send({
      jsonrpc: "2.0", method, params,
    });
    try {
      const result = await run(args, {
        progress: (progress, total, message) => {
          if (this.#token !== undefined)
            say("notifications/progress", {
              progressToken: this.#token, progress, ...(total !== undefined && { total }),
              ...(message !== undefined && { message })
            });
        },
        log: (data, level = "info") => say("notifications/message", { level, data }),
        ask: (method, params) => this.#ask(method, params),
        signal: this.#over.signal,
      });
      return { result: typeof result === "string" ? { content: [{ type: "text", text: result }] } : result };
    } catch (error) {
      return {
        result: {
          content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }],
          isError: true,
        },
      };
    }
  }

  /** The client has cancelled the call. */
  cancel(reason: string): void {
    this.#over.abort(new Error(reason || "cancelled by the client"));
    for (const { reject } of this.#waiting.values()) reject(this.#over.signal.reason as Error);
    this.#waiting.clear();
  }

  /** The client has answered a question, this tool's or another's. */
  answered(id: string, result: Open | undefined, failure: string | undefined): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (failure !== undefined) waiting.reject(new Error(failure));
    else waiting.resolve(result ?? {});
  }

  #ask(method: string, params: Open): Promise<Open> {
    return new Promise((resolve, reject) => {
      const id = `q${++questions}`;
      this.#waiting.set(id, { resolve, reject });
      this.#stream.send({ jsonrpc: "2.0", id, method, params });
    });
  }
}
