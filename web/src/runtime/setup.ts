/** The object that the Go program fills while it starts (wasm/main.go). */
export interface GoHost {
  version?: string;
  /** Returns the client's handle, a string that says which option is wrong, or DEAD. */
  connect?: (options: object) => number | string;
  /** The same for an agent; none where the program is for MCP alone. */
  connectAgent?: (options: object) => number | string;
}
