// The demo page. This module only puts the parts together; the hooks for tests
// are listed at the top of inspector.html.

import { HoldfastError, type McpClient, type Open, type Tool } from "holdfast";
import { CallList } from "./calls.js";
import type { CallCard } from "./card.js";
import { Connection } from "./connection.js";
import { part, setAttributes } from "./element.js";
import { ask } from "./elicitation.js";
import {
  absolute, connectsByItself, embeddedURL, isEmbedded, presetURL, resumeURL, tasksURL,
} from "./embedded.js";
import { Facts } from "./facts.js";
import { Guide, GUIDE_TOOL } from "./guide.js";
import { HostSwitch } from "./host.js";
import { JournalPanel } from "./journal.js";
import { Log } from "./log.js";
import { Noticed } from "./noticed.js";
import { Offers } from "./offers.js";
import { Saboteur } from "./saboteur.js";
import { Tabs } from "./tabs.js";
import { ToolList } from "./tools.js";
import { WAY_TOOLS, Ways } from "./ways.js";
import { tap } from "./wiretap.js";
import { LongWork, WORK_TOOLS } from "./longwork.js";

/** How long the page waits before it asks a server again that was away, in ms. */
const LIST_AGAIN = 1_000;

let client: McpClient | undefined;
let known: Tool[] = [];

const facts = new Facts();
const noticed = new Noticed();

const tabs = new Tabs();
const offers = new Offers(tabs);
const log = new Log(() => tabs.logged());
const calls = new CallList();
const tools = new ToolList(tabs, (tool, args) => {
  if (client) calls.run(client, tool, args);
});

const saboteur = new Saboteur(() => {
  // A runtime that is dead is noticed by whoever speaks to it next.
  if (client) void client.ping().catch(() => {});
});
const run = (name: string, args: Open, key: string): CallCard | undefined => {
  const tool = known.find((each) => each.name === name);
  return client && tool ? calls.run(client, tool, args, key) : undefined;
};
const guide = new Guide((args, key) => run(GUIDE_TOOL, args, key));
const ways = new Ways(run);
const longWork = new LongWork(
  run,
  (why) => saboteur.say(`The network is still there: ${why}`),
);
const journal = new JournalPanel({
  forget: async () => {
    calls.clear();
    await connection.forget();
  },
});
calls.watch((card, event) => {
  guide.watch(card, event);
  longWork.watch(card, event);
  ways.watch(card, event);
  if (event === undefined) void journal.refresh();
});

const hosts = new HostSwitch(() => {
  if (client) void connection.open();
});

const connection = new Connection({
  handlers: {
    elicitation: async (request, context) => {
      const card = calls.asked(request);
      const result = await ask(request, context, card?.asked(String(request.message)) ?? part("questions"));
      card?.answered(result.action);
      return result;
    },
  },
  hostOf: (url) => {
    hosts.expect(url);
    return hosts.of(url);
  },
  opened: (mcp, why) => {
    client = mcp;
    hosts.had(mcp.host, why);
    facts.resetListen();
    noticed.follow(mcp);
    log.follow(mcp);
    offers.follow(mcp);
    journal.follow(mcp);
    void calls.follow(mcp);
    saboteur.server = mcp.url;
    saboteur.host = mcp.host;
    part<HTMLAnchorElement>("second-tab").href = location.href;
    showPlace(mcp.url);
    saboteur.available = isEmbedded(mcp.url) ? "all" : "page";
    mcp.on("listen", (event) => facts.listen(event));
    mcp.on("notification", ({ method }) => {
      if (method === "notifications/tools/list_changed") void listTools(mcp);
    });
    begin(mcp);
  },
  changed: (mcp) => {
    // A new session is a new beginning: what the old one was told is forgotten.
    if (mcp.state === "open") {
      begin(mcp);
      void calls.reopened(mcp);
    } else facts.resetListen();
  },
  ended: () => {
    client = undefined;
    known = [];
    facts.clear();
    noticed.stop();
    offers.clear();
    guide.available = false;
    longWork.available = false;
    ways.available = false;
    calls.ended();
    journal.stop();
    saboteur.available = "nothing";
    tools.clear("Connect to a server to see its tools.");
  },
});

/** Marks which of the demo's own servers this is. */
function showPlace(url: string): void {
  for (
    const [id, place] of [
      ["place-calls", embeddedURL], ["place-tasks", tasksURL], ["place-resume", resumeURL],
    ] as const
  ) {
    setAttributes(part(id), { "aria-current": url === place ? "page" : undefined });
  }
}

function begin(mcp: McpClient): void {
  facts.show(mcp);
  log.begin(mcp);
  offers.begin(mcp);
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
    const has = (tool: string): boolean => known.some(({ name }) => name === tool);
    longWork.available = mcp.url === tasksURL && WORK_TOOLS.every(has);
    ways.available = mcp.url === resumeURL && WAY_TOOLS.every(has);
  } catch (error) {
    if (mcp !== client) return;
    tools.say(
      "The tools could not be listed: " +
        `${error instanceof HoldfastError ? (error.hint ?? error.message) : String(error)}`,
    );
    // The calls come from the journal, so the page may be here before its server is.
    if (error instanceof HoldfastError && error.retryable && known.length === 0)
      setTimeout(() => mcp === client && begin(mcp), LIST_AGAIN);
  }
}

tap([tasksURL, resumeURL], {
  made: (task, tool, args) => calls.made(task, tool, args),
  brought: (task, seqNrs) => calls.brought(task, seqNrs),
  left: (request) => {
    calls.left(request);
    ways.sent();
  },
});
const preset = presetURL();
const there = absolute(preset);
connection.url = preset;
hosts.expect(there);
showPlace(there);
if (connectsByItself(preset)) {
  guide.available = there === embeddedURL ? "expected" : false;
  longWork.available = there === tasksURL ? "expected" : false;
  ways.available = there === resumeURL ? "expected" : false;
  tools.say("Connecting…");
  void connection.open();
} else {
  part("preset-note").hidden = false;
  calls.ended();
}
