import assert from "node:assert/strict";
import { test } from "node:test";
import { Backlog } from "../src/base/backlog.js";
import { Call } from "../src/client/call.js";
import { GAP } from "../src/client/events.js";
import { type CallViewer, CoreCall, type CoreControl } from "../src/client/corecall.js";
import { EVENT, OUTCOME, StreamState } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { Gap } from "../src/base/eventqueue.js";

const viewer = (): CallViewer => ({
  backlog: new Backlog(10), newCall: (...made) => new Call(...made) as never, rerun: (call) => call,
});
const progress = (n: number): [number, number, string] => [EVENT.progress, n, `{"progress":${n}}`];
const isClosed = (error: unknown): boolean => (error as HoldfastError).code === "closed";
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** A call that the core has under number 7, and what the core is told. */
function shared() {
  const told: unknown[][] = [];
  const note =
    (what: string) =>
    (...rest: unknown[]): void =>
      void told.push([what, ...rest]);
  const control = Object.fromEntries(
    [
      "cancel", "pause", "answer", "handed", "acted", "peek", "draft", "park",
    ].map((what) => [what, note(what)]),
  ) as unknown as CoreControl;
  control.ack = async (...rest) => note("ack")(...rest);
  const call = new CoreCall<{ list: number[] }>(
    "tools/call", new Backlog(10), false, JSON.stringify({ name: "t" }), { key: "k" },
  );
  call.bind(7, control, undefined, true);
  return { call, told, control };
}

async function read<T>(call: Call<T>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of call) seen.push(event.type === "progress" ? event.progress : event.type);
  return seen;
}

test("Fault 149: each client of a page has its own call, whose end the others do not share", async () => {
  const { call, told } = shared();
  const [one, other] = [viewer(), viewer()];
  const [mine, theirs] = [call.show(one), call.show(other)];
  call.deliver(...progress(1));
  mine.cancel("enough");
  assert.deepEqual(told, [["cancel", 7, "enough"]]);
  call.drop(one);
  call.deliver(...progress(2));
  call.settle(OUTCOME.result, `{"list":[1]}`);
  assert.deepEqual(
    [mine.settled, theirs.settled, call.of(one), call.of(other) === theirs], [false, true, undefined, true],
  );
  assert.deepEqual(await read(theirs), [1, 2]);
  assert.deepEqual(await theirs.result, { list: [1] });
  assert.deepEqual(told.at(-1), ["handed", 7]);
  // What one app does to its result is not what the next one gets.
  const three = shared().call;
  const [a, b] = [three.show(viewer()), three.show(viewer())];
  three.settle(OUTCOME.result, `{"list":[1]}`);
  (await a.result).list.push(2);
  assert.deepEqual(await b.result, { list: [1] });
  assert.deepEqual(await three.show(viewer()).result, { list: [1] });
});

test("Fault 149: who comes late has what is stored first, then what comes, each once and in its place", async () => {
  const { call, told, control } = shared();
  call.show(viewer());
  for (const n of [1, 2, 3]) call.deliver(...progress(n));
  const asked: number[][] = [];
  control.reread = async function* (id, { events, from, to }) {
    asked.push([id, events, from, to]);
    yield { kind: EVENT.progress, position: 1, text: `{"progress":1}` };
    yield { kind: GAP, position: 2, text: `{"events":1,"from":2,"to":2}` }; // that was no event
    yield { kind: EVENT.progress, position: 3, text: `{"progress":3}` };
  };
  const late = call.show(viewer(), true);
  call.deliver(EVENT.status, 3, `{"state":"cut"}`);
  call.deliver(...progress(4));
  assert.deepEqual(asked, []); // not before somebody reads it
  const seen = read(late);
  await turn();
  call.deliver(...progress(5));
  call.settle(OUTCOME.result, `{"list":[]}`);
  assert.deepEqual(await seen, [1, 3, "status", 4, 5]);
  assert.deepEqual(asked, [[7, 0, 1, 3]]);
  // One that has ended by then ends behind what is stored.
  const ended = call.show(viewer(), true);
  assert.equal(ended.settled, true);
  assert.deepEqual(await read(ended), [1, 3]);
  assert.deepEqual(await ended.result, { list: [] });
  // Nothing was there to be stored.
  assert.deepEqual(told.filter(([what]) => what !== "handed"), []);
  const fresh = shared().call;
  const first = fresh.show(viewer(), true);
  fresh.deliver(...progress(1));
  fresh.settle(OUTCOME.result, "{}");
  assert.deepEqual(await read(first), [1]);
});

test("Fault 149: the stream is held up as long as any reader is slow", () => {
  const { call, told } = shared();
  const viewers = [viewer(), viewer()];
  const events = 5000; // above what may wait for a reader
  const loops = viewers.map(
    (one) => call.show({ ...one, backlog: new Backlog(10_000) })[Symbol.asyncIterator](),
  );
  for (const loop of loops) void loop.next();
  for (let n = 1; n <= events; n++) call.deliver(...progress(n));
  assert.deepEqual(told, [["pause", 7, true]]);
});

