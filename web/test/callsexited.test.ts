import assert from "node:assert/strict";
import { test } from "node:test";
import { Backlog } from "../src/base/backlog.js";
import { Call } from "../src/client/call.js";
import { Calls, type CallContext } from "../src/client/calls.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import { Streams } from "../src/tabs/streams.js";
import { HoldfastError } from "../src/base/errors.js";
import { IDEMPOTENCY_KEY } from "../src/client/idempotency.js";
import { callDefaults } from "../src/client/options.js";
import { outgoing } from "../src/client/outgoing.js";
import type { CallViewer } from "../src/client/corecall.js";
import type { Runtime } from "../src/runtime/runtime.js";

/** What a page is told of a call that the store brings back. */
const MADE = {
  id: 5,
  createdAt: 1,
  acked: 0,
  base: 0,
  manual: true,
  owned: true,
  guarantee: "durable",
  method: "tools/call",
  key: "new",
};
const EXITED = (op: string): HoldfastError =>
  new HoldfastError({ code: "runtime_exited", op, message: "the runtime has exited" });
const exited = (error: unknown): boolean => error instanceof HoldfastError && error.code === "runtime_exited";

/**
 * Calls on a core that counts its calls from one, as the next one does too, and notes what it is told of
 * them.
 */
function calls(context: Partial<CallContext> = {}) {
  const told: string[] = [];
  let last = 0;
  const note = (what: string) => (_client: number, id: number) => void told.push(`${what} ${id}`);
  const runtime = {
    call: (_client: number, _how: number, _parts: string[], _times: object, bind: (id: number) => void) =>
      bind(++last),
    ack: note("ack"),
    handed: note("handed"),
    acted: note("acted"),
    cancel: note("cancel"),
    park: note("park"),
    peek: note("peek"),
    draft: note("draft"),
    answer: note("answer"),
    pause: note("pause"),
    record: () => 7,
    missing: () => {},
  } as unknown as Runtime;
  const wire = { runtime, handle: 1 };
  const them: Calls = new Calls(wire, {
    url: "http://localhost/mcp",
    handlers: {},
    backlog: new Backlog(10),
    opening: () => undefined,
    question: () => undefined,
    refusedFields: () => "",
    headersAfter: async () => undefined,
    refused: async () => [],
    blocked: EXITED,
    completed: () => new Promise<never>(() => {}),
    inspect: () => undefined,
    streams: new Streams(wire),
    cancelElsewhere: () => {},
    unkept: () => "",
    landed: () => Promise.resolve(),
    rows: async () => [],
    rerun: () => them.refused("rerun", EXITED("rerun")),
    restored: () => {},
    ...context,
  });
  const send = (key: string) => {
    const options = { key, ack: "manual" } as const;
    return them.send(
      outgoing("tools/call", { name: "pay" }, options, callDefaults("test", {})),
      { name: "pay" },
      options,
      false,
    );
  };
  /** The runtime exits, and the next one brings back one call, under the id that the first call had. */
  const restart = () => {
    them.fail(EXITED);
    last = 0;
    told.length = 0;
    them.recall(++last, JSON.stringify(MADE));
  };
  return { them, told, send, restart };
}

test("Fault 157: nothing that the app holds of a runtime that has exited reaches a call of the next one", async () => {
  const { them, told, send, restart } = calls();
  const running = send("a");
  const over = send("b");
  const unknown = send("c");
  await them.settle(2, OUTCOME.result, `{"content":[]}`);
  await them.settle(
    3,
    OUTCOME.failure,
    `{"code":"outcome_unknown","op":"tools/call","status":0,"retryable":false,"message":"m"}`,
  );
  restart();
  await assert.rejects(running.result, exited);
  await over.result;
  await assert.rejects(unknown.result, (error) => error instanceof HoldfastError);
  for (const call of [running, over, unknown]) {
    await assert.rejects(call.ack(), exited);
    await assert.rejects(call.ack(1), exited);
    call.abandon();
    call.cancel();
    call.pause();
  }
  assert.throws(() => unknown.retry(), exited);
  // a result that was handed over counts later
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(told, []);
  assert.deepEqual(
    (await them.kept()).map((call) => call.key),
    ["new"],
  );
});

test("Fault 157: an ack() that the runtime did not answer before it exited is rejected, and so is one before the next runs", async () => {
  const { them, send } = calls();
  const call = send("a");
  const asked = call.ack();
  them.fail(EXITED);
  await assert.rejects(asked, exited);
  await assert.rejects(call.ack(), exited);
});

test("Fault 157: what waits to be sent once more when the runtime exits is not acknowledged in the next", async () => {
  let listed = (_header: string[]): void => {};
  const { them, told, send, restart } =
    calls({ headersAfter: () => new Promise((resolve) => (listed = resolve)) });
  const call = send("a");
  const settling = them.settle(1, OUTCOME.headerMismatch, `{"code":-32020,"message":"Header mismatch"}`);
  restart();
  listed(["Mcp-Param-x", "1"]);
  await settling;
  await assert.rejects(call.result, exited);
  assert.deepEqual(told, []);
});

test("Fault 168: who reads a call of a runtime that has exited, or of another user, reads nothing of the store", async () => {
  for (const end of ["exited", "left"]) {
    let rows = 0;
    const { them, send, restart } = calls({ rows: async () => (rows++, []) });
    const viewer: CallViewer = {
      backlog: new Backlog(10), newCall: (...made) => new Call(...made) as never, rerun: (call) => call,
    };
    const shared = send("a");
    const call = shared.show(viewer);
    for (let n = 1; n <= 20; n++) them.deliver(1, EVENT.progress, n, `{"progress":${n}}`);
    if (end === "exited") restart();
    else {
      shared.drop(viewer);
      call.fail(EXITED("tools/call"));
    }
    const seen: unknown[] = [];
    const loop = async (): Promise<void> => {
      for await (const event of call)
        seen.push(event.type === "gap" ? [event.from, event.to] : event.position);
    };
    await assert.rejects(loop(), exited);
    assert.deepEqual(
      [seen, rows], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...(end === "exited" ? [[11, 20]] : [])], 0],
    );
  }
});

test("Fault 802: a kept call is the same object where its runtime has exited and the next brings it back", async () => {
  const back: unknown[] = [];
  const { them, told, send } = calls({ restored: (call) => void back.push(call) });
  const viewer: CallViewer = {
    backlog: new Backlog(10), newCall: (...made) => new Call(...made) as never, rerun: (call) => call,
  };
  const [shared, lost] = [send("a"), send("b")];
  const call = shared.show(viewer);
  const seen: unknown[] = [];
  const read = (async () => {
    for await (const event of call) seen.push(event.type === "progress" ? event.progress : event.type);
  })();
  for (const n of [1, 2]) them.deliver(1, EVENT.progress, n, `{"progress":${n}}`);
  them.fail(EXITED, true);
  call.pause();
  assert.deepEqual([call.settled, lost.settled, send("a") === shared], [false, false, true]);
  const { id, createdAt, key } = shared;
  const meta = { [IDEMPOTENCY_KEY]: id };
  const stored = { ...MADE, manual: false, guarantee: call.guarantee, meta, createdAt, key };
  them.recall(7, JSON.stringify(stored));
  them.restored();
  await assert.rejects(lost.result, exited);
  for (const n of [2, 3]) them.deliver(7, EVENT.progress, n, `{"progress":${n}}`);
  await them.settle(7, OUTCOME.result, `{"content":[]}`);
  assert.deepEqual(await call.result, { content: [] });
  await read;
  assert.deepEqual([seen, back, told], [[1, 2, 3], [], ["park 7"]]);
});
