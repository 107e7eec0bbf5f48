import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Connections, type Stream } from "../src/tabs/connections.js";

/** What pages say of what they have: here nobody says anything, unless a test does. */
let says: ((data: unknown) => void) | undefined;
Object.assign(globalThis, {
  BroadcastChannel: class {
    set onmessage(hears: (event: { data: unknown }) => void) { says = (data) => hears({ data }); }
    postMessage(): void {}
    close(): void {}
  },
});

/** Runs with timers that stand still. */
const still = (run: () => Promise<void>) => async (): Promise<void> => {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  await run().finally(() => mock.timers.reset());
};

/** Long enough for what follows in microtasks. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await undefined;
}

/** A call that counts how often it was told of a connection. */
function call(): Stream & { taken: number } {
  return { taken: 0, spare: false, take() { this.taken++; }, give: () => false };
}

test("a connection outlives its call for a moment, and serves the next one from its beginning", still(async () => {
  const connections = Connections.of("http://one.test/mcp")!;
  assert.equal(connections.ready, false);
  const [first, second, third] = [call(), call(), call()];
  connections.join(first);
  await settled();
  assert.equal(first.taken, 1);
  connections.leave(first);
  assert.equal(connections.ready, true);
  connections.begin(second); // it has it already: nothing is told
  assert.equal(connections.ready, false);
  connections.leave(second);
  connections.join(third);
  await settled();
  assert.deepEqual([second.taken, third.taken], [0, 1]);
  connections.leave(third);
  mock.timers.tick(100); // it has served calls meanwhile
  assert.equal(connections.ready, true);
  mock.timers.tick(100);
  assert.equal(connections.ready, false);
}));

test("only one is kept, and none by a page that rests", still(async () => {
  const connections = Connections.of("http://two.test/mcp")!;
  const calls = [call(), call(), call(), call()];
  for (const one of calls) connections.join(one);
  await settled();
  assert.deepEqual(calls.map(({ taken }) => taken), [1, 1, 1, 0]); // three have one
  connections.leave(calls[0]!);
  await settled();
  assert.equal(calls[3]!.taken, 1); // handed on to who waits, and not kept
  assert.equal(connections.ready, false);
  connections.leave(calls[1]!);
  connections.leave(calls[2]!);
  connections.begin(call());
  assert.equal(connections.ready, false);
  connections.leave(calls[3]!);
  connections.rest();
  assert.equal(connections.ready, false);
}));

/** Streams that take turns by themselves, each of which gives its connection whenever it is asked. */
function kin(n: number, spare: boolean): (Stream & { taken: number; given: number })[] {
  const all = {};
  return Array.from(
    { length: n },
    () => ({
      taken: 0, given: 0, spare, kin: all, take() { this.taken++; }, give() { return ++this.given > 0; },
    }),
  );
}

/** Runs with clocks that tick by hand. */
const ticking = (run: (tick: (ms: number) => Promise<void>) => Promise<void>) => async (): Promise<void> => {
  let now = 0;
  const real = performance.now;
  performance.now = () => now;
  const tick = async (ms: number): Promise<void> => {
    now += ms;
    mock.timers.tick(ms);
    await settled();
  };
  await still(() => run(tick))().finally(() => (performance.now = real));
};

test("an agent's sessions take no connection of each other, and give way to a call", ticking(async (tick) => {
  const connections = Connections.of("http://three.test/acp")!;
  const sessions = kin(4, false);
  for (const one of sessions) connections.join(one);
  await tick(0);
  await tick(5_000);
  assert.deepEqual(sessions.map(({ taken, given }) => [taken, given]), [[1, 0], [1, 0], [1, 0], [0, 0]]);
  const another = call();
  connections.join(another);
  connections.leave(sessions[3]!);
  await tick(500);
  assert.equal(another.taken, 1);
  assert.equal(sessions.reduce((sum, { given }) => sum + given, 0), 1);
  for (const one of [...sessions, another]) connections.leave(one);
  connections.rest();
}));

