// Type tests of holdfast/tools: checked by tsc and never run.
import type { McpClient } from "holdfast";
import { typedTool, withToolTypes, type ToolResult } from "holdfast/tools";
import { z } from "zod";
import type { ExampleTools } from "./testdata/tooltypes.js";

export async function accepted(client: McpClient, show: (text: string) => void): Promise<void> {
  const mcp = withToolTypes<ExampleTools>(client);
  const result = await mcp.callTool("render", { scene: 7, quality: "final", "camera-angle": null }, {
    key: "render-7",
  }).result;
  if (!result.isError) show(result.structuredContent.url + (result.structuredContent.tags?.join() ?? ""));
  mcp.callTool("get_time");
  mcp.callTool({ name: "render", arguments: { scene: 7 } }, {
    onprogress: ({ progress }) => show(String(progress)),
  });
  const tree = await mcp.callTool("files/tree", { path: "/" }).result;
  if (!tree.isError) show(tree.structuredContent.children?.[0]?.children?.[0]?.name ?? "");
  await mcp.listTools();
  // @ts-expect-error there is no such tool
  mcp.callTool("rendr", {});
  // @ts-expect-error it needs a scene
  mcp.callTool("render");
  // @ts-expect-error a scene is a number
  mcp.callTool("render", { scene: "7" });
  // @ts-expect-error no such member
  mcp.callTool("files/tree", { paths: "/" });

  const render = typedTool(client, "render", {
    input: z.object({ scene: z.number(), quality: z.string().default("draft") }),
    output: z.object({ url: z.string() }),
  });
  const call = render({ scene: 7 }, { key: "render-7" });
  for await (const event of call) show(event.type);
  const typed: ToolResult<{ url: string }> = await call.result;
  if (!typed.isError) show(typed.structuredContent.url);
  call.call.cancel();
  for (const each of await client.calls()) show(String((await render.of(each)?.result)?.isError));
  // @ts-expect-error a scene is a number
  render({ scene: "7" });
  const anything = typedTool(client, "anything");
  anything({ a: 1 });
}
