// A server whose tools run once, by what docs/idempotency.md has for TypeScript. It counts what arrives and what runs.
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import express from "express";
import { z } from "zod";
import { makeOnce } from "./once.mjs";

let arrived = 0;
let ran = 0;
let release;
const gate = new Promise((resolve) => (release = resolve));

async function pay({ order, wait, fail }) {
  const text = `payment ${++ran} of order ${order}`;
  if (wait) await gate;
  if (fail) throw new Error(text);
  return { content: [{ type: "text", text }] };
}

const once = makeOnce({
  userOf: ({ authInfo }) => authInfo?.extra?.userId ?? "",
  keepMs: Number(process.env.KEEP_MS),
  most: Number(process.env.MOST),
});

function makeServer() {
  const server = new McpServer({ name: "once", version: "1" });
  const inputSchema = { order: z.number(), wait: z.boolean().optional(), fail: z.boolean().optional() };
  for (const tool of ["pay", "refund"]) {
    const work = once(tool, pay);
    server.registerTool(tool, { inputSchema }, (args, extra) => (arrived++, work(args, extra)));
  }
  return server;
}

const sessions = new Map();
const app = express();
app.all("/mcp", express.json(), async (request, response) => {
  const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
  request.auth = { token, clientId: "", scopes: [], extra: { userId: token } };
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport && isInitializeRequest(request.body)) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await makeServer().connect(transport);
  }
  if (!transport) return response.status(404).end();
  await transport.handleRequest(request, response, request.body);
});
app.get("/release", (_, response) => (release(), response.end()));
app.get("/seen", (_, response) => response.json([arrived, ran]));
const listening = app.listen(0, "127.0.0.1", () => console.log(listening.address().port));
