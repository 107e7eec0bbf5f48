import { Backlog } from "../src/base/backlog.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Call } from "../src/client/call.js";
import { Calls, type CallContext } from "../src/client/calls.js";
import { ClientView } from "../src/client/clientview.js";
import type { CoreClient } from "../src/client/coreclient.js";
import type { UserStores } from "../src/connect/userstores.js";
import { Views } from "../src/connect/views.js";
import { CallFlags, OUTCOME } from "../src/base/border.js";
import type { CoreCall } from "../src/client/corecall.js";
import { Streams } from "../src/tabs/streams.js";
import { HoldfastError } from "../src/base/errors.js";
import { callDefaults, type CallOptions, type RerunPolicy } from "../src/client/options.js";
import { IDEMPOTENCY_KEY } from "../src/client/idempotency.js";
import { outgoing } from "../src/client/outgoing.js";
import type { Runtime } from "../src/runtime/runtime.js";

const DEFAULTS = callDefaults("test", {});
const NEVER = new Promise<never>(() => {});
const HEADER_MISMATCH = `{"code":-32020,"message":"Header mismatch"}`;
const RESULT = `{"content":[]}`;
const closed = (op: string): HoldfastError =>
  new HoldfastError({ code: "closed", op, message: "the client is closed" });
const coded =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === code;

/** Calls on a core that only notes what it is told. `fields` are those that it repeats arguments in. */
function calls({ fields = () => [], ...context }: Partial<CallContext> & { fields?: () => string[] } = {}) {
  const sent: string[][] = [];
  const cancelled: number[] = [];
  const runtime = {
    call: (_client: number, _notify: boolean, parts: string[], _times: object, bind: (id: number) => void) => {
      const id = sent.push([...parts.slice(0, 4), ...fields()]);
      bind(id);
      if (fields().length > 0) them.mirrored(id, JSON.stringify(fields()));
    },
    cancel: (_client: number, id: number) => cancelled.push(id),
    ack: () => {},
    handed: () => {},
  };
  const them: Calls = new Calls(
    { runtime: runtime as unknown as Runtime, handle: 1 },
    {
      url: "http://localhost/mcp",
      handlers: {},
      backlog: new Backlog(10),
      opening: () => undefined,
      question: () => undefined,
      refusedFields: () => "",
      headersAfter: async () => undefined,
      refused: async () => [],
      blocked: (op) => new HoldfastError({ code: "cors_blocked", op, message: "blocked" }),
      completed: () => NEVER,
      inspect: () => undefined,
      streams: new Streams({ runtime: runtime as unknown as Runtime, handle: 1 }),
      cancelElsewhere: () => {},
      unkept: () => "",
      landed: () => Promise.resolve(),
      rows: async () => [],
      rerun: () => them.refused("rerun", closed("rerun")),
      restored: () => {},
      ...context,
    },
  );
  const send = (options: CallOptions = {}) => them.send(
    outgoing("tools/call", { name: "measure" }, options, DEFAULTS), { name: "measure" }, options, false,
  );
  return { them, sent, cancelled, send };
}

/** What a page is told of a call that the store brings back. */
const MADE = {
  id: 5,
  createdAt: 1,
  acked: 0,
  base: 0,
  manual: false,
  owned: true,
  guarantee: "durable",
  method: "tools/call",
  key: "k",
};

test("Fault 145: a key gives the call of the same request, whether or not it was known then that the tool makes tasks", () => {
  for (const [before, now] of [
    [{}, { task: {} }],
    [{ task: { ttl: 1 } }, {}],
    [{ task: { ttl: 1 } }, { task: { responseModes: ["task"] } }],
  ]) {
    const { them, sent } = calls();
    const request = { name: "measure", arguments: { a: 1 } };
    them.recall(1, JSON.stringify({ ...MADE, params: { ...request, ...before } }));
    const again = (params: object): Call<unknown> => them.send(
      outgoing("tools/call", { ...params }, { key: "k" }, DEFAULTS), { ...params }, { key: "k" }, false,
    );
    assert.equal(again({ ...request, ...now }), them.kept()[0]);
    assert.equal(sent.length, 0);
    for (const other of [{ ...request, arguments: { a: 2 } }, { ...request, more: 1 }]) {
      const refused = again({ ...other, ...now });
      assert.ok(refused.settled);
      assert.ok(refused !== them.kept()[0]);
    }
  }
});

