import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../src/tabs/channel.js";
import { decodeOps, OpList } from "../src/runtime/ops.js";
import { Unheard } from "../src/tabs/unheard.js";

const row = (call: number, n: number, bytes: number): Message => {
  const list = new OpList();
  if (n === 1) list.head(call, 1, false, new Uint8Array(10));
  list.row(call, { epoch: 1, n, plain: new Uint8Array(bytes), secret: null });
  return { kind: "stored", ops: list.bytes() };
};

test("Fault 140: a page that sleeps keeps little of what others tell it, and all that begins or ends something", () => {
  const unheard = new Unheard();
  for (let call = 1; call <= 3; call++)
    for (let n = 1; n <= 500; n++) unheard.add("owner", row(call, n, 20_000));
  for (let n = 0; n < 10_000; n++)
    unheard.add("owner", { kind: "said", event: 3, position: 0, text: "x".repeat(10_000) });
  for (let n = 0; n < 10_000; n++)
    for (const message of [{ kind: "here", to: "x" }, { kind: "session" }] as const)
      unheard.add("owner", message);
  unheard.add("owner", { kind: "taken", call: 2, epoch: 2, sealed: 500, ops: new Uint8Array(1 << 20) });
  unheard.add("owner", { kind: "stored", ops: new OpList().forget(1, 1).bytes() });
  unheard.add("owner", { kind: "wiped", generation: "g" });
  const { messages, missed } = unheard.take();
  let bytes = 0;
  const heard: string[] = [];
  for (const [, message] of messages) {
    if ("ops" in message) bytes += message.ops.length;
    if (message.kind !== "stored") heard.push(message.kind);
    else for (const op of decodeOps(message.ops))
      if (op.kind !== "log" && op.kind !== "server") heard.push(`${op.kind} ${op.call}`);
  }
  assert.ok(bytes <= 1 << 20, `${bytes}`);
  assert.deepEqual(missed, [1, 2, 3]);
  assert.deepEqual(heard, ["call 1", "call 2", "call 3", "session", "taken", "forget 1", "wiped"]);
  assert.deepEqual(unheard.take(), { messages: [], missed: [] });
});
