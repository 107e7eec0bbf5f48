// What the examples of the pages take from the app around them.
import type { Call, CallToolResult, McpClient } from "holdfast";

declare global {
  /** The client and the call of an earlier block. */
  const mcp: McpClient;
  const call: Call<CallToolResult>;
  /** The app's own: it shows something, keeps it, or asks a person. */
  function show(...shown: unknown[]): void;
  function save(...saved: unknown[]): Promise<void>;
  // The page's own elements and functions, whatever they are there.
  const link: any, button: any, logOutButton: any, user: any, url: any, form: any, showForm: any,
    getToken: any, askPerson: any;
}
