import type { LoggingLevel, McpClient } from "holdfast";
import { duration } from "./duration.js";
import { part } from "./element.js";
import { tellIntegrity } from "./integrity.js";
import { loud, plain, type Line } from "./narrative.js";
import { Output } from "./output.js";

/** Everything that belongs to no call: logs, notifications, what the listening stream does. */
export class Log {
  readonly #output = new Output("Log", "log-lines");
  readonly #level = part<HTMLSelectElement>("log-level");
  readonly #levelRow = part("log-level-row");
  readonly #began = performance.now();
  readonly #said: () => void;
  #mcp: McpClient | undefined;

  /** `said` hears of each line. */
  constructor(said: () => void) {
    this.#said = said;
    part("log").append(this.#output.element);
    this.#level.addEventListener("change", () => void this.#ask());
  }

  /** Follows a client. */
  follow(mcp: McpClient): void {
    this.#mcp = mcp;
    mcp.on("log", ({ level, logger, data }) =>
      this.#say(
        loud(level) ? "warning" : "log", level,
        (typeof logger === "string" ? `${logger}: ` : "") + plain(data),
      ),
    );
    mcp.on("notification", ({ method, params }) =>
      this.#say("notification", "notification", params === undefined ? method : `${method} ${plain(params)}`),
    );
    mcp.on("listen", ({ state, delay }) => {
      if (state === "open") this.#say("resumed", "listening", "The stream for unasked messages is open.");
      else if (state === "cut")
        this.#say("cut", "cut", `The listening stream broke. Again in ${duration(delay ?? 0)}.`);
      else if (state === "off")
        this.#say("wire", "listening", "The server does not offer a stream for unasked messages.");
    });
    mcp.on("integrity", (event) => {
      const { tone, tag, text } = tellIntegrity(event);
      this.#say(tone, tag, text);
    });
  }

  /** A session has begun. Servers need not send logs before they are asked to. */
  begin(mcp: McpClient): void {
    this.#levelRow.hidden = !mcp.capabilities.logging;
    if (mcp.capabilities.logging) void this.#ask(true);
  }

  /** Tells the server, or, since 2026-07-28, has each later request say it: that is the runtime's affair. */
  async #ask(quiet = false): Promise<void> {
    const level = this.#level.value as LoggingLevel;
    try {
      await this.#mcp?.setLoggingLevel(level);
      if (!quiet) this.#say("wire", "level", `Logs come from ${level} on.`);
    } catch (error) {
      if (!quiet)
        this.#say(
          "warning", "level",
          `The server does not take it: ${error instanceof Error ? error.message : String(error)}`,
        );
    }
  }

  #say(tone: Line["tone"], tag: string, text: string): void {
    this.#output.add(performance.now() - this.#began, { tone, tag, text });
    this.#output.flush();
    part("no-log").hidden = true;
    this.#said();
  }
}
