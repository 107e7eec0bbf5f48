// Pages of two users with MCP clients at random, against the worker's side as it is: what is the one's never
// reaches the other, and goes out as that of its own user.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { joinable } from "../src/connect/joinable.js";
import { World } from "./mcpusers.js";

declare const process: { env: Record<string, string | undefined> };

/** How many worlds are played, and how long each is. */
const WORLDS = Number(process.env["HOLDFAST_USERS"] ?? 12);
const STEPS = 250;

test("Fault 278: pages of two users with MCP clients come, go, freeze, call, sign in and out at random: what is of one reaches no page of the other, and goes out as that of its own user", async () => {
  const from = Number(process.env["HOLDFAST_SEED"] ?? Date.now() % 1e9);
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const { subtle } = crypto;
  // its answers come when they like
  Object.defineProperty(crypto, "subtle", { value: undefined, configurable: true });
  try {
    for (let seed = from; seed < from + WORLDS; seed++) {
      joinable.clear();
      const world = new World(seed);
      for (let n = 0; n < STEPS && world.errors.length === 0; n++) await world.step();
      if (world.errors.length === 0) await world.end();
      assert.deepEqual(world.errors, [], `HOLDFAST_SEED=${seed}`);
    }
  } finally {
    mock.timers.reset();
    Object.defineProperty(crypto, "subtle", { value: subtle, configurable: true });
  }
});
