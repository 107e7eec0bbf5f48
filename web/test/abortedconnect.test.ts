// A connect that its signal gives up, in whatever moment.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/host/choose/hosts.js";
import type { HoldfastError } from "../src/base/errors.js";
import { Origin } from "./bothhosts.js";
import { until } from "./ready.js";

const URL_ = "https://mcp.example/mcp";

test("Fault 543: a connect whose signal is aborted so many microtasks later is cancelled, and leaves no client", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const first = await connect(URL_, { ...origin.options, principal: "first" }); // all of it is loaded
    for (let k = 0; k < 60; k++) {
      const abort = new AbortController();
      const connecting = connect(URL_, { ...origin.options, principal: `p${k}`, signal: abort.signal });
      const code = connecting.then(() => "open", (error: HoldfastError) => error.code);
      for (let n = 0; n < k; n++) await undefined;
      abort.abort();
      assert.equal(await code, "cancelled", `after ${k} microtasks`);
    }
    await until(() => origin.clients.slice(1).every(({ isOver }) => isOver));
    assert.equal(origin.clients[0]!.isOver, false);
    await first.close();
  }
});
