// @ai-sdk/mcp. It has no way to hand progress to the app.
import { createMCPClient } from "@ai-sdk/mcp";
import { PATIENCE, type Session } from "./contender.js";

export async function connect(url: string): Promise<Session> {
  const client = await createMCPClient({ transport: { type: "http", url } });
  return {
    call: (name, args, _, limit = PATIENCE) => client.callTool({
      name, arguments: args, ...(limit && { options: { timeout: limit } })
    }),
    close: () => client.close(),
  };
}
