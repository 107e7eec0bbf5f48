import { Backlog } from "../src/base/backlog.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { Call, type CallControl } from "../src/client/call.js";
import { draftText } from "../src/input/drafts.js";
import { EVENT } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import type { InputEvent } from "../src/client/events.js";
import type { InputContext } from "../src/input/handlers.js";
import { answerInput } from "../src/input/inputs.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { ServerRequests } from "../src/input/serverrequests.js";
import { missing } from "../src/client/storedevents.js";

const refused = (error: unknown): boolean => error instanceof HoldfastError && error.code === "bad_argument" && /\bvalue\b/.test(error.message);

function drafting() {
  const saved: [number, string, string][] = [];
  const nothing = (): void => {};
  const control: CallControl = {
    cancel: nothing,
    pause: nothing,
    answer: nothing,
    ack: () => Promise.resolve(),
    handed: nothing,
    acted: nothing,
    park: nothing,
    rerun: (other) => other,
    reread: (_, gap) => missing(gap),
    peek: nothing,
    draft: (...said) => void saved.push(said),
  };
  const call = new Call<unknown>("tools/call", new Backlog(10), true);
  call.bind(7, control, undefined);
  return { call, saved };
}

test("a draft is JSON of 64 KiB at most, or none", () => {
  assert.equal(draftText({ a: "é" }), `{"a":"é"}`);
  assert.equal(draftText(undefined), "");
  assert.equal(draftText("x".repeat(64 * 1024 - 2)).length, 64 * 1024);
  const circle: { self?: unknown } = {};
  circle.self = circle;
  for (const value of ["x".repeat(64 * 1024 - 1), "é".repeat(32 * 1024), circle, 1n, () => {}, Symbol("s")]) {
    assert.throws(() => draftText(value), refused);
  }
});

test("an event has the draft of each request, and saves it under its key", async () => {
  const { call, saved } = drafting();
  call.deliver(EVENT.input, 1, `{"inputRequests":{"__proto__":{"method":"m"},"a":{"method":"m"},"b":{"method":"m"}},"drafts":{"a":{"typed":1},"b":null}}`);
  const { value } = await call[Symbol.asyncIterator]().next();
  const { requests } = value as InputEvent;
  assert.deepEqual([...requests].map(([key, { draft }]) => [key, draft]), [["__proto__", undefined], ["a", { typed: 1 }], ["b", null]]);
  requests.get("__proto__")!.saveDraft([1]);
  requests.get("a")!.saveDraft(undefined);
  assert.deepEqual(saved, [[7, "__proto__", "[1]"], [7, "a", ""]]);
  assert.throws(() => requests.get("a")!.saveDraft("x".repeat(70_000)), refused);
  call.settle(1, "1");
  requests.get("a")!.saveDraft(2);
  assert.equal(saved.length, 2);
});

test("a handler has the draft of what it is asked", async () => {
  const { call, saved } = drafting();
  const seen: Record<string, unknown> = {};
  const elicitation = (request: { message: string }, { draft, saveDraft }: InputContext) => {
    seen[request.message] = draft;
    saveDraft(request.message);
    return { action: "decline" as const };
  };
  const ask = (message: string): string => `{"method":"elicitation/create","params":{"message":"${message}","requestedSchema":{}}}`;
  await answerInput(`{"inputRequests":{"a":${ask("A")},"b":${ask("B")}},"drafts":{"b":7}}`, call, { elicitation }, "s");
  assert.deepEqual(seen, { A: undefined, B: 7 });
  assert.deepEqual(saved, [[7, "a", `"A"`], [7, "b", `"B"`]]);
});

test("a request of the server's own has the draft that came before it", async () => {
  const saved: unknown[][] = [];
  const runtime = { respond: () => {}, saveDraft: (...said: unknown[]) => void saved.push(said) } as unknown as Runtime;
  const drafts: unknown[] = [];
  const requests = new ServerRequests({ runtime, handle: 3 }, {
    sampling: (_, { draft, saveDraft }) => {
      drafts.push(draft);
      saveDraft({ n: drafts.length });
      return {};
    },
  }, "s");
  requests.draft(5, `{"typed":"L"}`);
  await requests.answer(5, `{"id":1,"method":"sampling/createMessage"}`);
  await requests.answer(6, `{"id":2,"method":"sampling/createMessage"}`);
  assert.deepEqual(drafts, [{ typed: "L" }, undefined]);
  assert.deepEqual(saved, [[3, 0, 5, "", `{"n":1}`], [3, 0, 6, "", `{"n":2}`]]);
});
