import type { Runtime } from "./runtime/runtime.js";

/** A client's way into the core: every input names the client by its handle. */
export interface Wire {
  readonly runtime: Runtime;
  /** 0 until the client is started. */
  handle: number;
}
