import assert from "node:assert/strict";
import { test } from "node:test";
import { Acks } from "../src/client/acks.js";
import { HoldfastError } from "../src/base/errors.js";
import type { Runtime } from "../src/runtime/runtime.js";

test("Fault 132: an ack of a call that the core never had is answered at once", async () => {
  // The app acknowledges a call that ended before its client was made in the core: nothing of it is stored.
  const runtime = {
    ack: () => {
      throw new Error("the core has no such client, and would not answer");
    },
  };
  await new Acks({ runtime: runtime as unknown as Runtime, handle: 0 }, async () => {}).ask(1, 0);
});

test("Fault 132: each ack is answered by its ticket, once what is stored is", async () => {
  const tickets: number[] = [];
  let land = (): void => {};
  const landed = new Promise<void>((resolve) => (land = resolve));
  const runtime = {
    ack: (_client: number, _call: number, _position: number, ticket: number) => void tickets.push(ticket),
  };
  const acks = new Acks({ runtime: runtime as unknown as Runtime, handle: 1 }, () => landed);
  const over: string[] = [];
  const [first, second, third] = [acks.ask(1, 2), acks.ask(1, 0), acks.ask(2, 1)];
  void first.then(() => over.push("first"));
  acks.answered(tickets[0]!, `{"stored":true}`);
  acks.answered(tickets[0]!, `{"stored":true}`);
  await Promise.resolve();
  assert.deepEqual(over, []);
  land();
  await first;
  acks.answered(tickets[1]!, `{"stored":false}`);
  await assert.rejects(second, (e) => e instanceof HoldfastError && e.code === "storage_failed");
  const closed = (op: string): HoldfastError => new HoldfastError({
    code: "closed", op, message: "the client is closed",
  });
  acks.fail(closed);
  for (const promise of [third, acks.ask(1, 1)])
    await assert.rejects(promise, (e) => e instanceof HoldfastError && e.code === "closed");
  assert.equal(tickets.length, 3);
});