test("a page that comes while a call waits for a sign-in is told so, and one that comes later is not", async () => {
  const { call } = shared();
  call.show(viewer());
  call.deliver(EVENT.status, 0, `{"state":"awaiting_authorization"}`, StreamState.Awaiting);
  const late = call.show(viewer(), true);
  const events = late[Symbol.asyncIterator]();
  assert.deepEqual((await events.next()).value, {
    type: "status", position: 0, state: "awaiting_authorization",
  });
  call.deliver(EVENT.status, 0, `{"state":"reconnecting"}`, StreamState.Reconnecting);
  assert.equal(((await events.next()).value as { state: string }).state, "reconnecting");
  const later = call.show(viewer(), true);
  call.settle(OUTCOME.result, `{"list":[1]}`);
  assert.deepEqual(await read(later), []);
});

test("Fault 467: who has left a call, or leaves it while reading, gets no more of what is stored of it", async () => {
  for (const leaves of ["before", "meanwhile"] as const) {
    const { call, control } = shared();
    const one = viewer();
    for (const n of [1, 2, 3]) call.deliver(...progress(n));
    const late = call.show(one, true);
    let read = 0;
    control.reread = async function* () {
      for (const n of [1, 2, 3]) {
        read++;
        if (n === 2 && leaves === "meanwhile") call.drop(one);
        yield { kind: EVENT.progress, position: n, text: `{"progress":${n}}` };
      }
    };
    if (leaves === "before") call.drop(one);
    late.fail(new HoldfastError({ code: "closed", op: "tools/call", message: "another user" }));
    const seen: unknown[] = [];
    await assert.rejects((async () => {
      for await (const event of late) seen.push(event.type === "progress" ? event.progress : event.type);
    })(), isClosed);
    assert.deepEqual([seen, read], leaves === "before" ? [[], 0] : [[1], 2]);
  }
});

test("Fault 467: what has ended as closed in a page did not come there, and is not acknowledged by it as if it had", async () => {
  const { call, told } = shared();
  const one = viewer();
  const mine = call.show(one);
  call.deliver(...progress(1));
  call.drop(one);
  mine.fail(new HoldfastError({ code: "closed", op: "tools/call", message: "another user" }));
  call.settle(OUTCOME.result, `{"list":[1]}`);
  await assert.rejects(mine.ack(), isClosed);
  mine.abandon();
  await turn();
  assert.deepEqual(told, []);
});

test("Fault 653: a result that is awaited beside a loop has nothing deleted before the loop has read it", async () => {
  const { call, told, control } = shared();
  for (const n of [1, 2]) call.deliver(...progress(n));
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  control.reread = async function* () {
    yield { kind: EVENT.progress, position: 1, text: `{"progress":1}` };
    await gate;
    yield { kind: EVENT.progress, position: 2, text: `{"progress":2}` };
  };
  const [page, there] = [viewer(), { ...viewer(), page: {} }];
  let control2: Pick<CoreControl, "acted"> | undefined;
  // a page of a worker's
  there.newCall = (...made) => Object.assign(new Call(...made), {
    bind: (_: number, given: CoreControl) => (control2 = given),
  }) as never;
  call.show(there);
  const seen = read(call.show(page, true));
  call.settle(OUTCOME.result, `{"list":[]}`);
  await turn();
  let forgotten = 0;
  call.whenRead(() => forgotten++);
  control2!.acted(0); // another page has nothing to read
  assert.deepEqual([forgotten, told], [0, [["acted", 7]]]);
  go();
  assert.deepEqual(await seen, [1, 2]);
  assert.equal(forgotten, 1);
  call.whenRead(() => forgotten++);
  assert.equal(forgotten, 2); // nobody reads any more
});

test("Fault 653: a page of a worker acknowledges behind what it reads; where it leaves its loop or closes its client, at once", async () => {
  for (const how of ["read", "left", "closed"] as const) {
    const { call, told, control } = shared();
    call.deliver(...progress(1));
    control.reread = async function* () {
      yield { kind: EVENT.progress, position: 1, text: `{"progress":1}` };
    };
    let port: CoreControl | undefined;
    const page = {
      ...viewer(),
      newCall: (...made: ConstructorParameters<typeof Call>) => Object.assign(new Call(...made), {
        bind: (_: number, given: CoreControl) => (port = given),
      }) as never,
    };
    call.show(page, true);
    const reader = port!.reread(0, Object.assign(new Gap(), { from: 1, to: 1 }));
    await reader.next();
    port!.acted(0);
    assert.deepEqual(told, []);
    if (how === "read") await reader.next();
    else if (how === "left") await reader.return!();
    else call.drop(page);
    assert.deepEqual(told, [["acted", 7]]);
  }
});
