import assert from "node:assert/strict";
import { test } from "node:test";
import { preloadAgent } from "../src/host/choose/agenthosts.js";
import { preload, type PreloadOptions } from "../src/host/choose/preload.js";
import { HoldfastError } from "../src/base/errors.js";

test("Fault 332: on a server a preload does nothing, and wrong options are said", async () => {
  const real = globalThis.fetch;
  let fetched = 0;
  globalThis.fetch = () => (fetched++, Promise.reject(new TypeError("there is no network")));
  try {
    for (
      const options of [
        undefined, { host: "page" }, { host: "shared", principal: "ada" },
      ] as (PreloadOptions | undefined)[]
    ) {
      for (const load of [preload, preload, preloadAgent]) assert.equal(await load(options), undefined);
    }
    for (
      const [wrong, words] of [
        [{ host: "moon" }, "host has to be"], [null, "options"], ["/holdfast.wasm", "options"],
      ] as const
    ) {
      await assert.rejects(
        preload(wrong as unknown as PreloadOptions),
        (error) => error instanceof HoldfastError && error.code === "bad_argument" &&
          error.op === "preload" && error.message.includes(words),
      );
    }
    assert.equal(fetched, 0);
  } finally {
    globalThis.fetch = real;
  }
});
