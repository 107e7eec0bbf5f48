/**
 * What the browser reports to the core: of requests, streams, sockets and timers. `client`
 * is the client's handle, and `exchange` the number that the core has given.
 */
export interface Reports {
  /** Bytes that one chunk may have. */
  readonly chunkBytes: number;
  /** A response head. `fields` are names in lower case and values. */
  head(client: number, exchange: number, status: number, fields: string[]): void;
  /** Bytes of a body: at most chunkBytes of them, which are copied. Returns whether anything came of them beside the wish for more. */
  chunk(client: number, exchange: number, bytes: Uint8Array): boolean;
  /** The end of an exchange: a number of Ending, and the browser's own words. */
  end(client: number, exchange: number, how: number, detail: string): void;
  /** An event of an EventSource: its type, data and last event id. */
  sourceEvent(client: number, exchange: number, parts: [string, string, string]): void;
  /** An EventSource is open, or over: a number of SOURCE. */
  sourceState(client: number, exchange: number, state: number): void;
  /** A WebSocket is open. */
  socketOpened(client: number, socket: number): void;
  /** A text message of a WebSocket's. */
  socketMessage(client: number, socket: number, text: string): void;
  /** A WebSocket is over, with its close code or CLOSE_INVALID. */
  socketClosed(client: number, socket: number, code: number, reason: string): void;
  /** The time has come that the client asked for. */
  fired(client: number): void;
}
