/** What the rig may set of a contender; each reads what it knows. */
export interface Options {
  /** The revision to speak; the contender's own choice where it is left out. */
  revision?: "2025-11-25" | "2026-07-28";
  /** Whether calls outlive the page. */
  journal?: boolean;
  /** Where the client runs. */
  host?: "page" | "shared";
}

/** One connected client. */
export interface Session {
  /**
   * Calls a tool as the client's documentation does it, gives every progress
   * event to `seen`, and resolves with the result. `limit` is the timeout to
   * set, in ms; the contender's own where it is 0.
   */
  call(
    tool: string, args: Record<string, unknown>, seen?: (progress: number) => void, limit?: number,
  ): Promise<unknown>;
  /** Lists the tools, where the client makes something of what it learns. */
  list?(): Promise<unknown>;
  close(): unknown;
}

/** What the bundle of every contender exports. */
export interface Contender {
  connect(url: string, options: Options): Promise<Session>;
  /** Loads what connect will need, where the client has something for that. */
  preload?(options: Options): Promise<void>;
}

/** Long enough that no contender's own limit ends a measurement. */
export const PATIENCE = 600_000;
