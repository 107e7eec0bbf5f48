import assert from "node:assert/strict";
import { test } from "node:test";
import { dropAhead, fetchAhead, takeAhead } from "../src/runtime/wasmahead.js";

test("Fault 221: wasm that was fetched ahead and failed is fetched again, and not once the runtime loads", async () => {
  const real = globalThis.fetch;
  let fetched = 0;
  globalThis.fetch = () => (++fetched === 1 ? Promise.reject(new TypeError("the network is gone")) : Promise.resolve(new Response("wasm")));
  try {
    for (let tries = 1; tries <= 3; tries++) {
      if (tries > 1) dropAhead(); // the chunk has not come either
      fetchAhead("https://app.test/holdfast.wasm");
      fetchAhead("https://app.test/holdfast.wasm"); // another client that waits for the chunk
      assert.equal(fetched, tries);
    }
    assert.equal(await (await takeAhead("https://app.test/holdfast.wasm"))!.text(), "wasm");
    fetchAhead("https://app.test/holdfast.wasm");
    assert.equal(fetched, 3, "the runtime is there, and nobody would read it");
    assert.equal(takeAhead("https://app.test/holdfast.wasm"), undefined);
  } finally {
    globalThis.fetch = real;
  }
});
