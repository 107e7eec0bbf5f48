import assert from "node:assert/strict";
import { test } from "node:test";
import type { FetchLike } from "../src/runtime/sender.js";
import { HoldfastError } from "../src/base/errors.js";
import { fetchContract } from "../packages/testing/fetchcontract.js";

const URL_OF_IT = "https://contract.test/";

/** Which cases a fetch does not pass. */
async function failing(make: (inner: FetchLike) => FetchLike, patience = 5000): Promise<string[]> {
  const failed: string[] = [];
  for (
    const { name, run } of fetchContract((inner) => ({ fetch: make(inner), url: URL_OF_IT }), { patience })
  ) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

test("a fetch that passes all on fulfils the contract; so does one that adds a field", async () => {
  assert.deepEqual(await failing((inner) => inner), []);
  assert.deepEqual(
    await failing((inner) => (url, init) => {
      const headers = new Headers(init.headers);
      headers.set("x-tenant", "7");
      return inner(url, { ...init, headers });
    }),
    [],
  );
});

test("Fault 397: what an own fetch gets wrong, the contract names", async () => {
  const wrong: [string, (inner: FetchLike) => FetchLike, string][] = [
    [
      "a new set of fields",
      (inner) => (url, init) => inner(url, { ...init, headers: { authorization: "x" } }),
      "method, header fields and body",
    ],
    ["no body", (inner) => (url, { body: _, ...init }) => inner(url, init), "method, header fields and body"],
    ["an error of a status", (inner) => async (url, init) => {
      const response = await inner(url, init);
      if (!response.ok) throw new Error("no");
      return response;
    }, "status and header fields"],
    [
      "fields left out", (inner) => async (url, init) => new Response((await inner(url, init)).body),
      "status and header fields",
    ],
    [
      "the whole text first",
      (inner) => async (url, init) => new Response(await (await inner(url, init)).text()), "piece by piece",
    ],
    ["a clone that is read", (inner) => async (url, init) => {
      const response = await inner(url, init);
      void response.clone().text();
      await response.body!.getReader().read();
      return response;
    }, "piece by piece"],
    ["a cut that looks like an end", (inner) => async (url, init) => {
      const { body, ...response } = await inner(url, init);
      const reader = body!.getReader();
      return new Response(
        new ReadableStream({
          pull: async (to) => void (
            await reader.read().then(
              ({ value, done }) => (done ? to.close() : to.enqueue(value)), () => to.close(),
            )
          ),
        }),
        response,
      );
    }, "a stream that the network cuts"],
    ["no signal", (inner) => (url, { signal: _, ...init }) => inner(url, init), "the signal gives up"],
    [
      "a failure as a status",
      (inner) => (url, init) => inner(url, init).catch(() => new Response(null, { status: 502 })),
      "without a network",
    ],
  ];
  for (const [what, make, name] of wrong) {
    const failed = await failing(make, 100);
    assert.ok(failed.some((each) => each.includes(name)), `${what}: ${failed.join("; ") || "nothing fails"}`);
  }
});

test("what makes no fetch is named", () => {
  assert.throws(
    () => fetchContract(fetch as never).length && fetchContract(undefined as never),
    (error) => error instanceof HoldfastError && error.message.includes("make"),
  );
});