test("who answers requests for input is known of a call that comes back", () => {
  const made = {
    id: 5,
    createdAt: 1,
    acked: 0,
    base: 0,
    manual: false,
    owned: true,
    guarantee: "durable",
    method: "tools/call",
  };
  const restored: Call<unknown>[] = [];
  const { them } = calls({ restored: (call) => void restored.push(call) });
  them.recall(1, JSON.stringify(made));
  them.recall(2, JSON.stringify({ ...made, input: "manual" }));
  assert.deepEqual(restored.map((call) => call.manual), [false, true]);
  const how = (input?: "manual" | "handlers") =>
    outgoing("tools/call", {}, { ...(input && { input }) }, DEFAULTS).how & CallFlags.ManualInput;
  assert.deepEqual([how(), how("handlers"), how("manual")], [0, 0, CallFlags.ManualInput]);
});

test("TestFault144_OneKeyPerCall", () => {
  const meta = (method: string, options: CallOptions = {}): Record<string, unknown> =>
    JSON.parse(outgoing(method, {}, options, DEFAULTS).frame[2] || "{}") as Record<string, unknown>;
  const keys = [1, 2, 3].map(() => meta("tools/call")[IDEMPOTENCY_KEY]);
  assert.equal(new Set(keys).size, 3);
  for (const key of keys) assert.ok(/^[0-9a-f-]{32,36}$/.test(String(key)));
  assert.deepEqual(
    meta("tools/call", { meta: { [IDEMPOTENCY_KEY]: "mine" } }), { [IDEMPOTENCY_KEY]: "mine" },
  );
  assert.deepEqual(meta("tools/list"), {});
});

test("TestFault143_RerunOfTheCallThenOfTheClient", () => {
  const flags = (client?: RerunPolicy, call?: RerunPolicy): number =>
    outgoing(
      "tools/call",
      {},
      call === undefined ? {} : { rerun: call },
      callDefaults("test", client === undefined ? {} : { rerun: client }),
    ).how &
    (CallFlags.RerunAlways | CallFlags.RerunNever);
  assert.deepEqual(
    [flags(), flags("hinted"), flags("never"), flags("always")],
    [0, 0, CallFlags.RerunNever, CallFlags.RerunAlways],
  );
  assert.deepEqual(
    [flags("never", "hinted"), flags("always", "never"), flags("never", "always")],
    [0, CallFlags.RerunNever, CallFlags.RerunAlways],
  );
  assert.throws(() => callDefaults("connect", { rerun: "sometimes" as RerunPolicy }), coded("bad_argument"));
  assert.throws(
    () => outgoing("tools/call", {}, { rerun: true as unknown as RerunPolicy }, DEFAULTS),
    coded("bad_argument"),
  );
});

test("a call that is about to be sent once more is asked nothing", async () => {
  const { them, send } = calls({ headersAfter: () => NEVER });
  const call = send();
  void them.settle(1, OUTCOME.headerMismatch, HEADER_MISMATCH);
  assert.deepEqual(await call.status(), { status: "working", source: "client" });
});

test("a call that a server refused for want of a header is sent once more", async () => {
  let fields: string[] = [];
  const { them, sent, send } = calls({
    fields: () => fields, headersAfter: async () => (fields = ["Mcp-Param-A", "1"]),
  });
  const call = send();
  await them.settle(1, OUTCOME.headerMismatch, HEADER_MISMATCH);
  assert.deepEqual(sent[1]?.slice(4), ["Mcp-Param-A", "1"]);
  void them.settle(2, OUTCOME.headerMismatch, HEADER_MISMATCH);
  await assert.rejects(call.result, coded("rpc_error"));
  assert.equal(sent.length, 2);
});

test("TestFault125_TheSameFieldsAreNotSentTwice", async () => {
  const { them, sent, send } =
    calls({ fields: () => ["Mcp-Param-A", "1"], headersAfter: async () => ["Mcp-Param-A", "1"] });
  const call = send();
  await them.settle(1, OUTCOME.headerMismatch, HEADER_MISMATCH);
  await assert.rejects(call.result, coded("rpc_error"));
  assert.equal(sent.length, 1);
});