test("a session that nothing is expected of gives way at once", ticking(async (tick) => {
  const connections = Connections.of("http://four.test/acp")!;
  const sessions = kin(3, true);
  for (const one of sessions) connections.join(one);
  await tick(0);
  const another = call();
  connections.join(another);
  await tick(0);
  assert.equal(another.taken, 1);
  for (const one of [...sessions, another]) connections.leave(one);
  connections.rest();
}));

/**
 * Web Locks, beside which there are those of others: what they wait for they take when it is given back.
 * `slow` has what the browser has not seen yet.
 */
function fakeLocks(
  others: { held: LockInfo[]; pending: LockInfo[]; slow?: (() => void)[] },
): { restore(): void } {
  const held = new Map<string, () => void>();
  const waiting: { name: string; grant: () => void }[] = [];
  const isFree = (name: string): boolean => !held.has(name) && !others.held.some((one) => one.name === name);
  const locks = {
    request(
      name: string, options: { signal?: AbortSignal }, callback: (lock: object) => Promise<void>,
    ): Promise<void> {
      return new Promise((resolve, reject) => {
        const grant = (): void => {
          held.set(name, () => {});
          void callback({}).then(() => {
            held.delete(name);
            const theirs = others.pending.find((one) => one.name === name);
            if (theirs) others.held.push(theirs);
            if (theirs)
              others.pending = others.pending.filter(({ clientId }) => clientId !== theirs.clientId);
            const next = waiting.findIndex((entry) => isFree(entry.name));
            if (next >= 0) waiting.splice(next, 1)[0]!.grant();
            resolve();
          });
        };
        if (others.slow) return void others.slow.push(grant);
        if (isFree(name)) return grant();
        const entry = { name, grant };
        waiting.push(entry);
        options.signal?.addEventListener("abort", () => {
          const at = waiting.indexOf(entry);
          if (at >= 0) waiting.splice(at, 1);
          reject(new DOMException("aborted", "AbortError"));
        });
      });
    },
    async query(): Promise<LockManagerSnapshot> {
      const mine = (name: string): LockInfo => ({ name, clientId: "me", mode: "exclusive" });
      return {
        held: [...[...held.keys()].map(mine), ...others.held],
        pending: [...waiting.map(({ name }) => mine(name)), ...others.pending],
      };
    },
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator") ??
    { value: undefined, configurable: true };
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  return { restore: () => Object.defineProperty(globalThis, "navigator", before) };
}

test("Fault 171: the stream of an agent is no connection for its sessions, so another tab gives one that it has in reserve", ticking(async (tick) => {
  const lock = (name: string, clientId: string): LockInfo => ({
    name: `holdfast.${name}`, clientId, mode: "exclusive",
  });
  const slot = (n: number): string => `stream.http://five.test.${n}`;
  const others = {
    held: [lock(slot(1), "idle"), lock(slot(2), "waits"), lock("agent.http://five.test.2", "waits")],
    pending: [0, 1, 2].map((n) => lock(slot(n), "waits")),
  };
  const { restore } = fakeLocks(others);
  try {
    const connections = Connections.of("http://five.test/acp")!;
    const [reserve] = kin(1, true);
    connections.join(reserve!);
    await tick(0);
    assert.equal(reserve!.taken, 1);
    for (let ms = 0; ms < 2_000; ms += 500) await tick(500);
    assert.equal(reserve!.given, 1);
    connections.leave(reserve!);
    connections.rest();
  } finally {
    restore();
  }
}));

test("a tab that has one for a session takes none of who has no more", ticking(async (tick) => {
  const lock = (name: string, clientId: string): LockInfo => ({
    name: `holdfast.${name}`, clientId, mode: "exclusive",
  });
  const slot = (n: number): string => `stream.http://six.test.${n}`;
  const others = {
    held: [lock(slot(1), "idle"), lock(slot(2), "waits")],
    pending: [0, 1, 2].map((n) => lock(slot(n), "waits")),
  };
  const { restore } = fakeLocks(others);
  try {
    const connections = Connections.of("http://six.test/acp")!;
    const [reserve] = kin(1, true);
    connections.join(reserve!);
    await tick(0);
    for (let ms = 0; ms < 2_000; ms += 500) await tick(500);
    assert.deepEqual([reserve!.taken, reserve!.given], [1, 0]);
    connections.leave(reserve!);
    connections.rest();
  } finally {
    restore();
  }
}));

test("Fault 171: tabs that the browser gives no name are not taken for one that has enough", ticking(async (tick) => {
  const lock = (n: number): LockInfo => ({
    name: `holdfast.stream.http://nine.test.${n}`, mode: "exclusive",
  });
  const others: { held: LockInfo[]; pending: LockInfo[] } = { held: [], pending: [] };
  const { restore } = fakeLocks(others);
  try {
    const connections = Connections.of("http://nine.test/acp")!;
    const sessions = kin(2, false);
    for (const one of sessions) connections.join(one);
    await tick(0);
    others.held = [lock(2)];
    others.pending = [0, 1, 2].map(lock);
    for (let ms = 0; ms < 2_000; ms += 500) await tick(500);
    assert.equal(
      sessions.reduce((sum, { given }) => sum + given, 0), 1,
      "one has that connection, and another one waits, maybe",
    );
    for (const one of sessions) connections.leave(one);
    connections.rest();
  } finally {
    restore();
  }
}));

test("Fault 172: another build on the page shares the connections as a tab does, though the browser gives both one name", ticking(async (tick) => {
  const lock = (name: string): LockInfo => ({
    name: `holdfast.stream.http://seven.test.${name}`, clientId: "me", mode: "exclusive",
  });
  const others: { held: LockInfo[]; pending: LockInfo[] } = { held: [], pending: [] };
  const { restore } = fakeLocks(others);
  try {
    const connections = Connections.of("http://seven.test/acp")!;
    const sessions = kin(2, false);
    for (const one of sessions) connections.join(one);
    assert.equal(await connections.contested(), false, "its own requests are no other's");
    await tick(0);
    assert.equal(await connections.contested(), false, "nor is what it has");
    others.held = [lock("2")];
    assert.equal(await connections.contested(), true, "one that it has not is another's");
    others.pending = [lock("0"), lock("1"), lock("2")];
    for (let ms = 0; ms < 2_000; ms += 500) await tick(500);
    assert.equal(sessions.reduce((sum, { given }) => sum + given, 0), 0, "the other one has as many");
    others.held = [];
    for (let ms = 0; ms < 2_000; ms += 500) await tick(500);
    assert.equal(sessions.reduce((sum, { given }) => sum + given, 0), 1, "the other one has none, and waits");
    for (const one of sessions) connections.leave(one);
    connections.rest();
  } finally {
    restore();
  }
}));

test("Fault 243: a call that has its connection in a moment takes none of another, in this tab or in the next", ticking(async (tick) => {
  const lock = (slot: number, clientId: string): LockInfo => ({
    name: `holdfast.stream.http://eight.test.${slot}`, clientId, mode: "exclusive",
  });
  const others: { held: LockInfo[]; pending: LockInfo[]; slow?: (() => void)[] } = { held: [], pending: [] };
  const { restore } = fakeLocks(others);
  try {
    const connections = Connections.of("http://eight.test/mcp")!;
    let given = 0;
    const long = { ...call(), give: () => ++given > 0 };
    connections.join(long);
    await tick(0);
    await tick(1_400);
    others.slow = [];
    const next = call();
    connections.join(next); // its requests are on their way through the browser
    await tick(500);
    assert.equal(given, 0, "two connections are free");
    const granted = others.slow;
    delete others.slow;
    for (const grant of granted.slice(1)) grant();
    await tick(500);
    assert.deepEqual([next.taken, given], [1, 0]);
    connections.leave(next);
    connections.rest();
    await tick(0);
    // Another tab has been granted two, and has not yet taken back what it asked for beside them.
    others.held = [lock(1, "other"), lock(2, "other")];
    others.pending = [lock(0, "other")];
    for (let ms = 0; ms < 2_000; ms += 500) await tick(500);
    assert.equal(given, 0, "the other tab has more than it needs");
    others.pending = [0, 1, 2].map((slot) => lock(slot, "third"));
    for (let ms = 0; ms < 1_000; ms += 500) await tick(500);
    assert.equal(given, 1, "a third tab waits for any of them");
    connections.leave(long);
    connections.rest();
  } finally {
    restore();
  }
}));

test("Fault 271: of more calls than there are connections, made at once, all have their turn", ticking(async (tick) => {
  const { restore } = fakeLocks({ held: [], pending: [] });
  try {
    const connections = Connections.of("http://ten.test/mcp")!;
    const calls = Array.from({ length: 8 }, () => ({ ...call(), give: () => true }));
    for (const one of calls) connections.join(one);
    await tick(0);
    assert.equal(calls.filter(({ taken }) => taken > 0).length, 3);
    for (let ms = 0; ms < 6_000; ms += 500) await tick(500);
    assert.deepEqual(calls.filter(({ taken }) => taken === 0), [], "some have none for ever");
    for (const one of calls) connections.leave(one);
    connections.rest();
  } finally {
    restore();
  }
}));

test("Fault 271: calls that wait for tasks give way to the others as soon as they can, which is not at once", ticking(async (tick) => {
  const { restore } = fakeLocks({ held: [], pending: [] });
  try {
    const connections = Connections.of("http://eleven.test/mcp")!;
    let ready = false;
    const tasks = Array.from({ length: 3 }, () => ({ ...call(), give: () => ready }));
    const others = Array.from({ length: 4 }, () => ({ ...call(), give: () => true }));
    for (const one of [...tasks, ...others]) connections.join(one);
    await tick(0);
    for (const one of tasks) {
      one.spare = true;
      connections.changed(one);
    }
    await tick(2_000);
    ready = true;
    for (let ms = 0; ms < 5_000; ms += 500) await tick(500);
    assert.deepEqual(others.map(({ taken }) => taken > 0), [true, true, true, true]);
    for (const one of [...tasks, ...others]) connections.leave(one);
    connections.rest();
  } finally {
    restore();
  }
}));

test("Fault 792: behind slots of tabs that show no life one call goes past them at a time, and none where one of those lives", ticking(async (tick) => {
  for (const lives of [true, false]) {
    const origin = `http://past${lives}.test`;
    const slots = [0, 1, 2].map((n) => `stream.${origin}.${n}`);
    const others = {
      held: slots.map((name): LockInfo => ({ name: `holdfast.${name}`, clientId: "hung", mode: "exclusive" })), pending: [],
    };
    const locks = fakeLocks(others);
    const heard: number[] = [];
    const calls = [0, 1].map((n) => ({ ...call(), taken: 0, take() { this.taken++; }, give: () => true, heldUp: () => heard.push(n) }));
    const connections = Connections.of(`${origin}/mcp`)!;
    try {
      for (const one of calls) connections.join(one);
      for (let half = 0; half < 24; half++) {
        await tick(500);
        if (lives) says?.({ has: [slots[2]] });
        if (half < 19) assert.deepEqual([calls.map(({ taken }) => taken), heard], [[0, 0], []]);
      }
      if (lives) {
        assert.deepEqual([calls.map(({ taken }) => taken), heard], [[0, 0], []]);
        continue;
      }
      assert.deepEqual([calls[0]!.taken + calls[1]!.taken > 0, heard], [true, [0, 1]]);
      const { held } = await navigator.locks.query();
      assert.equal(held!.filter(({ name }) => name === `holdfast.past.${origin}`).length, 1);
      for (let half = 0; half < 12; half++) await tick(500);
      assert.ok(calls.every(({ taken }) => taken > 0), "they take turns");
      assert.deepEqual(heard, [0, 1], "each is told once");
    } finally {
      for (const one of calls) connections.leave(one);
      connections.rest();
      await tick(500);
      locks.restore();
    }
  }
}));
