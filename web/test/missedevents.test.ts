import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT } from "../src/base/border.js";
import { ASSIGNED, type Missed, MissedEvents } from "../src/host/worker/missedevents.js";

function all(missed: MissedEvents): Missed[] {
  const taken: Missed[] = [];
  for (let next = missed.take(); next; next = missed.take()) taken.push(next);
  return taken;
}

test("Fault 249: what a page has missed of a session does not grow for ever, and has what the page cannot do without", () => {
  const missed = new MissedEvents();
  missed.add(EVENT.question, 1, "asked");
  missed.add(ASSIGNED, 1, "");
  missed.add(EVENT.status, 0, `{"state":"open"}`);
  for (let n = 0; n < 3_000; n++) {
    missed.add(EVENT.phase, 0, `{"ended":false,"turn":${n}}`);
    missed.add(EVENT.phase, 0, `{"ended":true,"turn":${n}}`);
    missed.add(EVENT.draft, n + 2, "typed");
    missed.add(EVENT.question, n + 2, "asked");
    missed.add(ASSIGNED, n + 2, "");
    missed.add(EVENT.withdrawn, n + 2, "answered elsewhere");
    missed.add(EVENT.guarantee, 0, "{}");
  }
  missed.add(EVENT.status, 0, `{"state":"closed"}`);
  const left = all(missed);
  assert.ok(left.length <= 1_001, String(left.length));
  assert.deepEqual(
    left.filter(([kind]) => kind === EVENT.question || kind === ASSIGNED || kind === EVENT.status),
    [[EVENT.question, 1, "asked"], [ASSIGNED, 1, ""], [EVENT.status, 0, `{"state":"closed"}`]],
  );
  assert.ok(left.some(([, , text]) => text.includes(`"turn":2999`)));
});

test("a withdrawal of what the page was asked before stays; of who carries the session it hears the last word", () => {
  const missed = new MissedEvents();
  missed.add(EVENT.withdrawn, 5, "moved");
  missed.add(EVENT.question, 5, "asked again");
  missed.add(EVENT.withdrawn, 5, "answered");
  missed.add(EVENT.question, 6, "asked");
  missed.add(EVENT.status, 0, `{"state":"followed"}`);
  missed.add(EVENT.status, 0, `{"state":"cut"}`);
  missed.add(EVENT.status, 0, `{"state":"owned"}`);
  missed.add(EVENT.question, 7, "asked");
  assert.deepEqual(
    all(missed).map(([, position, text]) => `${position} ${text}`),
    [`5 moved`, `0 {"state":"cut"}`, `0 {"state":"owned"}`, "7 asked"],
  );
  assert.equal(missed.isEmpty, true);
});

test("operations on the transcript are weighed, and left out where the page gets it from its start", () => {
  const missed = new MissedEvents();
  for (const text of ["12", "345"]) missed.add(EVENT.item, 0, text);
  missed.add(EVENT.phase, 0, `{"ended":true}`);
  assert.deepEqual([missed.operationBytes, missed.take()], [5, [EVENT.item, 0, "12"]]);
  assert.equal(missed.operationBytes, 3);
  missed.dropOperations();
  assert.deepEqual([missed.operationBytes, all(missed).length], [0, 1]);
});
