import assert from "node:assert/strict";
import { test } from "node:test";
import { CarriedCalls } from "../src/tabs/carried.js";
import type { JournalClient } from "../src/tabs/journalclient.js";
import { decodeOps, OpList } from "../src/runtime/ops.js";
import type { LoadedCall, Store } from "../src/storage/storage.js";

const nothing = new Uint8Array();

/** A call that this page carries, in a store whose reads the test answers. */
function carrying() {
  const reads: ((loaded: LoadedCall) => void)[] = [];
  const told: string[] = [];
  const store = { read: () => new Promise((resolve) => reads.push(resolve)) } as unknown as Store;
  const calls = new CarriedCalls(store, {
    client: () => ({}) as JournalClient,
    restore: (list) => told.push(decodeOps(list.bytes()).map((op) => (op.kind === "log" ? `row ${op.n}` : op.kind)).join()),
    send: () => {},
    moved: () => {},
  });
  const mine: LoadedCall = { call: 1, epoch: 1, owned: true, owner: "this", plain: nothing, ended: false, acked: 0, rows: [] };
  calls.loaded([mine]);
  return { calls, reads, told, theirs: { ...mine, epoch: 2, owned: false, owner: "other" } };
}

// A person answers in a tab that was frozen, in the instant in which it hears that
// another one has taken the call over: the commit of the answer finds that out, and
// must not count as stored before the core knows (faults 76 and 79).
test("what a commit finds out is known once it is read, whoever said it first", async () => {
  const { calls, reads, told, theirs } = carrying();
  calls.taken("other", { kind: "taken", call: 1, epoch: 2, sealed: 0, ops: nothing });
  assert.equal(calls.carries(1), false);
  let known = false;
  const moved = calls.moved(1).then(() => (known = true));
  await new Promise((turn) => setTimeout(turn, 0));
  assert.deepEqual([known, told.length, reads.length], [false, 0, 1]);
  reads[0]!(theirs);
  await moved;
  assert.equal(told.length, 1);
  await calls.moved(1); // known already: nothing is read again
  assert.equal(reads.length, 1);
});

test("a commit that finds it out by itself has the log read", async () => {
  const { calls, reads, told, theirs } = carrying();
  const moved = calls.moved(1);
  assert.equal(reads.length, 1);
  reads[0]!(theirs);
  await moved;
  assert.equal(told.length, 1);
  assert.equal(calls.carries(1), false);
});

// A page that thaws reads all that it carries; what it read of a call before that moved says nothing.
test("what a commit finds out is read once more where a read had begun before it", async () => {
  const { calls, reads, told, theirs } = carrying();
  const woke = calls.reread();
  let known = false;
  const moved = calls.moved(1).then(() => (known = true));
  reads[0]!({ ...theirs, epoch: 1, owned: true, owner: "this" });
  await woke;
  await new Promise((turn) => setTimeout(turn, 0));
  assert.deepEqual([known, told.length, reads.length], [false, 0, 2]);
  reads[1]!(theirs);
  await moved;
  assert.deepEqual([calls.carries(1), told.length], [false, 1]);
});

test("what ends or is forgotten while it is read stays so", async () => {
  const { calls, reads, theirs } = carrying();
  const mine = { ...theirs, epoch: 1, owned: true, owner: "this" };
  const woke = calls.reread();
  calls.done(1);
  reads[0]!(mine);
  await woke;
  await Promise.resolve();
  assert.equal(reads.length, 2); // as one that has ended
  calls.ended([{ kind: "forget", call: 1 }]);
  reads[1]!(mine);
  await new Promise((turn) => setTimeout(turn, 0));
  assert.equal(calls.carries(1), false);
});

// By the head alone the core would decide about what is under way as if nothing of
// it had been stored: an agent's prompt would have an unknown outcome.
test("what another page has taken over and written again comes with the rows that were stored with it", () => {
  const { calls, told } = carrying();
  const row = (n: number) => ({ epoch: 2, n, plain: nothing, secret: null });
  calls.taken("other", { kind: "taken", call: 1, epoch: 2, sealed: 0, ops: nothing }); // the log is being read
  calls.stored("other", new OpList().head(1, 2, false, nothing).row(1, row(1)).row(1, row(2)).bytes());
  assert.deepEqual(told, ["call,row 1,row 2"]);
  calls.stored("other", new OpList().row(1, row(2)).row(1, row(3)).bytes()); // nothing twice
  assert.deepEqual(told, ["call,row 1,row 2", "row 3"]);
});

// A page may carry thousands of calls that have ended: its streams go on within 2 s
// of its thaw (fault 85) whatever it keeps.
test("a page that wakes reads what is under way, all at once, and what has ended after it", async () => {
  const asked: number[] = [];
  const answers = new Map<number, () => void>();
  const loaded = (call: number, ended: boolean): LoadedCall => ({ call, epoch: 1, owned: true, owner: "this", plain: nothing, ended, acked: 0, rows: [] });
  const all = [loaded(1, true), loaded(2, false), loaded(3, false), loaded(4, false), loaded(5, true)];
  const store = {
    read: (call: number) => {
      asked.push(call);
      return new Promise((resolve) => answers.set(call, () => resolve(all[call - 1])));
    },
  } as unknown as Store;
  const calls = new CarriedCalls(store, { client: () => ({}) as JournalClient, restore: () => {}, send: () => {}, moved: () => {} });
  calls.loaded(all);
  calls.done(4);
  const known = calls.reread();
  assert.deepEqual(asked, [2, 3]);
  answers.get(2)!();
  answers.get(3)!();
  await known;
  for (const call of [1, 4, 5]) {
    for (let turn = 0; turn < 10 && !answers.has(call); turn++) await Promise.resolve();
    answers.get(call)!();
  }
  assert.deepEqual(asked, [2, 3, 1, 4, 5]);
});

