// The demo page. This module only puts the parts together; the hooks for tests
// are listed at the top of index.html.

import { HoldfastError, type McpClient, type Tool } from "holdfast";
import { CallList } from "./calls.js";
import { Connection } from "./connection.js";
import { part } from "./element.js";
import { connectsByItself, embeddedURL, presetURL } from "./embedded.js";
import { Facts } from "./facts.js";
import { Guide, GUIDE_TOOL } from "./guide.js";
import { Noticed } from "./noticed.js";
import { Saboteur } from "./saboteur.js";
import { ToolList } from "./tools.js";

let client: McpClient | undefined;
let known: Tool[] = [];

const calls = new CallList();
const facts = new Facts();
const noticed = new Noticed();
const saboteur = new Saboteur();

const tools = new ToolList((tool, args) => {
  if (client) calls.run(client, tool, args);
});

const guide = new Guide({
  run: (args) => {
    const tool = known.find(({ name }) => name === GUIDE_TOOL);
    return client && tool ? calls.run(client, tool, args) : undefined;
  },
  cut: () => void saboteur.cut(),
});
calls.watch((card, event) => guide.watch(card, event));

const connection = new Connection({
  opened: (mcp) => {
    client = mcp;
    facts.resetListen();
    noticed.follow(mcp);
    saboteur.available = mcp.url === embeddedURL;
    mcp.on("listen", (event) => facts.listen(event));
    mcp.on("notification", ({ method }) => {
      if (method === "notifications/tools/list_changed") void listTools(mcp);
    });
    begin(mcp);
  },
  changed: (mcp) => {
    // A new session is a new beginning: what the old one was told is forgotten.
    if (mcp.state === "open") begin(mcp);
    else facts.resetListen();
  },
  ended: () => {
    client = undefined;
    known = [];
    facts.clear();
    noticed.stop();
    guide.available = false;
    saboteur.available = false;
    tools.clear("Connect to a server to see its tools.");
  },
});

function begin(mcp: McpClient): void {
  facts.show(mcp);
  // Servers need not send logs before they are asked to. One that refuses has none.
  if (mcp.capabilities.logging) mcp.request("logging/setLevel", { level: "debug" }).result.catch(() => undefined);
  void listTools(mcp);
}

async function listTools(mcp: McpClient): Promise<void> {
  if (!mcp.capabilities.tools) {
    tools.clear("This server offers no tools.");
    return;
  }
  if (known.length === 0) tools.say("Asking for the tools…");
  try {
    const list = await mcp.listTools();
    if (mcp !== client) return;
    known = list.tools;
    tools.show(known);
    guide.available = mcp.url === embeddedURL && known.some(({ name }) => name === GUIDE_TOOL);
  } catch (error) {
    if (mcp !== client) return;
    tools.say(`The tools could not be listed: ${error instanceof HoldfastError ? (error.hint ?? error.message) : String(error)}`);
  }
}

const preset = presetURL();
connection.url = preset;
if (connectsByItself(preset)) {
  guide.available = preset === embeddedURL ? "expected" : false;
  tools.say("Connecting…");
  void connection.open();
} else part("preset-note").hidden = false;
