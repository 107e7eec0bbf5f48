import type { Reports } from "./reports.js";

/** The event types that MCP has: endpoint belongs to HTTP+SSE (2024-11-05). */
const TYPES = ["message", "endpoint"];

/**
 * One EventSource of the core's, for a stream that needs no header field. The
 * browser parses it; its first error closes it, since only the core reconnects.
 */
export class Source {
  readonly #reports: Reports;
  readonly #client: number;
  readonly #id: number;
  #source: EventSource | undefined;

  constructor(reports: Reports, client: number, id: number) {
    this.#reports = reports;
    this.#client = client;
    this.#id = id;
  }

  /** Opens it. */
  start(url: string, credentials: RequestCredentials): void {
    const source = new EventSource(url, { withCredentials: credentials === "include" });
    this.#source = source;
    const over = (how: "sourceFailed" | "sourceRedirected"): void => {
      this.abort();
      this.#reports[how](this.#client, this.#id);
    };
    source.onopen = () => this.#reports.sourceOpened(this.#client, this.#id);
    source.onerror = () => over("sourceFailed");
    // An EventSource follows redirects, and says so with its first event only. That
    // it has asked there cannot be prevented; what came of it is not delivered.
    const { origin } = new URL(url);
    for (const type of TYPES) {
      source.addEventListener(type, (event) => {
        if (this.#source !== source) return;
        if (event.origin !== origin) over("sourceRedirected");
        else this.#reports.sourceEvent(this.#client, this.#id, type, String(event.data), event.lastEventId);
      });
    }
  }

  /** No effect: an EventSource reads by itself. */
  read(): void {}

  /** The page is left for good. */
  leave(): void {
    this.abort();
  }

  /** Closes it; nothing more of it is reported. */
  abort(): void {
    this.#source?.close();
    this.#source = undefined;
  }
}
