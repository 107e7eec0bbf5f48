// Type tests of holdfast/transport, checked by tsc and never run: it is a transport of both official
// packages, and needs neither.
import type { Transport as Transport2 } from "@modelcontextprotocol/client";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as Transport1 } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Call, CallToolResult, HoldfastError, McpClient } from "holdfast";
import * as api from "@opentelemetry/api";
import { openTelemetry } from "holdfast/trace";
import {
  CALL_KEY, HoldfastTransport, holdfastError, type HoldfastTransportOptions,
} from "holdfast/transport";

const transport = new HoldfastTransport("https://example.com/mcp", {
  principal: "ada",
  call: ({ method, params }) => (
    method === "tools/call" ? { key: String(params["name"]), ack: "manual" } : undefined
  ),
});
export const first: Transport1 = transport;
export const second: Transport2 = transport;
await new Client1({ name: "app", version: "1" }).connect(transport);
await new Client2({ name: "app", version: "1" }).connect(transport);
await new Client2({ name: "app", version: "1" }).callTool({
  name: "render", arguments: {}, _meta: { [CALL_KEY]: "render-7" },
});

export const mcp: McpClient = transport.mcp;
export const calls: Promise<Call<CallToolResult>[]> = transport.calls();
export const below: HoldfastError | undefined = holdfastError(new Error());

export const traced: HoldfastTransportOptions = { trace: openTelemetry(api, "app") };
// @ts-expect-error a hook is a function
export const untraced: HoldfastTransportOptions = { trace: true };
// @ts-expect-error the Client has the handlers
export const handled: HoldfastTransportOptions = { handlers: {} };
// @ts-expect-error a transport has an address
new HoldfastTransport();
