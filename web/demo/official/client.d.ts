// What the demo takes from the bundle beside this file. The official client's own types are those of npm's
// package, which is not there where the demo is built with Go alone.

/** The version of the official client in the bundle. */
export declare const VERSION: string;

/** Streamable HTTP, for one server. */
export declare class StreamableHTTPClientTransport {
  constructor(url: URL);
}

/** The official client. */
export declare class Client {
  constructor(info: { name: string; version: string });
  /** What goes wrong below the calls: a stream that breaks, a reconnect that fails. */
  onerror: (error: Error) => void;
  connect(transport: StreamableHTTPClientTransport): Promise<void>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    options: { onprogress: (progress: { progress: number; total?: number }) => void },
  ): Promise<unknown>;
}
