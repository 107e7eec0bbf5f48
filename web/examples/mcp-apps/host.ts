import { connect, type Call } from "holdfast";
import {
  AppBridge, getToolUiResourceUri, isToolVisibilityModelOnly, PostMessageTransport, RESOURCE_MIME_TYPE,
} from "@modelcontextprotocol/ext-apps/app-bridge";

const query = new URLSearchParams(location.search);
const about = { name: "holdfast-mcp-apps-example", version: "1.0.0" };
const mcp = await connect(query.get("server") ?? "/mcp", {
  client: about,
  capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } },
});
const tools = (await mcp.listTools()).tools as { name: string; _meta?: Record<string, unknown> }[];

for (const { name } of tools.filter(getToolUiResourceUri)) {
  const button = document.body.appendChild(document.createElement("button"));
  button.textContent = name;
  // "manual": what is shown is there again after a reload, until somebody closes it. The key tells it from
  // what a view calls.
  button.onclick = () => void show(
    mcp.callTool(name, {}, { ack: "manual", key: `shown ${crypto.randomUUID()}` }),
  );
}
for (const call of await mcp.calls()) if (call.key?.startsWith("shown ")) void show(call);

/**
 * Shows a call by the view of its tool, which gets the call's arguments at once, and its result when there is
 * one.
 */
async function show(call: Call): Promise<void> {
  const { name, arguments: args = {} } = call.params as { name: string; arguments?: Record<string, unknown> };
  const view = getToolUiResourceUri(tools.find((tool) => tool.name === name) ?? {});
  if (!view) return; // the server has no view for it any more
  const article = document.body.appendChild(document.createElement("article"));
  const close = article.appendChild(document.createElement("button"));
  close.textContent = `Close ${name}`;
  const frame = article.appendChild(document.createElement("iframe"));
  frame.title = name;
  // another origin than this page's, always
  frame.src = query.get("sandbox") ?? "https://sandbox.example.com/sandbox.html";

  const bridge = new AppBridge(null, about, { serverTools: {} });
  bridge.oncalltool = async ({ name, arguments: args }) => {
    const tool = tools.find((tool) => tool.name === name);
    if (!tool || isToolVisibilityModelOnly(tool)) throw new Error(`No view may call ${name}.`);
    return (await mcp.callTool(name, args).result) as never;
  };
  bridge.addEventListener("sizechange", ({ height }) => (frame.style.height = `${height}px`));
  bridge.addEventListener("sandboxready", async () => {
    const { contents } = await mcp.readResource(view);
    await bridge.sendSandboxResourceReady({ html: String(contents[0]?.["text"]) });
  });
  bridge.addEventListener("initialized", async () => {
    await bridge.sendToolInput({ arguments: args });
    call.result.then(
      (result) => bridge.sendToolResult(result as never),
      (error: Error) => bridge.sendToolCancelled({ reason: error.message }),
    );
  });
  close.onclick = async () => {
    if (!call.settled) call.cancel();
    await call.ack();
    await bridge.close();
    article.remove();
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow!, frame.contentWindow!));
}
