import type { Inputs } from "./door.js";

/**
 * Reports of the browser to the core: about requests, streams, sockets and timers. `client` is the client's
 * handle, and `x` the number that the core has given.
 */
export interface Reports extends Pick<
  Inputs,
  | "head" | "end" | "fired"
  | "sourceEvent" | "sourceOpened" | "sourceFailed" | "sourceRedirected"
  | "socketOpened" | "socketMessage" | "socketClosed"
> {
  /** Bytes that one chunk may have. */
  readonly chunkBytes: number;
  /**
   * Bytes of a body: at most chunkBytes of them, which are copied. Returns whether anything
   * came of them beside the wish for more.
   */
  chunk(client: number, x: number, bytes: Uint8Array): boolean;
}