test("TestFault125_TheCodeAloneProvesNothing", async () => {
  const { them, sent, send } = calls({ headersAfter: async () => ["Mcp-Param-A", "1"] });
  const call = send();
  await them.settle(1, OUTCOME.rpcError, HEADER_MISMATCH);
  await assert.rejects(call.result, coded("rpc_error"));
  assert.equal(sent.length, 1);
});

const UNANSWERED =
  `{"code":"outcome_unknown","op":"tools/call","status":0,"retryable":false,"message":"no ` +
    `answer","cause":"Failed to fetch","unanswered":true}`;

test("a call that the CORS rules kept in the browser is sent once more without the fields that they refuse", async () => {
  let fields = ["Mcp-Param-A", "1"];
  const { them, sent, send } = calls({
    fields: () => fields,
    refused: async () => {
      fields = [];
      return ["Mcp-Param-A"];
    },
  });
  const call = send();
  await them.settle(1, OUTCOME.failure, UNANSWERED);
  assert.deepEqual(sent.map((parts) => parts.slice(4)), [["Mcp-Param-A", "1"], []]);
  // Once: that there is no answer again has another reason.
  await them.settle(2, OUTCOME.failure, UNANSWERED);
  await assert.rejects(call.result, coded("outcome_unknown"));
  assert.equal(sent.length, 2);
});

test("a call that cannot do without a refused field says so, and one of unknown outcome is not sent again", async () => {
  for (const [refused, code] of [
    [["Mcp-Name", "Mcp-Param-A"], "cors_blocked"],
    [[], "outcome_unknown"],
  ] as const) {
    const { them, sent, send } = calls({ refused: async () => [...refused] });
    const call = send();
    await them.settle(1, OUTCOME.failure, UNANSWERED);
    await assert.rejects(call.result, coded(code));
    assert.equal(sent.length, 1);
  }
});

test("a call that waits to be sent again ends with its client, or when it is cancelled", async () => {
  for (const [end, code] of [["close", "closed"], ["cancel", "cancelled"]] as const) {
    const { them, cancelled, send } = calls({ headersAfter: () => NEVER });
    const call = send();
    void them.settle(1, OUTCOME.headerMismatch, HEADER_MISMATCH);
    if (end === "close") them.fail(closed);
    else call.cancel();
    await assert.rejects(call.result, coded(code));
    assert.deepEqual(cancelled, []);
  }
});

test("a call ends with what its inspection finds", async () => {
  const fault = new HoldfastError({ code: "invalid_structured_content", message: "x" });
  const bad = calls({ inspect: async () => fault });
  const call = bad.send();
  void bad.them.settle(1, OUTCOME.result, RESULT);
  await assert.rejects(call.result, (error) => error === fault);
});

/** A call whose result is inspected when its client ends, until `done`. */
function inspected(): { them: Calls; result: Promise<unknown>; done(): void } {
  let done!: (fault: undefined) => void;
  const { them, send } = calls({ inspect: () => new Promise((resolve) => (done = resolve)) });
  const { result } = send();
  void them.settle(1, OUTCOME.result, RESULT);
  them.fail(closed);
  return { them, result, done: () => done(undefined) };
}

test("a result that is inspected outlives its client", async () => {
  const { result, done } = inspected();
  done();
  assert.deepEqual(await result, { content: [] });
});

test("Fault 467: a call that is kept, and whose result is inspected, stays with the others where the page that made it has another user", () => {
  const { them, send } = calls({ inspect: () => NEVER });
  const call = send();
  void them.settle(1, OUTCOME.result, RESULT);
  call.revoke();
  assert.deepEqual(them.kept(), [call]);
});

test("Fault 467: a result that is inspected while another user comes does not go to the app of that user, where two share the client; one that closes has it", async () => {
  for (const how of ["leaves", "close"] as const) {
    let done!: (fault: undefined) => void;
    const { them, send } = calls({ inspect: () => new Promise((resolve) => (done = resolve)) });
    const view = new ClientView("https://t.test/mcp", new Backlog(), {}, {} as UserStores);
    view.comesTo({
      views: new Views(),
      leave: () => false,
      retire: () => {},
      goesOn: (_, part) => part(false),
      emit: () => {},
    });
    view.uses(
      {
        url: "https://t.test/mcp", state: "open", all: () => them.all(), inspected: them.inspected,
      } as unknown as CoreClient,
    );
    const own = send({ journal: false }).show(view);
    void them.settle(1, OUTCOME.result, RESULT);
    void view[how]();
    done(undefined);
    if (how === "close") assert.deepEqual(await own.result, { content: [] });
    else await assert.rejects(own.result, coded("closed"));
  }
});

