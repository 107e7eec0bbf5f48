import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Exchange } from "../src/runtime/exchange.js";
import type { Reports } from "../src/runtime/reports.js";
import type { FetchLike, RequestSender } from "../src/runtime/sender.js";
import { browserFetch, sendsStreams } from "../src/runtime/streamed.js";
import { Ending } from "../src/base/border.js";

const PARTS = ["POST", "https://far.test/mcp", "content-type", "application/json"];
const MESSAGE = '{"method":"tools/call"}';
const theirs = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = theirs;
});

/** What a request has as its body, and whether that is a stream. */
async function sent(
  input: string | URL | Request, init?: RequestInit,
): Promise<[isStream: boolean, body: string]> {
  if (input instanceof Request) return [(input as { duplex?: string }).duplex === "half", await input.text()];
  const { body } = init!;
  return [body instanceof ReadableStream, await new Response(body as BodyInit).text()];
}

/**
 * Sends a request that must not be sent twice; the browser's fetch answers by `statuses`, or rejects for 0.
 */
async function once(
  { statuses = [200], own, sender }: { statuses?: number[]; own?: FetchLike; sender?: RequestSender } = {},
): Promise<{ bodies: [boolean, string][]; heard: unknown[] }> {
  const bodies: [boolean, string][] = [];
  const heard: unknown[] = [];
  globalThis.fetch = async (input, init) => {
    bodies.push(await sent(input, init));
    const status = statuses.shift();
    if (!status) throw new TypeError("Failed to fetch");
    return new Response(null, { status });
  };
  const reports = {
    chunkBytes: 1 << 16, head: (_: number, __: number, status: number) => heard.push(status),
    end: (_: number, __: number, how: number) => heard.push(how),
  };
  const body = new TextEncoder().encode(MESSAGE);
  await new Exchange(reports as unknown as Reports, 1, 2).start(
    PARTS, body, { credentials: "omit", fetch: own, sender }, true,
  );
  return { bodies, heard };
}

test("Fault 758: a request that must not be sent twice leaves as a stream, by the browser's own fetch", async () => {
  assert.deepEqual(await once(), { bodies: [[true, MESSAGE]], heard: [200] });
});

test("Fault 758: a stream that is rejected is a cut, and no request that the browser refused to make", async () => {
  assert.deepEqual(await once({ statuses: [0] }), { bodies: [[true, MESSAGE]], heard: [Ending.Network] });
});

test("Fault 761: each time that a request leaves its stream is another one, of the same bytes", async () => {
  const sender: RequestSender = {
    async send(_method, _url, leave) {
      const first = await leave([["authorization", "Bearer old"]]);
      return first.status === 401
        ? { response: await leave([["authorization", "Bearer new"]]), status: 200 }
        : { response: first, status: first.status };
    },
  };
  const { bodies, heard } = await once({ statuses: [401, 200], sender });
  assert.deepEqual(bodies, [[true, MESSAGE], [true, MESSAGE]]);
  assert.deepEqual(heard, [200]);
});

test("Fault 758: who records requests is handed their bytes, and what it hands on leaves as a stream", async () => {
  const recorded: [boolean, string][] = [];
  const own: FetchLike = async (url, init) => {
    recorded.push(await sent(url, init));
    return browserFetch(url, init);
  };
  const { bodies } = await once({ own });
  assert.deepEqual([recorded, bodies], [[[false, MESSAGE]], [[true, MESSAGE]]]);
});

test("Fault 758: a browser that is no Chromium is asked for no stream", () => {
  assert.equal(sendsStreams(), false);
});
