// @modelcontextprotocol/sdk: version 1 of the official client.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { PATIENCE, type Session } from "./contender.js";

export async function connect(url: string): Promise<Session> {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    call: (name, args, seen, limit = PATIENCE) =>
      client.callTool({ name, arguments: args }, undefined, {
        ...(limit && { timeout: limit }),
        ...(seen && { onprogress: ({ progress }: { progress: number }) => seen(progress) }),
      }),
    close: () => client.close(),
  };
}
