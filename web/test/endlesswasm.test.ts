// A wasm that never has come as a whole: any script of the origin can name one to a worker, whose clients all
// wait for it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ownWasm } from "../src/runtime/ownwasm.js";

const URL_ = "https://app.test/holdfast.wasm";

/** What becomes of a wasm that is answered so. */
async function taken(answer: (signal: AbortSignal) => Promise<Response>, patience?: number): Promise<string> {
  const { fetch } = globalThis;
  globalThis.fetch = (_, init) => answer(init!.signal!);
  try {
    return await ownWasm(URL_, "sha256-none", patience).then(
      () => "taken", ({ code, message }) => `${code}: ${message}`,
    );
  } finally {
    globalThis.fetch = fetch;
  }
}

test("Fault 771: a wasm whose answer or body never ends is given up in time, and whoever comes next is served", async () => {
  const never = (signal: AbortSignal): Promise<never> => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });
  const half = async (signal: AbortSignal): Promise<Response> =>
    new Response(
      new ReadableStream({
        start: (to) => (to.enqueue(new Uint8Array(8)), void never(signal).catch((why) => to.error(why))),
      }),
    );
  for (const answer of [never, half])
    assert.equal(
      await taken(answer, 5), "load_failed: load: the wasm could not be loaded: it did not come in time",
    );
});

test("Fault 771: of a wasm that goes on for ever no more is read than any wasm has", async () => {
  let mebibytes = 0;
  const endless = async (signal: AbortSignal): Promise<Response> => {
    signal.throwIfAborted();
    return new Response(
      new ReadableStream({
        pull: (to) => (
          mebibytes++, signal.aborted ? to.error(signal.reason) : to.enqueue(new Uint8Array(1 << 20))
        ),
      }),
    );
  };
  assert.equal(
    await taken(endless), "load_failed: load: the wasm could not be loaded: it is larger than any wasm",
  );
  assert.ok(mebibytes < 100, `${mebibytes} MiB were read`);
});
