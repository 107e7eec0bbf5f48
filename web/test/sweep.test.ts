import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthRows } from "../src/storage/authrows.js";
import { identify } from "../src/storage/keys.js";
import { openDatabase } from "../src/storage/open.js";
import { openStore, type Store, type SweepUse } from "../src/storage/storage.js";
import { all, because, bytes, head, row, text } from "./storecontract.js";
import { settled } from "./ready.js";
import { Shim } from "./storeshim.js";

// Of what nobody comes back to nothing stays: a browser with a clock, and pages of
// several users that are opened one after the other and sweep.

const DAY = 24 * 3_600_000;
const START = 1_790_000_000_000;
const session = { kind: "server", plain: bytes("handshake"), secret: bytes("session") } as const;
const nothing: SweepUse = { reads: () => true, inUse: async () => () => false, over: () => false };

/** Runs with a clock that is set in days. */
async function withClock(run: (shim: Shim, set: (day: number) => void) => Promise<void>): Promise<void> {
  const real = Date.now;
  try {
    await run(new Shim(), (day) => (Date.now = () => START + day * DAY));
  } finally {
    Date.now = real;
  }
}

async function opened(server: string): Promise<Store> {
  const store = await openStore({ server, tab: server });
  await store.load(all);
  return store;
}

/** A page of that user's comes, and sweeps. */
async function visit(server: string, use: Partial<SweepUse> = {}): Promise<void> {
  const store = await opened(server);
  await store.sweep({ ...nothing, ...use });
  store.close();
}

async function withCall(server: string): Promise<void> {
  const store = await opened(server);
  await store.commit([session, head(1), row(1, 1, 1, "token")], false);
  store.close();
}

/** Whose records there are, by object store. */
async function servers(shim: Shim): Promise<string[]> {
  const found = new Set<string>();
  for (const [name, records] of Object.entries(await shim.dump())) {
    for (const record of records)
      found.add(name === "keys" ? String(record.name.split(" ")[1] ?? "") : record.server);
  }
  return [...found].filter((one) => /^https:/.test(one)).sort();
}

const ADA = "https://example.com/mcp#ada";
const EVE = "https://example.com/mcp#eve";
const BOB = "https://example.com/mcp#bob";

test("Fault 141: stores of departed users and of rotated addresses go", async () => {
  for (const gone of [ADA, "https://old.example.com/mcp#bob"]) {
    await withClock(async (shim, set) => {
      set(0);
      await withCall(gone);
      await withCall(BOB);
      for (const day of [1, 2, 29, 30, 30.5]) {
        set(day);
        await visit(BOB);
        assert.deepEqual(await servers(shim), [BOB, gone].sort(), `${day}`);
      }
      set(31.5); // a page has read, a day ago, that 30 days are over
      await visit(BOB);
      assert.deepEqual(await servers(shim), [BOB]);
      const dump = await shim.dump();
      assert.deepEqual([dump["calls"]!.length, dump["log"]!.length], [1, 1]);
      assert.deepEqual((await (await opened(BOB)).load(all)).calls.map(({ call }) => call), [1]);
    });
  }
});

test("Fault 141: who comes back, writes or is there keeps a store", async () => {
  await withClock(async (shim, set) => {
    set(0);
    await withCall(ADA);
    const writing = await opened(EVE);
    const there = "https://example.com/mcp#tom";
    await withCall(there);
    for (let day = 1; day < 70; day++) {
      set(day);
      if (day === 20) await visit(ADA);
      if (day === 25) await writing.commit([head(9)], false);
      await visit(BOB, { inUse: async () => (server) => server === there });
      const want = [...(day < 51 ? [ADA] : []), BOB, ...(day < 56 ? [EVE] : []), there];
      assert.deepEqual(await servers(shim), want, `day ${day}`);
    }
  });
});

