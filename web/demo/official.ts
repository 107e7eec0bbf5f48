// The left pane: an app with the official client, as its documentation has it.

import { Client, StreamableHTTPClientTransport, VERSION } from "./official/client.js";
import { BETWEEN, COUNT, Pane, serverURL } from "./pane.js";

const pane = new Pane("official", `@modelcontextprotocol/client ${VERSION}`);

/** What the client says when it stops to try, after which nothing of the call comes any more. */
const GAVE_UP = "Maximum reconnection attempts";

async function start(): Promise<void> {
  const client = new Client({ name: "holdfast-demo-official", version: "1.0.0" });
  client.onerror = (error) => {
    if (error.message.includes(GAVE_UP))
      pane.tell("lost", "It tried twice, and gave up. The call gets no more.");
    else if (error.message.includes("disconnected"))
      pane.tell("away", "The connection is gone. It tries again.");
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(serverURL)));
  await pane.go();
  pane.tell("counting", "Counting.");
  await client.callTool(
    { name: "count", arguments: { n: COUNT, delayMs: BETWEEN } },
    { onprogress: ({ progress }) => pane.number(progress) },
  );
  pane.tell("done", "The call has its result.");
}

// To make the call again is all that this page could do: the server would count a second time.
if (pane.again) pane.tell("lost", "A new page, a new client: it knows of no call.");
else start().catch(
  (error: unknown) => pane.tell("failed", error instanceof Error ? error.message : String(error))
);
