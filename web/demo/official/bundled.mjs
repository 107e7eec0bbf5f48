// What the left pane of the demo's first page has of the official client: one file, which is committed,
// so that the demo needs no npm. `make official-client` writes it.
import { config } from "zod";
import { version } from "../../../node_modules/@modelcontextprotocol/client/package.json";

// zod looks whether the page may compile code, and a page whose policy forbids it logs that.
config({ jitless: true });

export const VERSION = version;
export { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
