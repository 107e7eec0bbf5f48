import assert from "node:assert/strict";
import { test } from "node:test";
import { Call, type CallControl } from "../src/client/call.js";
import type { McpClient } from "../src/client/client.js";
import type { ClientEvents } from "../src/client/clientevents.js";
import { Backlog } from "../src/base/backlog.js";
import { EVENT, OUTCOME, StreamState } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { Listeners } from "../src/base/listeners.js";
import { nextFrame } from "../packages/observe/frames.js";
import { findCall, observeCall, observeCalls } from "../packages/observe/stores.js";
import type { CallSnapshot } from "../packages/observe/stores.js";

/** A call that is kept, and what was asked of its client. */
function made({ key, id }: { key?: string; id?: string } = {}): { call: Call; asked: string[] } {
  const call = new Call("tools/call", new Backlog(), false, "{}", { ...(key && { key }), ...(id && { id }) });
  const asked: string[] = [];
  const control = new Proxy({} as CallControl, {
    get: (_, name: string) => (...args: unknown[]) => {
      asked.push([name, ...args.slice(1)].join(" "));
      return name === "ack" ? Promise.resolve() : undefined;
    },
  });
  call.bind(1, control, undefined, true);
  return { call, asked };
}

const progress = (call: Call, n: number): void =>
  call.deliver(EVENT.progress, n, `{"progress":${n},"total":9}`);
const settles = (call: Call): void =>
  call.settle(OUTCOME.result, `{"content":[],"structuredContent":{"n":9}}`);
const fails = (call: Call): void => call.settle(OUTCOME.rpcError, `{"code":-32000,"message":"no"}`);

/** What listeners have thrown: Node has no reportError. */
const thrown: unknown[] = [];
globalThis.reportError = (error: unknown) => void thrown.push(error);

/** What has happened so far is read, and made known with the frame of all that has changed. */
async function drawn(): Promise<void> {
  for (let n = 0; n < 200; n++) await undefined;
  await new Promise<void>((resolve) => nextFrame({ publish: resolve }));
}

/** A client of some calls. */
class Client {
  readonly listeners: Listeners<ClientEvents> = new Listeners();
  constructor(readonly kept: Call[]) {}
  on<E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void): () => void {
    return this.listeners.add(event, listener);
  }
  async calls(): Promise<Call[]> {
    return this.kept;
  }
  get asClient(): McpClient {
    return this as unknown as McpClient;
  }
}

test("a call is one value for all who observe it, another one when it has changed, and the same while it has not", async () => {
  const { call } = made();
  assert.equal(observeCall(call), observeCall(call));
  const store = observeCall(call);
  let told = 0;
  const stop = store.onChange(() => void told++);
  const before = store.snapshot();
  assert.equal(store.snapshot(), before);
  for (let n = 1; n <= 5; n++) progress(call, n);
  await drawn();
  assert.equal(told, 1, "five events are one change");
  const after = store.snapshot();
  assert.ok(after !== before);
  assert.deepEqual(
    [after.state, after.eventCount, after.progress], ["working", 5, { progress: 5, total: 9 }],
  );
  assert.equal(before.eventCount, 0, "a value is never changed");
  assert.equal(after.cancel, before.cancel);
  stop();
  progress(call, 6); // nobody listens, and nothing is missed
  await drawn();
  assert.equal(told, 1);
  assert.equal(store.snapshot().eventCount, 6);
});

test("a snapshot has the newest events, as many as somebody has asked for", async () => {
  const { call } = made();
  observeCall(call, { events: 2 });
  const store = observeCall(call, { events: 3 }); // and the default, which no one has asked for
  store.onChange(() => {});
  for (let n = 1; n <= 10; n++) progress(call, n);
  await drawn();
  assert.deepEqual(store.snapshot().events.map(({ position }) => position), [8, 9, 10]);
  assert.equal(store.snapshot().eventCount, 10);
});

test("Fault 337: an outcome that nobody was given is not handed to the app", async () => {
  for (const end of [settles, fails]) {
    const { call, asked } = made();
    const store = observeCall(call);
    store.onChange(() => {}); // as useSyncExternalStore listens
    end(call);
    await drawn();
    assert.equal(store.snapshot().state, end === settles ? "completed" : "failed");
    assert.deepEqual(asked, []);
    store.hand(store.snapshot()); // the component that shows it is there
    assert.deepEqual(asked, ["handed"]);
  }
});

