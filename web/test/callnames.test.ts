import assert from "node:assert/strict";
import { test } from "node:test";
import { Call, type CallControl } from "../src/client/call.js";
import { IDEMPOTENCY_KEY, keyIn, withKey } from "../src/client/idempotency.js";
import { RemoteBackend } from "../src/host/page/remotebackend.js";
import type { PageMessage } from "../src/host/wire/protocol.js";
import { Backlog } from "../src/base/backlog.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import { disposedBy } from "../src/base/dispose.js";
import { FakeLink } from "./hostrig.js";

const UNKNOWN = `{"code":"outcome_unknown","op":"tools/call","message":"?"}`;

test("what is worth one has an idempotency key: the app's, wherever that is given, or a random one", () => {
  assert.deepEqual(withKey(false, undefined, undefined), {});
  assert.deepEqual(
    withKey(true, { [IDEMPOTENCY_KEY]: "mine" }, { a: 1 }), { [IDEMPOTENCY_KEY]: "mine", a: 1 },
  );
  assert.deepEqual(
    withKey(true, { [IDEMPOTENCY_KEY]: "first" }, { [IDEMPOTENCY_KEY]: "last" }),
    { [IDEMPOTENCY_KEY]: "last" },
  );
  const [one, other] = [keyIn(withKey(true)), keyIn(withKey(true, { a: 1 }))];
  assert.ok(one && other && one !== other);
});

test("a call has a name of its own at once, in whatever host: what it is sent and stored with", async () => {
  const link = new FakeLink(true);
  const backend = new RemoteBackend(
    { kind: "shared", url: "http://x/", options: {}, token: undefined, link: async () => link.link }, {},
  );
  await backend.open(undefined);
  const make = (method: "callTool" | "request", args: never, options: object): Call<unknown> =>
    backend.make("x", method, args, options);
  const tool = make("callTool", ["add", {}] as never, {});
  const kept = make("request", ["x/y", {}] as never, { key: "k" });
  const own = make("callTool", ["add", {}] as never, { meta: { [IDEMPOTENCY_KEY]: "mine" } });
  const plain = make("request", ["x/y", { _meta: { a: 1 } }] as never, {});
  const sent = link.said
    .filter((message): message is Extract<PageMessage, { t: "make" }> => message.t === "make")
    .map(({ options }) => keyIn((options as { meta?: Record<string, unknown> }).meta));
  assert.deepEqual(sent, [tool.id, kept.id, "mine", undefined]);
  assert.equal(own.id, "mine");
  assert.equal(plain.id, plain.id);
  assert.equal(new Set([tool.id, kept.id, own.id, plain.id]).size, 4);
  // The store brings it back, in the page that is loaded next.
  link.tell({
    t: "call",
    client: 2,
    call: 9,
    method: "tools/call",
    manual: false,
    params: "{}",
    made: { id: tool.id, createdAt: 1 },
    kept: true,
  });
  link.tell({ t: "settle", call: 9, outcome: OUTCOME.failure, text: UNKNOWN });
  const calls = backend.calls();
  link.answer([9]);
  const [restored] = await calls;
  assert.deepEqual([restored?.id, restored?.restored], [tool.id, true]);
  assert.equal(restored?.retry().id, tool.id);
});

test("a call is paused and resumed, and run again once its outcome is unknown", async () => {
  const did: unknown[] = [];
  const again = new Call("tools/call", new Backlog(10));
  const control = {
    park: (_: number, parked: boolean) => did.push(parked), rerun: () => (did.push("again"), again),
  } as unknown as CallControl;
  const call = new Call("tools/call", new Backlog(10));
  call.bind(1, control, undefined);
  call.pause();
  call.resume();
  assert.throws(
    () => call.retry(), (error) => String(error).startsWith("HoldfastError: retry: only a call that is lost"),
  );
  const told: unknown[] = [];
  call.progressed((progress) => told.push(progress));
  call.settle(OUTCOME.failure, UNKNOWN);
  assert.equal(call.retry(), again);
  assert.deepEqual(did, [true, false, "again"]);
  again.deliver(EVENT.progress, 1, `{"progress":1}`);
  again.deliver(EVENT.progress, 2, "no JSON");
  await undefined;
  assert.deepEqual(told, [{ progress: 1 }], "it has the listeners of the first");
});

test("events are those from the start, or those that the app has not acknowledged", () => {
  const call = new Call("tools/call", new Backlog(10));
  for (const from of ["acknowledged", null, 3] as never[])
    assert.throws(
      () => call.events({ from }),
      (error) => String(error).includes('events: from has to be "start" or "acked"'),
    );
  call.events();
  call.events({ from: "acked" });
});

test("await using closes a client, also where the browser has no symbol for it", async () => {
  class Closes {
    closed = 0;
  }
  const close = async function (this: Closes): Promise<void> {
    this.closed++;
  };
  disposedBy(Closes.prototype, close);
  disposedBy(Closes.prototype, close, {});
  const it = new Closes() as unknown as Closes & Record<symbol, () => Promise<void>>;
  await it[Symbol.asyncDispose]!();
  await it[Symbol.for("Symbol.asyncDispose")]!();
  assert.equal(it.closed, 2);
});
