// The server of the example's app: its route, with a model in the place of the gateway's that calls the tool count with
// what HOLDFAST_ARGUMENTS says, and then tells what came of it. Prints its port.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { POST } from "../../../web/examples/ai-sdk/route.ts";

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

const model = new MockLanguageModelV4({
  doStream: async ({ prompt, tools }) => {
    const result = prompt.flatMap(({ role, content }) => (role === "tool" ? content : [])).at(-1);
    const said = result ? `The tool said: ${JSON.stringify(result.output)}` : "";
    const parts = result
      ? [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: said }, { type: "text-end", id: "1" }]
      : [{ type: "tool-call", toolCallId: "toolu_a", toolName: tools.find(({ name }) => name === "count").name, input: process.env.HOLDFAST_ARGUMENTS }];
    const reason = result ? "stop" : "tool-calls";
    return { stream: simulateReadableStream({ chunks: [...parts, { type: "finish", finishReason: { unified: reason, raw: undefined }, usage }] }) };
  },
});
globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: "v4", languageModel: () => model };

const server = createServer(async (request, response) => {
  const answer = await POST(new Request("http://127.0.0.1" + request.url, { method: "POST", body: Readable.toWeb(request), duplex: "half" }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  Readable.fromWeb(answer.body).pipe(response);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
