import assert from "node:assert/strict";
import { test } from "node:test";
import { NoWorker } from "../src/host/page/noworker.js";
import { BUILD } from "../src/base/build.js";
import { workerURL } from "../src/host/page/startworker.js";

test("Fault 220: the address of the script carries the build, whatever else is in it", () => {
  for (const [given, want] of [
    ["https://app.test/holdfast-worker.mjs", `https://app.test/holdfast-worker.mjs?${BUILD}`],
    ["https://app.test/assets/worker-3f2a.mjs?v=7", `https://app.test/assets/worker-3f2a.mjs?v=7&${BUILD}`],
    ["https://app.test/w.mjs?", `https://app.test/w.mjs?${BUILD}`],
    ["https://app.test/w.mjs#part", `https://app.test/w.mjs?${BUILD}#part`],
    ["blob:https://app.test/3f2a", "blob:https://app.test/3f2a"],
    ["data:text/javascript,0", "data:text/javascript,0"],
  ] as const) {
    assert.equal(workerURL(given), want);
    assert.equal(workerURL(new URL(given)), want);
  }
  assert.throws(
    () => workerURL("/of no page"), (error: unknown) => error instanceof NoWorker && error.why === "bad_url",
  );
});
