import { Backlog } from "../src/base/backlog.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Call, type CallControl } from "../src/client/call.js";
import { EVENT, StreamState } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { missing } from "../src/client/storedevents.js";

const coded =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === code;

/** A call that is under way, and how often its core was asked. */
function underWay() {
  const call = new Call<unknown>("tools/call", new Backlog(10));
  const asked: number[] = [];
  const nothing = (): void => {};
  const control: CallControl = {
    cancel: nothing,
    pause: nothing,
    answer: nothing,
    ack: () => Promise.resolve(),
    handed: nothing,
    acted: nothing,
    park: nothing,
    rerun: (other) => other,
    reread: (_, gap) => missing(gap),
    draft: nothing,
    peek: (id) => void asked.push(id),
  };
  call.bind(7, control, undefined);
  return { call, asked };
}

test("several who ask at once are answered by one request", async () => {
  const { call, asked } = underWay();
  const all = [call.status(), call.status(), call.status()];
  assert.deepEqual(asked, [7]);
  call.peeked(
    1,
    `{"status":"working","statusMessage":"half","createdAt":"2026-11-21T00:00:00Z","lastUpdatedAt":"x","ttl":null,"pollInterval":500}`,
  );
  for (const status of await Promise.all(all)) {
    assert.deepEqual(status, {
      status: "working",
      source: "server",
      statusMessage: "half",
      createdAt: "2026-11-21T00:00:00Z",
      lastUpdatedAt: "x",
      ttl: null,
      pollInterval: 500,
    });
  }
  void call.status();
  assert.deepEqual(asked, [7, 7]);
});

test("what is known needs no server, and members of another type are left out", async () => {
  const { call } = underWay();
  const status = call.status();
  call.peeked(
    0,
    `{"status":"input_required","ttl":"1","pollInterval":{},"statusMessage":7,"createdAt":0,"lastUpdatedAt":null}`,
  );
  assert.deepEqual(await status, { status: "input_required", source: "client" });
});

test("what goes wrong with asking is typed, and says nothing of the call", async () => {
  const { call } = underWay();
  let status = call.status();
  call.peeked(2, `{"code":-32602,"message":"Task not found"}`);
  await assert.rejects(status, (e) => coded("rpc_error")(e) && (e as HoldfastError).rpc?.code === -32602);
  status = call.status();
  call.peeked(3, `{"code":"network_error","op":"tasks/get","status":0,"retryable":true,"message":"away"}`);
  await assert.rejects(status, (e) => coded("network_error")(e) && (e as HoldfastError).op === "tasks/get");
  assert.equal(call.settled, false);
});

test("an end answers who waits, and who asks after it", async () => {
  for (const [outcome, text, want] of [
    [1, `{"content":[],"isError":true}`, "completed"],
    [2, `{"code":-32000,"message":"no"}`, "failed"],
    [3, `{"code":"cancelled","op":"tools/call","status":0,"retryable":false,"message":"x"}`, "cancelled"],
  ] as const) {
    const { call, asked } = underWay();
    const before = call.status();
    call.settle(outcome, text);
    assert.deepEqual(await before, { status: want, source: "client" });
    assert.deepEqual(await call.status(), { status: want, source: "client" });
    assert.equal(asked.length, 1);
  }
  const { call } = underWay();
  const before = call.status();
  call.settle(3, `{"code":"outcome_unknown","op":"tools/call","status":0,"retryable":false,"message":"x"}`);
  await assert.rejects(before, coded("outcome_unknown"));
  await assert.rejects(call.status(), coded("outcome_unknown"));
});

test("a call that goes to another page answers with what is known", async () => {
  const { call } = underWay();
  const status = call.status();
  call.deliver(EVENT.status, 0, `{"state":"followed","record":5}`, StreamState.Followed);
  assert.deepEqual(await status, { status: "working", source: "client" });
});
