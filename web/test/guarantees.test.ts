import assert from "node:assert/strict";
import { test } from "node:test";
import { guaranteesOf } from "../src/client/guarantees.js";
import { ServerFacts } from "../src/client/serverfacts.js";
import { CEILING_SHIFT, FACT, FLOOR_SHIFT, GUARANTEE_WORDS } from "../src/base/border.js";

test("what calls can count on is what the core says, and in memory it is no more than what they begin with", () => {
  for (const [floor, floorWord] of GUARANTEE_WORDS.entries()) {
    for (const [ceiling, ceilingWord] of GUARANTEE_WORDS.entries()) {
      const bits = FACT.selfDescribing | (floor << FLOOR_SHIFT) | (ceiling << CEILING_SHIFT);
      assert.deepEqual(guaranteesOf("indexeddb", true, bits), { floor: floorWord, ceiling: ceilingWord });
      assert.deepEqual(guaranteesOf("memory", true, bits), { floor: floorWord, ceiling: floorWord });
    }
  }
});

test("Fault 597: where nothing that a call is resumed with can rest, no call can count on more than what it begins with", () => {
  const bits = 2 << CEILING_SHIFT;
  const floor = "lost-on-reload";
  assert.deepEqual(guaranteesOf("indexeddb", false, bits), { floor, ceiling: floor });
});

test("facts are those of the connection that was open last", () => {
  const facts = new ServerFacts();
  assert.equal(facts.selfDescribing, false);
  facts.heard("open", {}, FACT.selfDescribing);
  facts.heard("reconnecting", {}, 0);
  facts.heard("offline", {}, 0);
  assert.equal(facts.selfDescribing, true);
  facts.heard("open", {}, 0);
  assert.equal(facts.selfDescribing, false);
});
