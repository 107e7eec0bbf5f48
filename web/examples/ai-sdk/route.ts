import { convertToModelMessages, jsonSchema, streamText, tool, type UIMessage } from "ai";
import type { Tool } from "holdfast";

/** POST /api/chat. The model is called here; the tools are the page's, so that they have no `execute`. */
export async function POST(request: Request): Promise<Response> {
  const { messages, tools } = (await request.json()) as { messages: UIMessage[]; tools: Tool[] };
  const answer = streamText({
    model: "anthropic/claude-sonnet-5",
    messages: await convertToModelMessages(messages),
    tools: Object.fromEntries(
      tools.map(
        ({ name, description = "", inputSchema }) => [
          name, tool({ description, inputSchema: jsonSchema(inputSchema) }),
        ],
      ),
    ),
  });
  return answer.toUIMessageStreamResponse();
}
