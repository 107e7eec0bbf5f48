// The right pane: an app with Holdfast. What it has more than the ten lines of the first page is words.

import { connect, HoldfastError, type CallEvent } from "holdfast";
import { BETWEEN, COUNT, Pane, run, serverURL } from "./pane.js";

const pane = new Pane("holdfast", "holdfast");

/** Also the beginning of the calls' keys: each run of the first page has a call of its own. */
const KEY = "side-by-side-";

async function start(): Promise<void> {
  const mcp = await connect(serverURL, { client: { name: "holdfast-demo", version: "1.0.0" } });
  const calls = await mcp.calls();
  for (const old of calls)
    if (old.key?.startsWith(KEY) && old.key !== KEY + run && old.settled) void old.ack();
  await pane.go();
  // The same request with the same key is the same call, whichever page made it.
  const call = mcp.callTool("count", { n: COUNT, delayMs: BETWEEN }, { key: KEY + run });
  pane.tell("counting", pane.again ? "The call is here again, and goes on." : "Counting.");
  for await (const event of call) show(event);
  await call.result;
  pane.tell("done", pane.complete ? "All 40 numbers and the result." : "The call has its result.");
}

function show(event: CallEvent): void {
  if (event.type === "progress") pane.number(event.progress);
  if (event.type === "status" && event.state === "cut")
    pane.tell("away", "The connection is gone. The call waits.");
  if (event.type === "resumed" && event.outcome === "continued")
    pane.tell("counting", "Connected again. The call goes on.");
}

start().catch(
  (error: unknown) => pane.tell(
    "failed", error instanceof HoldfastError ? (error.hint ?? error.message) : String(error),
  )
);
