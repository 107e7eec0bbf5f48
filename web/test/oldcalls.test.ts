// What becomes of calls, and of their keys, where a worker takes the place of one that has ended.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../src/client/call.js";
import { RemoteBackend } from "../src/host/page/remotebackend.js";
import { OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { FakeLink } from "./hostrig.js";
import { ready, tasks } from "./ready.js";

const code = (error: unknown): string => (error as HoldfastError).code;
const UNKNOWN = `{"code":"outcome_unknown","op":"tools/call","message":"?"}`;

/** A backend that is open over the first of these links; the next one takes its place. */
async function opened(...links: FakeLink[]): Promise<RemoteBackend> {
  const backend = new RemoteBackend(
    {
      kind: "shared", url: "http://x/", options: {}, token: undefined, link: async () => links.shift()!.link,
    },
    {},
  );
  await backend.open(undefined);
  return backend;
}

function make(backend: RemoteBackend, args: object, options: object = {}): Call<unknown> {
  return backend.make("tools/call", "callTool", ["count", { ...args }], options);
}

/** What was said of calls. */
function saidOfCalls(link: FakeLink): unknown[] {
  return link.said.filter((message) => "call" in message).map(
    (message) => [message.t, (message as { call: number }).call],
  );
}

test("Fault 540: a call object of a worker that has ended asks nothing of the next one, whose numbers are those of other calls", async () => {
  const [first, second] = [new FakeLink(true), new FakeLink(true)];
  const backend = await opened(first, second);
  const [handed, kept, running] = [
    make(backend, { n: 1 }, { ack: "auto" }), make(backend, { n: 2 }, { ack: "manual" }),
    make(backend, { n: 3 }),
  ];
  first.tell({ t: "settle", call: 4, outcome: OUTCOME.result, text: "{}" });
  first.tell({ t: "settle", call: 6, outcome: OUTCOME.failure, text: UNKNOWN });
  first.tell({
    t: "skipped", call: 6, events: 3, from: 1, to: 3, position: 3, guarantee: "durable", followed: false,
  });
  first.die();
  await assert.rejects(running.result, (error) => code(error) === "runtime_exited");
  await ready();
  const others = [1, 2, 3].map((n) => make(backend, { other: n }));
  assert.deepEqual(saidOfCalls(second), [["make", 10], ["make", 12], ["make", 14]]);
  await handed.result;
  for (const act of [() => kept.ack(), () => kept.ack(2), () => running.ack(3)])
    await assert.rejects(act(), (error) => code(error) === "runtime_exited");
  for (const call of [handed, kept, running]) {
    call.abandon();
    call.cancel();
    call.pause();
  }
  await assert.rejects(kept.retry().result, (error) => code(error) === "closed");
  const events: string[] = [];
  const read = async (): Promise<void> => {
    for await (const { type } of kept) events.push(type);
  };
  await assert.rejects(read(), (error) => code(error) === "outcome_unknown");
  assert.deepEqual(events, ["gap"]);
  await tasks(4); // an outcome that is handed over counts two tasks later
  assert.deepEqual(saidOfCalls(second), [["make", 10], ["make", 12], ["make", 14]]);
  assert.deepEqual(others.map(({ settled }) => settled), [false, false, false]);
});

test("Fault 540: what is read again over a link that ends comes from no other link", async () => {
  const [first, second] = [new FakeLink(true), new FakeLink(true)];
  const backend = await opened(first, second);
  const call = make(backend, {});
  first.tell({
    t: "skipped", call: 4, events: 2, from: 1, to: 2, position: 2, guarantee: "durable", followed: false,
  });
  const loop = call[Symbol.asyncIterator]();
  const next = loop.next();
  await ready();
  assert.deepEqual(saidOfCalls(first).slice(1), [["reread", 4]]);
  first.die();
  assert.equal((await next).value?.type, "gap");
  await assert.rejects(loop.next(), (error) => code(error) === "runtime_exited");
  await ready();
  assert.deepEqual(second.kinds.filter((kind) => kind === "reread" || kind === "stop"), []);
});

/**
 * A worker has ended, and the next one is not open yet: the app has made a call under the key `k`, and the
 * next worker has brought one back that has it.
 */
async function whileReplaced(
  request: object, stored: object,
): Promise<{ backend: RemoteBackend; link: FakeLink; call: Call<unknown> }> {
  const [first, link] = [new FakeLink(true), new FakeLink(false)];
  const backend = await opened(first, link);
  first.die();
  const call = make(backend, request, { key: "k" });
  await ready();
  link.tell({
    t: "call", client: 2, call: 3, method: "tools/call", manual: false,
    params: JSON.stringify({ name: "count", arguments: stored, task: {} }), made: { key: "k", createdAt: 1 },
    kept: true,
  });
  link.tell({ t: "settle", call: 3, outcome: OUTCOME.result, text: `{"n":1}` });
  return { backend, link, call };
}

test("Fault 541: another request under the key of a stored call does not get the result of that call, also while the worker is replaced", async () => {
  const { backend, link, call } = await whileReplaced({ n: 2 }, { n: 1 });
  assert.equal(call.settled, false);
  link.open();
  await ready();
  const [made] = link.said.filter(({ t }) => t === "make") as unknown as [{ call: number }];
  link.tell({
    t: "fail", call: made.call,
    error: { code: "key_in_use", op: "tools/call", message: "another call has this key" } as never,
  });
  link.tell({ t: "forgotten", call: made.call });
  await assert.rejects(call.result, (error) => code(error) === "key_in_use");
  const calls = backend.calls();
  link.answer([3]);
  assert.deepEqual(
    (await calls).map(({ params, settled }) => [params["arguments"], settled]), [[{ n: 1 }, true]],
  );
});

test("Fault 541: the same request is that call, under its number: what is handed over of it is acknowledged", async () => {
  const { link, call } = await whileReplaced({ n: 1 }, { n: 1 });
  assert.deepEqual(await call.result, { n: 1 });
  link.open();
  await tasks(4);
  assert.deepEqual(saidOfCalls(link), [["acted", 3]]);
});

test("Fault 541: a call that waits for the next worker is cancelled alone where another one has its key by then", async () => {
  const { link, call } = await whileReplaced({ n: 2 }, { n: 1 });
  call.cancel();
  await assert.rejects(call.result, (error) => code(error) === "cancelled");
  link.open();
  await ready();
  assert.deepEqual(saidOfCalls(link), []);
});
