import { Backlog } from "../src/base/backlog.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Call, type CallControl } from "../src/client/call.js";
import { HoldfastError } from "../src/base/errors.js";
import { missing } from "../src/client/storedevents.js";

const RESULT = 1;
const RPC_ERROR = 2;
const FAILURE = 3;

function control(): CallControl & { cancelled: string[] } {
  const cancelled: string[] = [];
  return {
    cancelled,
    cancel: (_, reason) => cancelled.push(reason),
    pause: () => {},
    answer: () => {},
    ack: () => Promise.resolve(),
    handed: () => {},
    acted: () => {},
    park: () => {},
    peek: () => {},
    draft: () => {},
    rerun: (call) => call,
    reread: (_, gap) => missing(gap),
  };
}

test("result resolves whether it is asked for before or after the end", async () => {
  const call = new Call<{ a: number }>("m", new Backlog(10));
  const before = call.result;
  call.settle(RESULT, `{"a":1}`);
  assert.deepEqual(await before, { a: 1 });
  assert.deepEqual(await call.result, { a: 1 });
});

test("a JSON-RPC error and a failure of the runtime are typed", async () => {
  const refused = new Call("tools/call", new Backlog(10));
  refused.settle(RPC_ERROR, `{"code":-32602,"message":"Unknown tool","data":{"a":1}}`);
  await assert.rejects(refused.result, (e) => {
    if (!(e instanceof HoldfastError)) return false;
    assert.equal(e.code, "rpc_error");
    assert.deepEqual(e.rpc, { code: -32602, message: "Unknown tool", data: { a: 1 } });
    assert.equal(e.message, "tools/call: Unknown tool (-32602)");
    return true;
  });
  const lost = new Call("tools/call", new Backlog(10));
  lost.settle(
    FAILURE,
    `{"code":"lost","op":"tools/call","status":404,"retryable":false,"message":"gone","cause":"why"}`,
  );
  await assert.rejects(lost.result, (e) => {
    if (!(e instanceof HoldfastError)) return false;
    assert.deepEqual(
      [e.code, e.op, e.status, e.retryable, (e.cause as Error).message],
      ["lost", "tools/call", 404, false, "why"],
    );
    return true;
  });
});

test("TestFault18_SecondOutcomeIsIgnored", async () => {
  const call = new Call<number>("m", new Backlog(10));
  call.settle(RESULT, "1");
  call.settle(RESULT, "2");
  call.fail(new HoldfastError({ code: "closed", message: "x" }));
  assert.equal(await call.result, 1);
});

test("TestFault13_ResultThatIsNotJSONForTheBrowser", async () => {
  const call = new Call("m", new Backlog(10));
  call.settle(RESULT, "{");
  await assert.rejects(call.result, (e) => e instanceof HoldfastError && e.code === "protocol_error");
});