test("Fault 141: a page that sleeps writes nothing back", async () => {
  await withClock(async (shim, set) => {
    set(0);
    const said: string[] = [];
    const asleep = await openStore({ server: ADA, tab: "a", onLost: (why) => said.push(why) });
    await asleep.load(all);
    await asleep.commit([head(1)], false);
    for (const day of [1, 31, 32]) {
      set(day);
      await visit(BOB);
    }
    assert.deepEqual(await servers(shim), [BOB]);
    await assert.rejects(asleep.commit([row(1, 1, 1)], false), because("closed"));
    assert.deepEqual([said, await servers(shim)], [["closed"], [BOB]]);
  });
});

test("Fault 141: tombstones go", async () => {
  await withClock(async (shim, set) => {
    const marks = async (): Promise<number> =>
      (await shim.dump())["keys"]!.filter(({ name }) => name.startsWith("forgotten ")).length;
    set(0);
    await visit(BOB);
    const store = await opened(ADA);
    await store.forget();
    await shim.edit("keys", (keys) => keys.put({ name: "forgotten nobody knows when" }));
    for (const [day, want] of [[1, 2], [2, 2], [30, 2], [31, 1], [32, 0]] as const) {
      set(day);
      await visit(BOB);
      assert.equal(await marks(), want, `day ${day}`);
    }
  });
});

test("Fault 141: one wrong clock deletes nothing", async () => {
  for (const wrong of [-400, -40, -29, 31, 40, 4_000]) {
    for (const swept of [0, 1, 2, 3, 4, 5]) {
      for (const who of [ADA, BOB]) {
        await withClock(async (shim, set) => {
          set(0);
          await withCall(ADA);
          for (let day = 0; day < 30; day += 1.25) {
            set(day + (day === 1.25 * swept ? wrong : 0));
            if (day === 1.25 * swept) {
              await withCall(EVE);
              await visit(who);
              await visit(who);
            } else await visit(BOB);
            if (day >= 1.25 * swept)
              assert.ok(
                (await servers(shim)).includes(EVE),
                `${wrong} days wrong on visit ${swept}, what was made then is gone on day ${day}`,
              );
            assert.ok(
              (await servers(shim)).includes(ADA),
              `${wrong} days wrong on visit ${swept} of ${who}, gone on day ${day}`,
            );
          }
          // Nor is anything kept for ever.
          for (let day = 60; day < 80; day++) {
            set(day);
            await visit(BOB);
          }
          assert.deepEqual(await servers(shim), [BOB], `${wrong} days wrong on visit ${swept} of ${who}`);
        });
      }
    }
  }
});

test("Fault 141: a second page on the same day does nothing", async () => {
  await withClock(async (shim, set) => {
    set(0);
    await withCall(ADA);
    for (const day of [1, 2, 31.2]) {
      set(day);
      await visit(BOB);
    }
    let asked = 0;
    const counted = { inUse: async () => (asked++, () => false) };
    for (const [day, want] of [[31.5, 0], [32, 0], [32.3, 1], [32.4, 1]] as const) {
      set(day);
      await visit(BOB, counted);
      assert.equal(asked, want, `day ${day}`);
    }
    set(33.5);
    const [a, b] = [await opened(BOB), await opened(EVE)];
    await Promise.all([a, b].map((store) => store.sweep({ ...nothing, ...counted })));
    assert.equal(asked, 2);
    assert.ok(!(await servers(shim)).includes(ADA));
  });
});

test("Fault 141: a store that says nothing of when is counted from the first sweep", async () => {
  for (const marked of [true, false]) {
    await withClock(async (shim, set) => {
      set(0);
      await visit(BOB); // the first sweep: nothing says yet that the clock is right
      await shim.edit(
        "log", (log) => log.put({ server: ADA, call: 1, epoch: 1, n: 1, plain: bytes("row"), secret: null }),
      );
      if (marked) await shim.edit("keys", (keys) => keys.put({ name: `generation ${ADA}`, value: "old" }));
      for (let day = 1; day < 40; day++) {
        set(day);
        await visit(BOB);
        const generation = (await shim.dump())["keys"]!.find(({ name }) => name === `generation ${ADA}`);
        assert.deepEqual(
          [(await servers(shim)).includes(ADA), generation?.at],
          day < 32 ? [true, START + DAY] : [false, undefined],
          `day ${day}`,
        );
      }
    });
  }
});