test("Fault 467: a result that is inspected is not given to the next user of its client", async () => {
  let done!: (fault: undefined) => void;
  const { them, send } = calls({ inspect: () => new Promise((resolve) => (done = resolve)) });
  const view = new ClientView("https://t.test/mcp", new Backlog(), {}, {} as UserStores);
  const end = (): void => them.fail(closed);
  view.comesTo({
    views: new Views(),
    leave: () => true,
    retire: () => {},
    goesOn: (_, part) => (part(true), end()),
    emit: () => {},
  });
  view.uses(
    {
      url: "https://t.test/mcp", state: "open", all: () => them.all(), inspected: them.inspected,
    } as unknown as CoreClient,
  );
  const { result } = send().show(view);
  void them.settle(1, OUTCOME.result, RESULT);
  view.leaves();
  done(undefined);
  await assert.rejects(result, coded("closed"));
});

test("Fault 544: an app that goes on with the object that it gave as arguments changes nothing of the call: not its key, its params, nor what runs again", async () => {
  const reruns: unknown[] = [];
  const headers: unknown[] = [];
  const { them, sent } = calls({
    rerun: (method, params, options) =>
      (reruns.push([method, params, options.key]), them.refused("rerun", closed("rerun"))),
    headersAfter: async (_, params) => void headers.push(params["arguments"]),
  });
  const args = { n: 1 };
  const send = (): CoreCall<unknown> => {
    const params = { name: "measure", arguments: args };
    return them.send(outgoing("tools/call", params, { key: "k" }, DEFAULTS), params, { key: "k" }, false);
  };
  const call = send();
  args.n = 2;
  assert.ok(send().settled, "key_in_use");
  assert.deepEqual(call.params, { name: "measure", arguments: { n: 1 } });
  await them.settle(1, OUTCOME.headerMismatch, HEADER_MISMATCH);
  call.repeat(() => {});
  assert.deepEqual(
    [headers, reruns], [[{ n: 1 }], [["tools/call", { name: "measure", arguments: { n: 1 } }, "k"]]],
  );
  args.n = 1;
  assert.equal(sent.length, 1);
  // What one view's app does to the params of its call is nobody else's matter either.
  const viewer = {
    backlog: new Backlog(10),
    newCall: <T>(...made: ConstructorParameters<typeof Call>) => new Call<T>(...made),
    rerun: () => call,
  };
  const seen = call.show(viewer);
  (seen.params["arguments"] as { n: number }).n = 3;
  assert.deepEqual(
    [call.params["arguments"], seen.params["arguments"], call.show(viewer).params["arguments"]],
    [{ n: 1 }, { n: 3 }, { n: 1 }],
  );
});

test("Fault 544: the params of a call are as they were sent, with what the app gave as _meta", () => {
  const { them } = calls();
  const made = (params: object | undefined): unknown =>
    them.send(outgoing("x/y", params as never, {}, DEFAULTS), { ...params }, {}, false).params;
  assert.deepEqual(
    [made(undefined), made({}), made({ a: 1, _meta: { b: 2 } }), made({ when: new Date(0) })],
    [{}, {}, { a: 1, _meta: { b: 2 } }, { when: "1970-01-01T00:00:00.000Z" }],
  );
});

test("Fault 544: a call that is not kept gives its key back with its end, so that another one can be made with it", async () => {
  const { them, sent } = calls();
  const make = (): CoreCall<unknown> => them.send(
    outgoing("tools/call", { name: "measure" }, { key: "k", journal: false }, DEFAULTS),
    { name: "measure" },
    { key: "k", journal: false },
    false,
  );
  const call = make();
  assert.equal(make(), call);
  await them.settle(1, OUTCOME.failure, `{"code":"outcome_unknown","op":"tools/call","message":"?"}`);
  assert.ok(call.settled && make() !== call);
  assert.equal(sent.length, 2);
});