// A page loads while the one that carries a call is done with it, and hears of nothing
// before that page knows of it: what it carries is looked at again then.
test("Fault 131: what a page has stored before it was heard of is read, and how its call had ended", async () => {
  const told: string[] = [];
  const store = { read: async () => null, ended: async (call: number) => (call === 1 ? 1 : 0) } as unknown as Store;
  const calls = new CarriedCalls(store, {
    client: () => ({}) as JournalClient,
    restore: (list) => told.push(...decodeOps(list.bytes()).map((op) => (op.kind === "forget" ? `forget ${op.call} ${op.outcome}` : op.kind))),
    send: () => {},
    moved: () => {},
  });
  const theirs = (call: number, owner: string): LoadedCall => ({ call, epoch: 1, owned: false, owner, plain: nothing, ended: false, acked: 0, rows: [] });
  calls.loaded([theirs(1, "other"), theirs(2, "other"), theirs(3, "third")]);
  calls.met("other");
  await new Promise((turn) => setTimeout(turn, 0));
  assert.deepEqual(told.sort(), ["forget 1 1", "forget 2 0"]);
  calls.stored("third", new OpList().forget(3, 2).bytes()); // told with the deletion
  assert.equal(told.at(-1), "forget 3 2");
});

/** Pages of one call, over a store that says whose it is. */
function unread(readable: (call: number) => boolean) {
  const log: string[] = [];
  let owner = "gone";
  let epoch = 1;
  const loaded = (call: number): LoadedCall => ({ call, epoch, owned: owner === "this", owner, plain: nothing, ended: false, acked: 0, rows: [] });
  const store = {
    read: async (call: number) => (log.push(`read ${call}`), loaded(call)),
    release: async (call: number) => {
      log.push(`release ${call}`);
      owner = "";
    },
    takeOver: async (call: number, before: number) => {
      log.push(`take ${call}`);
      if (before !== epoch) return null;
      epoch++;
      owner = "this";
      return loaded(call);
    },
  } as unknown as Store;
  const calls: CarriedCalls = new CarriedCalls(store, {
    client: () => ({ reads: () => true }) as unknown as JournalClient,
    restore: (list) => {
      for (const op of decodeOps(list.bytes())) if (op.kind === "call" && !readable(op.call)) calls.quarantined(op.call);
    },
    send: (message) => log.push(message.kind),
    moved: () => {},
  });
  return { calls, log, loaded, give: (to: string) => (owner = to), settled: () => new Promise((turn) => setTimeout(turn, 5)) };
}

test("Fault 135: a call that cannot be read is given up once, told of, and left alone", async () => {
  const { calls, log, loaded, give, settled } = unread(() => false);
  calls.loaded([loaded(1)]);
  await calls.takeOver("gone", false); // its page is gone
  await settled();
  assert.deepEqual(log, ["take 1", "release 1", "released"]);
  assert.deepEqual([calls.carries(1), calls.others(), calls.reads(1)], [false, [], false]);
  // Whatever is told of it: nothing is read, nor taken over.
  give("");
  calls.released(1);
  calls.taken("other", { kind: "taken", call: 1, epoch: 3, sealed: 0, ops: nothing });
  calls.stored("other", new OpList().head(1, 3, false, nothing).row(1, { epoch: 3, n: 1, plain: nothing, secret: null }).bytes());
  calls.takeUnowned([{ ...loaded(1), owned: false, owner: "" }]);
  await calls.read(1);
  await calls.takeOver("other", false);
  await settled();
  assert.deepEqual(log.slice(3), []);
  calls.stored("other", new OpList().forget(1, 0).bytes());
  calls.stored("other", new OpList().head(1, 1, false, nothing).bytes()); // a new one of that number
  assert.deepEqual(calls.others(), []); // which is not readable either
});

test("Fault 135: what nobody has is taken over by who could read it, told or found", async () => {
  const { calls, log, loaded, give, settled } = unread(() => true);
  give("");
  calls.loaded([loaded(1)]);
  calls.takeUnowned([loaded(1)]);
  await settled();
  assert.deepEqual([log, calls.carries(1)], [["take 1", "taken"], true]);
  calls.released(1); // by a page that has not heard of it
  await settled();
  assert.equal(log.length, 2);
  const other = unread(() => true);
  other.calls.loaded([other.loaded(1)]);
  other.give("");
  other.calls.released(1);
  await other.settled();
  assert.deepEqual([other.log, other.calls.carries(1)], [["read 1", "take 1", "taken"], true]);
});