test("Fault 141: of a present user only what cannot be read goes", async () => {
  await withClock(async (shim, set) => {
    set(0);
    const store = await opened(BOB);
    await store.commit(
      [head(1), row(1, 1, 1), row(1, 1, 2), head(2), row(2, 1, 1), head(3), row(3, 1, 1)], false,
    );
    store.close();
    // A damaged row behind good ones, a head of another build, keys that nobody of ours writes.
    await shim.edit("log", (log) => log.put({ server: BOB, call: 1, epoch: 1, n: 3, plain: 7 }));
    await shim.edit(
      "calls", (calls) => [4, "odd"].forEach((call) => calls.put({ server: BOB, call, later: true })),
    );
    await shim.edit(
      "log", (log) => log.put({ server: BOB, call: 4, epoch: 1, n: 1, plain: bytes("x"), secret: null }),
    );
    // The runtime reads 1 and 3; 2 has entries of a later build.
    const reads = (call: number): boolean => call === 1 || call === 3;
    const left = async (): Promise<string> => {
      const { calls, log } = await shim.dump();
      return [...calls!.map(({ call }) => `${call}`), ...log!.map(({ call, n }) => `${call}/${n}`)].join(" ");
    };
    const everything = await left();
    for (let day = 1; day < 40; day++) {
      set(day);
      if (day === 5)
        await shim.edit(
          "log", (log) => log.put({ server: BOB, call: 4, epoch: 1, n: 2, plain: bytes("x"), secret: null }),
        );
      await visit(BOB, { reads });
      const want = day < 5
        ? everything
        : day < 33
        ? "1 2 3 4 odd 1/1 1/2 1/3 2/1 3/1 4/1 4/2"
        : day < 36
        ? "1 3 4 1/1 1/2 3/1 4/1 4/2"
        : "1 3 1/1 1/2 3/1";
      assert.equal(await left(), want, `day ${day}`);
    }
    const { calls } = await (await opened(BOB)).load(all);
    assert.deepEqual(
      calls.map((call) => [call.call, ...call.rows.map((r) => text(r.plain))]),
      [[1, "1/1/1", "1/1/2"], [3, "3/1/1"]],
    );
    assert.ok(!(await shim.dump())["keys"]!.some(({ name }) => name.startsWith("unreadable ")));
  });
});

test("Fault 141: what can be read again stays, and forget() deletes the note", async () => {
  await withClock(async (shim, set) => {
    set(0);
    await withCall(BOB);
    const noted = async (): Promise<boolean> =>
      (await shim.dump())["keys"]!.some(({ name }) => name === `unreadable ${BOB}`);
    for (const day of [1, 2, 20]) {
      set(day);
      await visit(BOB, { reads: () => false });
    }
    assert.ok(await noted());
    for (const day of [31, 32, 33, 40, 70]) {
      set(day);
      await visit(BOB);
    }
    assert.deepEqual([await noted(), (await shim.dump())["calls"]!.length], [false, 1]);
    set(72);
    await visit(BOB, { reads: () => false });
    assert.ok(await noted());
    await (await opened(BOB)).forget();
    assert.deepEqual([await noted(), await servers(shim)], [false, []]);
  });
});

test("Fault 141: who comes back in mid-sweep keeps a store", async () => {
  await withClock(async (shim, set) => {
    set(0);
    await withCall(ADA);
    for (const day of [1, 31]) {
      set(day);
      await visit(BOB);
    }
    set(32);
    let asked = 0;
    const back = (): boolean => {
      // She is back between the finding and the deletion.
      if (++asked === 2)
        shim.handle.transaction("keys", "readwrite").objectStore("keys").put({
          name: `generation ${ADA}`, value: "hers", at: Date.now(),
        });
      return false;
    };
    await visit(BOB, { over: back });
    assert.deepEqual([asked > 2, await servers(shim)], [true, [ADA, BOB].sort()]);
  });
});

