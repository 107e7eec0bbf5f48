import assert from "node:assert/strict";
import { test } from "node:test";
import { Parts, type Part } from "../demo/parts.js";

/**
 * What has happened to the parts, one thing after the other: the wire brought some at once, or the page was
 * given one.
 */
type Step = { wire: number[] } | { delivered: number } | { stored: number };

const CASES: Record<string, { steps: Step[]; states: string; again: number[] }> = {
  "in order": {
    steps: [{ wire: [1] }, { delivered: 1 }, { wire: [2] }, { delivered: 2 }], states: "here here",
    again: [0, 0],
  },
  "delivered before the wire was read": {
    steps: [{ delivered: 1 }, { delivered: 2 }, { wire: [1, 2] }], states: "here here", again: [0, 0],
  },
  "a hole": {
    steps: [{ wire: [1] }, { delivered: 1 }, { wire: [3] }], states: "here missing held", again: [0, 0, 0],
  },
  "a hole that was filled": {
    steps: [
      { wire: [1] }, { delivered: 1 }, { wire: [3] }, { wire: [2, 3] }, { delivered: 2 }, { delivered: 3 },
    ],
    states: "here late here",
    again: [0, 0, 1],
  },
  "a hole that was filled, delivered first": {
    steps: [
      { wire: [1] }, { delivered: 1 }, { wire: [3] }, { delivered: 2 }, { delivered: 3 }, { wire: [2, 3] },
    ],
    states: "here late here",
    again: [0, 0, 1],
  },
  "one that came three times": {
    steps: [{ wire: [1] }, { wire: [1] }, { wire: [1] }, { delivered: 1 }], states: "here", again: [2],
  },
  "from the journal, and once more over the wire": {
    steps: [{ stored: 1 }, { stored: 2 }, { wire: [2, 3] }], states: "here here held", again: [0, 1, 0],
  },
  "without the wire": { steps: [{ delivered: 1 }, { delivered: 2 }], states: "here here", again: [0, 0] },
  "numbers that are none": {
    steps: [{ wire: [0, -1, 1.5, NaN, 2 ** 53, 1] }, { delivered: 2 ** 31 }], states: "held", again: [0],
  },
};

function play(steps: Step[], parts: Parts): Parts {
  for (const step of steps) {
    if ("wire" in step) parts.brought(step.wire);
    else if ("delivered" in step) parts.delivered(step.delivered, false);
    else parts.delivered(step.stored, true);
  }
  return parts;
}

for (const [name, { steps, states, again }] of Object.entries(CASES)) {
  test(`parts of a result: ${name}`, () => {
    const numbers = again.map((_, i) => i + 1);
    const check = (parts: Parts): void => {
      assert.equal(numbers.map((n) => parts.state(n)).join(" "), states);
      assert.deepEqual(numbers.map((n) => parts.again(n)), again);
      assert.equal(parts.state(numbers.length + 1), "due");
      assert.equal(parts.last, numbers.length);
    };
    check(play(steps, new Parts()));
    // A page that comes in between goes on with what was written down.
    for (let cut = 0; cut <= steps.length; cut++) {
      const { all } = play(steps.slice(0, cut), new Parts());
      check(play(steps.slice(cut), new Parts(JSON.parse(JSON.stringify(all)) as Part[])));
    }
  });
}
