// @modelcontextprotocol/client: the official client. `auto` is how it speaks
// 2026-07-28; its default is the older wire.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { PATIENCE, type Options, type Session } from "./contender.js";

export async function connect(url: string, { revision }: Options): Promise<Session> {
  const client = new Client(
    { name: "bench", version: "1" },
    revision === "2026-07-28" ? { versionNegotiation: { mode: "auto" } } : {},
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    call: (name, args, seen, limit = PATIENCE) =>
      client.callTool({ name, arguments: args }, {
        ...(limit && { timeout: limit }),
        ...(seen && { onprogress: ({ progress }: { progress: number }) => seen(progress) })
      }),
    list: () => client.listTools(),
    close: () => client.close(),
  };
}