test("Fault 337: a subscriber that throws has not had the outcome, and one that does not has", () => {
  thrown.length = 0;
  const { call, asked } = made();
  settles(call);
  observeCall(call).subscribe(() => {
    throw new Error("it cannot be drawn");
  });
  assert.equal(thrown.length, 1);
  assert.deepEqual(asked, []);
  const had: CallSnapshot[] = [];
  observeCall(call).subscribe((snapshot) => void had.push(snapshot));
  assert.deepEqual(
    had.map(({ state, result }) => [state, result?.structuredContent]), [["completed", { n: 9 }]],
  );
  assert.deepEqual(asked, ["handed"]);
});

test("a call has ended for who looks at it once its last event is shown", async () => {
  const { call } = made();
  const states: string[] = [];
  observeCall(call).subscribe(({ state, eventCount }) => void states.push(`${state} ${eventCount}`));
  progress(call, 1);
  settles(call);
  await drawn();
  assert.deepEqual(states, ["working 0", "completed 1"]);
});

test("retry goes on with the new call for all who show the old one", async () => {
  const old = made();
  const next = made();
  (old.call as { retry: () => Call }).retry = () => next.call;
  const store = observeCall(old.call);
  store.onChange(() => {});
  progress(old.call, 1);
  await drawn();
  store.snapshot().retry();
  assert.deepEqual([store.snapshot().call, store.snapshot().eventCount], [next.call, 0]);
  assert.equal(observeCall(next.call), store);
  progress(old.call, 2); // nobody's any more
  progress(next.call, 1);
  settles(next.call);
  await drawn();
  assert.deepEqual([store.snapshot().state, store.snapshot().eventCount], ["completed", 1]);
});

test("the list has what the store has, what comes back and what is made; what the app is done with leaves it", async () => {
  const [kept, back, fresh] = [made({ id: "1" }), made({ id: "2" }), made({ id: "3" })];
  const client = new Client([kept.call]);
  const store = observeCalls(client.asClient);
  assert.deepEqual(store.snapshot(), { state: "looking", calls: [] });
  store.onChange(() => {});
  client.listeners.emit("restored", { call: back.call });
  client.listeners.emit("call", { call: fresh.call as Call<unknown> });
  await drawn();
  assert.deepEqual(
    [store.snapshot().state, store.snapshot().calls.map(({ id }) => id).sort()], ["ready", ["1", "2", "3"]],
  );
  settles(back.call);
  await drawn();
  assert.equal(store.snapshot().calls.length, 3, "what has ended stays to be seen");
  await back.call.ack();
  kept.call.fail(new HoldfastError({ code: "closed", message: "of another user" }));
  const again = made({ id: "3" }); // the worker was replaced
  client.listeners.emit("restored", { call: again.call });
  await drawn();
  assert.deepEqual(store.snapshot().calls, [again.call]);
});

test("a call is found by its key, whoever makes it and when", async () => {
  const client = new Client([]);
  const store = findCall(client.asClient, "report");
  assert.equal(store.snapshot().state, "looking");
  store.onChange(() => {});
  await drawn();
  assert.equal(store.snapshot().state, "missing");
  const { call } = made({ key: "report", id: "1" });
  client.listeners.emit("call", { call: call as Call<unknown> });
  progress(call, 1);
  await drawn();
  await drawn(); // once for the list, once for the call
  assert.deepEqual(
    [store.snapshot().state, store.snapshot().call, store.snapshot().eventCount], ["working", call, 1],
  );
});

test("what is no call, client, key or number of events is refused by name", () => {
  const wrong: [() => unknown, RegExp][] = [
    [() => observeCall(Promise.resolve() as never), /call has to be a Call/],
    [() => observeCall(made().call, { events: 0 }), /events has to be a positive integer/],
    [() => observeCall(made().call, { event: 1 } as never), /event is no option/],
    [() => observeCalls(undefined as never), /client has to be an McpClient/],
    [() => findCall(new Client([]).asClient, ""), /keyOrId has to be/],
  ];
  for (const [act, message] of wrong)
    assert.throws(
      act,
      (error) =>
        error instanceof HoldfastError && error.code === "bad_argument" && message.test(error.message),
    );
});

