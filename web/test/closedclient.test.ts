// What an app still holds of a client that it has closed, or logged out of.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../src/client/call.js";
import type { McpClient } from "../src/client/client.js";
import { connect } from "../src/host/choose/hosts.js";
import { OUTCOME } from "../src/base/border.js";
import type { HoldfastError } from "../src/base/errors.js";
import { Origin } from "./bothhosts.js";
import { until } from "./ready.js";

const URL_ = "https://mcp.example/mcp";

/** A client, and a call of it that has ended and that the app has not acknowledged. */
async function withACall(origin: Origin): Promise<{ client: McpClient; call: Call }> {
  const client = await connect(URL_, { ...origin.options, principal: "ada", ack: "manual" });
  const call = client.callTool("count", { n: 1 });
  await until(() => origin.core.calls.length === 1);
  const { port, calls } = origin.core;
  port.settle(calls[0]!.id, OUTCOME.result, `{"content":[]}`);
  await call.result;
  return { client, call };
}

test("Fault 654: what is acknowledged after the client was closed rejects with closed, in either host, also where the page has another client there", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    for (const another of [false, true]) {
      const origin = new Origin(host);
      const { client, call } = await withACall(origin);
      const other = another ? await connect(URL_, { ...origin.options, principal: "bob" }) : undefined;
      await client.close();
      for (const position of [undefined, 1]) {
        const { code, retryable } = (
          await call.ack(position).then(() => ({ code: "stored" }), (error: unknown) => error)
        ) as HoldfastError;
        assert.deepEqual([code, retryable], ["closed", false], `${host}, ${another}`);
      }
      await other?.close();
    }
  }
});

test("Fault 655: a client that is closed, or logged out of, has no calls, in either host", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    for (const end of ["close", "forget"] as const) {
      const { client } = await withACall(new Origin(host));
      assert.equal((await client.calls()).length, 1);
      await client[end]();
      assert.deepEqual(await client.calls(), [], `${host} ${end}`);
    }
  }
});
