import type { Runtime } from "./runtime.js";

/** A client's way into the core: every input names the client by its handle. */
export interface Wire {
  /** Another one after it has exited. */
  runtime: Runtime;
  /** 0 until the client is started. */
  handle: number;
}