test("a call that waits for a sign-in is shown as that, until it goes on", async () => {
  const { call } = made();
  const store = observeCall(call);
  const stop = store.subscribe(() => {});
  const states: string[] = [];
  for (
    const [state, stream] of [
      ["awaiting_authorization", StreamState.Awaiting], ["reconnecting", StreamState.Reconnecting],
      ["awaiting_authorization", StreamState.Awaiting],
    ] as const
  ) {
    call.deliver(EVENT.status, 0, `{"state":"${state}"}`, stream);
    await drawn();
    states.push(store.snapshot().state);
  }
  settles(call);
  await drawn();
  assert.deepEqual(
    [...states, store.snapshot().state],
    ["awaiting_authorization", "working", "awaiting_authorization", "completed"],
  );
  stop();
});

test("Fault 558: a question that is answered in another part of the app, or asked in another page, is shown no more", async () => {
  const asks = (call: Call, position: number): void => call.deliver(
    EVENT.input, position, `{"inputRequests":{"who":{"method":"elicitation/create","params":{}}}}`,
  );
  const ways: Record<string, (call: Call) => void> = {
    "the app's own loop": (call) => call.answer({ who: { action: "accept" } }),
    "another page, which carries the call now": (call) =>
      call.deliver(EVENT.status, 1, `{"state":"followed"}`, StreamState.Followed),
  };
  for (const [way, answered] of Object.entries(ways)) {
    const { call } = made();
    const store = observeCall(call);
    const stop = store.onChange(() => {});
    asks(call, 1);
    await drawn();
    assert.deepEqual([store.snapshot().state, store.snapshot().input?.requests.size], ["input_required", 1]);
    answered(call);
    await drawn();
    assert.deepEqual([store.snapshot().state, store.snapshot().input], ["working", undefined], way);
    asks(call, 2);
    await drawn();
    assert.equal(store.snapshot().state, "input_required", "what is asked next is shown");
    stop();
  }
});

test("Fault 602: while the calls of the next user are looked for none is missing, and a look that was under way finds none of the last user", async () => {
  const [ada, bob] = [made({ key: "report", id: "1" }), made({ key: "report", id: "2" })];
  settles(ada.call);
  const client = new Client([]);
  const looks: ((calls: Call[]) => void)[] = [];
  client.calls = () => new Promise((resolve) => looks.push(resolve));
  const [list, found] = [observeCalls(client.asClient), findCall(client.asClient, "report")];
  const stops = [list.onChange(() => {}), found.onChange(() => {})];
  client.listeners.emit("state", { state: "reconnecting", anotherUser: true });
  await drawn();
  looks[0]!([ada.call]);
  await drawn();
  await drawn();
  assert.deepEqual(
    [list.snapshot().calls, list.snapshot().state, found.snapshot().state], [[], "looking", "looking"],
  );
  looks[1]!([bob.call]);
  await drawn();
  await drawn();
  assert.deepEqual([list.snapshot().calls, found.snapshot().call], [[bob.call], bob.call]);
  for (const stop of stops) stop();
});

test("Fault 608: of a client that is closed, or whose data were deleted, no call is listed any more", async () => {
  const { call } = made({ key: "report", id: "1" });
  settles(call);
  const client = new Client([call]);
  const [list, found] = [observeCalls(client.asClient), findCall(client.asClient, "report")];
  const stops = [list.onChange(() => {}), found.onChange(() => {})];
  await drawn();
  await drawn();
  assert.deepEqual([list.snapshot().calls.length, found.snapshot().state], [1, "completed"]);
  client.kept.length = 0;
  client.listeners.emit("state", { state: "closed" });
  await drawn();
  await drawn();
  assert.deepEqual([list.snapshot(), found.snapshot().state], [{ state: "ready", calls: [] }, "missing"]);
  for (const stop of stops) stop();
});

test("Fault 605: a question that was answered before a component shows the call is not shown by it", async () => {
  const { call } = made();
  const asks = (position: number): void => call.deliver(
    EVENT.input, position, `{"inputRequests":{"who":{"method":"elicitation/create","params":{}}}}`,
  );
  asks(1);
  call.answer({ who: { action: "accept" } });
  const store = observeCall(call);
  const stop = store.onChange(() => {});
  await drawn();
  assert.deepEqual(
    [store.snapshot().state, store.snapshot().input, store.snapshot().eventCount], ["working", undefined, 1],
  );
  asks(1); // the next, with nothing of the server's in between
  await drawn();
  assert.equal(store.snapshot().state, "input_required");
  stop();
});
