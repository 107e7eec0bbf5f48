import { CLOSE_INVALID } from "../base/border.js";
import type { Reports } from "./reports.js";
import { shownText } from "../base/plainpath.js";

/**
 * One WebSocket of the core's. Each text message is one call of an export, in
 * the order of arrival: a WebSocket cannot be read more slowly, so that there is
 * no backpressure. Binary messages are no messages of JSON-RPC's and stay out.
 */
export class Socket {
  readonly #reports: Reports;
  readonly #client: number;
  readonly #id: number;
  #socket: WebSocket | undefined;
  #over = false;

  constructor(reports: Reports, client: number, id: number) {
    this.#reports = reports;
    this.#client = client;
    this.#id = id;
  }

  /**
   * Opens it. A message of more than `limit` characters is handed on cut: still
   * longer than the core takes, but not so long that its memory would not hold it.
   */
  async start(url: string, protocols: string[], limit: number): Promise<void> {
    let socket: WebSocket;
    try {
      socket = new WebSocket(url, protocols);
    } catch (error) {
      // Later, so that the core is not called from within its own effects.
      await undefined;
      this.#closed(CLOSE_INVALID, error instanceof Error ? shownText(error.message) : "");
      return;
    }
    this.#socket = socket;
    socket.onopen = () => {
      if (!this.#over) this.#reports.socketOpened(this.#client, this.#id);
    };
    socket.onmessage = ({ data }) => {
      if (this.#over || typeof data !== "string") return;
      const text = limit > 0 && data.length > limit ? data.slice(0, limit + 1) : data;
      this.#reports.socketMessage(this.#client, this.#id, text);
    };
    // An error says nothing, and is followed by this event, which says a little.
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
  }

  /** Sends a text message. Throws unless the socket has been opened: the core waits for that. */
  send(text: string): void {
    this.#socket!.send(text);
  }

  /** No effect: a WebSocket reads by itself. */
  read(): void {}

  /** Closes it; nothing more of it is reported. */
  abort(): void {
    this.#over = true;
    this.#socket?.close();
  }

  #closed(code: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#reports.socketClosed(this.#client, this.#id, code, reason);
  }
}