test("Fault 141: a page that is not seen leaves the rest to the next one", async () => {
  await withClock(async (shim, set) => {
    set(0);
    await withCall(ADA);
    set(1);
    await visit(BOB);
    set(31);
    await visit(BOB, { over: () => true });
    set(32);
    await visit(BOB, { over: () => true });
    assert.deepEqual(await servers(shim), [ADA, BOB].sort());
    await visit(BOB);
    assert.deepEqual(await servers(shim), [BOB]);
  });
});

/** A page that signs in, or has the token of who has. */
async function signsIn(run: (rows: AuthRows) => Promise<unknown>): Promise<void> {
  const db = await openDatabase(() => {});
  const known = (await identify(db, "s"))!;
  await run(new AuthRows(async () => ({ db, ...known })));
  await settled();
  db.close();
}

test("Fault 665: tokens of a sign-in that nobody has asked for in 30 days go; who uses them keeps them, by the same version", async () => {
  for (const used of [false, true]) {
    await withClock(async (shim, set) => {
      const names = async (): Promise<unknown[]> => (await shim.dump())["keys"]!
        .map(({ name }) => name)
        .filter((name) => String(name).startsWith("auth ")).sort();
      set(0);
      await signsIn(async (rows) => {
        for (const key of ["grant/https://a", "grant/https://b", "client/https://a"])
          await rows.set(key, 0, { token: "t" });
      });
      // What is stored may be damaged: this row says nothing of when.
      await shim.edit("keys", (keys) => {
        keys.get(["auth grant/https://b"]).onsuccess = ({ target }) => {
          const { at: _, ...before } = (target as IDBRequest).result as { at?: number };
          keys.put(before);
        };
      });
      let version = 0;
      for (const day of [1, 2, 15, 30, 30.5]) {
        set(day);
        await visit(BOB);
        if (used && day === 15) {
          await signsIn(async (rows) => {
            const { version: read } = (await rows.get("grant/https://a"))!;
            version = read;
          });
        }
        assert.equal((await names()).length, 3, `${used} ${day}`);
      }
      set(31.5);
      await visit(BOB);
      assert.deepEqual(
        await names(),
        ["auth client/https://a", ...(used ? ["auth grant/https://a"] : []), "auth grant/https://b"],
      );
      if (used)
        await signsIn(
          async (rows) => assert.ok(await rows.set("grant/https://a", version, { token: "next" })),
        );
      for (const day of [33, 34.5]) {
        set(day);
        await visit(BOB); // counted from the first sweep that has found it
      }
      assert.equal((await names()).includes("auth grant/https://b"), false);
    });
  }
});

test("Fault 665: one wrong clock deletes no tokens", async () => {
  await withClock(async (shim, set) => {
    set(0);
    await signsIn((rows) => rows.set("grant/https://a", 0, { token: "t" }));
    for (const day of [1, 400, 2, 3]) {
      set(day);
      await visit(BOB);
      assert.equal(
        (await shim.dump())["keys"]!.filter(({ name }) => String(name).startsWith("auth grant/")).length,
        1,
        `${day}`,
      );
    }
    // A page whose clock is a year ahead writes them; it is counted from when that is known to be wrong.
    set(400);
    await signsIn(
      async (rows) =>
        rows.set("grant/https://a", (await rows.get("grant/https://a"))!.version, { token: "t" }),
    );
    for (const day of [4, 5, 6, 34]) {
      set(day);
      await visit(BOB);
      assert.equal(
        (await shim.dump())["keys"]!.filter(({ name }) => String(name).startsWith("auth grant/")).length,
        1,
        `${day}`,
      );
    }
    for (const day of [36, 38]) {
      set(day);
      await visit(BOB);
    }
    assert.equal(
      (await shim.dump())["keys"]!.filter(({ name }) => String(name).startsWith("auth grant/")).length, 0,
    );
  });
});
