import assert from "node:assert/strict";
import { test } from "node:test";
import { Trace } from "../demo/trace.js";
import { stops } from "../demo/trail.js";

/** What happened to a call, one thing after the other, at times in ms. */
type Step = { left: string } | { back: "reload" | "disconnected" } | { end: "done" | "cancelled" };

const CASES: Record<string, { steps: Step[]; trail: string }> = {
  "nothing yet": { steps: [], trail: "" },
  "the call alone": { steps: [{ left: "tools/call" }, { end: "done" }], trail: "tools/call, result" },
  "a token": {
    steps: [{ left: "tools/call" }, { back: "reload" }, { left: "requests/resume" }, { end: "done" }],
    trail: "tools/call, page reloaded, requests/resume, result",
  },
  "polls are one stop": {
    steps: [
      { left: "tools/call" }, { left: "tasks/continue" }, { left: "tasks/continue" }, { back: "reload" },
      { left: "tasks/continue" }, { left: "tasks/continue" },
    ],
    trail: "tools/call, tasks/continue ×2, page reloaded, tasks/continue ×2",
  },
  "let go of": {
    steps: [
      { left: "tools/call" }, { back: "disconnected" }, { left: "requests/resume" }, { end: "cancelled" },
    ],
    trail: "tools/call, disconnected, requests/resume, cancelled",
  },
};

test("the trail of a call says which request took it up, after what", () => {
  for (const [name, { steps, trail }] of Object.entries(CASES)) {
    let now = 1_000;
    let trace = new Trace(now);
    for (const step of steps) {
      now += 100;
      if ("left" in step) trace.left(step.left, now);
      else if ("back" in step) {
        // The next page has what this one kept.
        trace = new Trace(1_000, JSON.parse(JSON.stringify(trace.kept(now))));
        trace.back(step.back, [], now + 50);
        now += 50;
      } else trace.finish(step.end, now);
    }
    assert.equal(
      stops(trace).map(({ words, times }) => words + (times > 1 ? ` ×${times}` : "")).join(", "), trail, name,
    );
  }
});

test("a trail does not grow for ever", () => {
  const trace = new Trace(0);
  for (let n = 1; n <= 100; n++) trace.left(n % 2 === 0 ? "tasks/get" : "tasks/result", n);
  assert.equal(trace.sent.length, 12);
  assert.equal(trace.sent[0]!.at, 1);
});