test("TestFault16_ProtoKeysStayData", async () => {
  const call = new Call<Record<string, unknown>>("m", new Backlog(10));
  call.settle(RESULT, `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`);
  const result = await call.result;
  assert.ok(Object.hasOwn(result, "__proto__"));
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

test("an AbortSignal cancels with its reason, and is let go of at the end", async () => {
  const c = control();
  const abort = new AbortController();
  const call = new Call("m", new Backlog(10));
  call.bind(1, c, abort.signal);
  abort.abort(new Error("why"));
  assert.deepEqual(c.cancelled, ["why"]);
  const other = new Call("m", new Backlog(10));
  const late = new AbortController();
  other.bind(2, c, late.signal);
  other.settle(RESULT, "1");
  late.abort();
  assert.deepEqual(c.cancelled, ["why"]);
});

test("Fault 133: only a result that was read is handed over, not a loop that has ended", async () => {
  const handed: number[] = [];
  const c = { ...control(), handed: (call: number) => void handed.push(call) };
  const made = (id: number): Call<unknown> => {
    const call = new Call<unknown>("m", new Backlog(10));
    call.bind(id, c, undefined, true);
    return call;
  };
  const [looped, read, late, closed] = [made(1), made(2), made(3), made(4)] as const;
  void read.result;
  void closed.result.catch(() => {});
  for (const call of [looped, read, late]) call.settle(RESULT, `{}`);
  closed.fail(new HoldfastError({ code: "closed", message: "x" }));
  for await (const _ of looped);
  assert.deepEqual(handed, [2]);
  await late.result;
  assert.deepEqual(handed, [2, 3]);
});

test("Fault 132: ack() resolves with what the store says, and needs nobody to look at it", async () => {
  const asked: [number, number][] = [];
  const c: CallControl = {
    ...control(), ack: (call, position) => (asked.push([call, position]), Promise.resolve()),
  };
  const call = new Call("m", new Backlog(10));
  call.bind(1, c, undefined, true);
  await call.ack(3);
  await call.ack();
  await call.ack(0);
  assert.deepEqual(asked, [[1, 3], [1, 0]]);
  await assert.rejects(call.ack(-1), (e) => e instanceof HoldfastError && e.code === "bad_argument");
  const unkept = new Call("m", new Backlog(10));
  unkept.bind(2, c, undefined, false);
  await unkept.ack();
  assert.equal(asked.length, 2);
});

test("leaving a loop cancels nothing", async () => {
  const c = control();
  const call = new Call("m", new Backlog(10));
  call.bind(1, c, undefined);
  call.deliver(1, 1, `{"progress":1}`);
  for await (const _ of call) break;
  assert.deepEqual(c.cancelled, []);
  assert.equal(call.settled, false);
});

/** Events as the wasm packs them (jsbridge/doc.go). */
function packed(events: readonly [kind: number, position: number, text: string][]): Uint8Array {
  const parts: number[] = [];
  for (const [kind, position, text] of events) {
    const utf8 = new TextEncoder().encode(text);
    const head = new DataView(new ArrayBuffer(9));
    head.setUint8(0, kind);
    head.setUint32(1, position, true);
    head.setUint32(5, utf8.length, true);
    parts.push(...new Uint8Array(head.buffer), ...utf8);
  }
  return new Uint8Array(parts);
}

const progress = (n: number, message = ""): string =>
  JSON.stringify({ progressToken: 1, progress: n, message });

test("events of the journal come in their order, before those that follow, to a reader of before and of after", async () => {
  for (const first of [true, false]) {
    const call = new Call<unknown>("m", new Backlog(100), false, "{}", { createdAt: 1 });
    const seen: unknown[] = [];
    let fourth = (): void => {};
    const four = new Promise<void>((resolve) => (fourth = resolve));
    const read = async (): Promise<void> => {
      for await (const event of call) {
        if (event.type !== "progress") continue;
        seen.push([event.position, event.progress, event.message]);
        if (seen.length === 4) fourth();
      }
    };
    const before = first ? read() : undefined;
    call.replayed(2, packed([[1, 1, progress(1, "\u{1f642}\u00e9")], [1, 2, progress(2)]]));
    call.replayed(3, packed([[1, 3, progress(3)]]));
    assert.equal(call.position, 3);
    call.deliver(1, 4, progress(4));
    if (first) await four; // before the fifth is there, or the end
    call.replayed(5, packed([[1, 5, progress(5)]]));
    call.settle(RESULT, `{}`);
    await (before ?? read());
    assert.deepEqual(seen, [[1, 1, "\u{1f642}\u00e9"], [2, 2, ""], [3, 3, ""], [4, 4, ""], [5, 5, ""]]);
  }
});

test("events of the journal count for the limit of those that wait, as all others", async () => {
  const call = new Call<unknown>("m", new Backlog(2), false, "{}", { createdAt: 1 });
  call.replayed(3, packed([[1, 1, progress(1)], [1, 2, progress(2)], [1, 3, progress(3)]]));
  call.settle(RESULT, `{}`);
  const seen: unknown[] = [];
  for await (const event of call) seen.push(event.type === "gap" ? event : event.position);
  assert.deepEqual(seen, [1, 2, { type: "gap", position: 3, events: 1, from: 3, to: 3 }]);
});

test("the signal of a call's end is there before and after it", () => {
  const [before, after] = [new Call<unknown>("m", new Backlog(1)), new Call<unknown>("m", new Backlog(1))];
  const signal = before.ended;
  for (const call of [before, after]) call.settle(RESULT, `{}`);
  assert.deepEqual([signal.aborted, before.ended === signal, after.ended.aborted], [true, true, true]);
});

test("Fault 140: rows that the store has told, and that nobody has read, count as well", () => {
  const backlog = new Backlog(0, 4 << 20);
  const call = new Call<unknown>("m", backlog, false, "{}", { createdAt: 1 });
  for (let n = 1; n <= 400; n++) call.replayed(n, packed([[1, n, progress(n, "x".repeat(50_000))]]));
  assert.ok(backlog.held > 3 << 20 && backlog.held <= 4.01 * (1 << 20), `${backlog.held}`);
  call.deliver(1, 401, progress(401));
  assert.ok(backlog.held > 0);
  void call[Symbol.asyncIterator]().return?.();
  assert.equal(backlog.held, 0);
});
