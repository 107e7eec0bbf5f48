import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../src/input/answering.js";
import type { ElicitationResult, FormElicitation, URLElicitation } from "../src/input/elicitation.js";
import { withDefaults } from "../src/input/elicitation.js";
import type { InputContext } from "../src/input/handlers.js";
import { HoldfastError } from "../src/base/errors.js";
import { elicit, elicitations } from "../packages/observe/stores.js";
import { AgentRig, ready } from "./agentrig.js";

const form: FormElicitation = {
  message: "How many?",
  requestedSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
};

/** Asks, and has the question that is shown, with what becomes of its drafts. */
function asked(draft?: unknown) {
  const over = new AbortController();
  const drafts: unknown[] = [];
  const context = {
    server: "https://a.example/mcp",
    signal: over.signal,
    saveDraft: (value: unknown) => void drafts.push(value),
    ...(draft === undefined ? {} : { draft }),
  };
  const answer = run({ elicitation: elicit }, "elicitation", form, context) as Promise<ElicitationResult>;
  return { answer, over, drafts, question: elicitations.snapshot().at(-1)! };
}

test("Fault 339: an answer that does not fit its form is refused there, and the question stays open", async () => {
  const { answer, question } = asked();
  assert.throws(
    () => question.accept({ n: "many" }),
    (error) =>
      error instanceof HoldfastError && error.code === "bad_argument" && /content\.n/.test(error.message),
  );
  assert.deepEqual(elicitations.snapshot(), [question]);
  question.accept({ n: 3 });
  assert.deepEqual(await answer, { action: "accept", content: { n: 3 } });
  assert.deepEqual(elicitations.snapshot(), []);
  assert.throws(
    () => question.decline(), (error) => error instanceof HoldfastError && error.code === "closed",
  );
});

test("a handler of the app's checks a form before it answers, and a page to be visited has none", () => {
  let checks: ((answer: ElicitationResult) => ElicitationResult) | undefined;
  const context = {
    server: "https://a.example/mcp", signal: new AbortController().signal, saveDraft: () => {},
  };
  const ask = (params: FormElicitation | URLElicitation) => run(
    { elicitation: (_, { check }) => ((checks = check), { action: "cancel" }) },
    "elicitation",
    params,
    context,
  );
  ask(form);
  assert.throws(
    () => checks!({ action: "accept", content: { n: "many" } }),
    (error) =>
      error instanceof HoldfastError && error.code === "bad_argument" && /content\.n/.test(error.message),
  );
  assert.deepEqual(checks!({ action: "accept", content: { n: 3 } }), { action: "accept", content: { n: 3 } });
  ask({ mode: "url", message: "Sign in", url: "https://a.example/" });
  assert.equal(checks, undefined);
});

test("a question that an app asks itself, without what checks its form, is answered as the person has", async () => {
  const context = {
    server: "https://a.example/mcp", signal: new AbortController().signal, saveDraft: () => {},
  };
  const answer = elicit(form, context);
  elicitations.snapshot().at(-1)!.accept({ n: "many" });
  assert.deepEqual(await answer, { action: "accept", content: { n: "many" } });
});

test("questions of several servers are open at once, each until it is answered or nobody waits for it", async () => {
  const [one, other, third] = [asked(), asked({ n: "7" }), asked()];
  const shown: number[] = [];
  const stop = elicitations.subscribe((all) => void shown.push(all.length));
  assert.deepEqual(
    [one.question.server, one.question.message, one.question.draft, other.question.draft],
    ["https://a.example/mcp", "How many?", undefined, { n: "7" }],
  );
  other.question.saveDraft({ n: "8" });
  other.question.saveDraft(undefined);
  assert.deepEqual(other.drafts, [{ n: "8" }, undefined]);
  one.over.abort();
  other.question.decline();
  third.question.cancel();
  assert.deepEqual(shown, [3, 2, 1, 0]);
  assert.ok(one.question.signal.aborted);
  assert.deepEqual([await other.answer, await third.answer], [{ action: "decline" }, { action: "cancel" }]);
  stop();
});

test("Fault 607: a member of a form that is called as what each object has is for the person to fill in, or has its default", () => {
  const form = (required: string[]): Parameters<typeof withDefaults>[0] => ({
    message: "m",
    requestedSchema: {
      type: "object",
      properties: { constructor: { type: "string" }, toString: { type: "string", default: "d" } },
      required,
    },
  });
  assert.deepEqual(
    withDefaults(form([]), { action: "accept", content: {} }),
    { action: "accept", content: { toString: "d" } },
  );
  assert.deepEqual(
    withDefaults(form([]), { action: "accept" }), { action: "accept", content: { toString: "d" } },
  );
  assert.deepEqual(
    withDefaults(form(["constructor"]), { action: "accept", content: { constructor: "c" } as never }),
    { action: "accept", content: { constructor: "c", toString: "d" } },
  );
  assert.throws(
    () => withDefaults(form(["constructor"]), { action: "accept", content: {} }),
    (error) => /constructor is required/.test((error as Error).message),
  );
});

test("Fault 574: a component that shows a visit has a button for it", async () => {
  const answer = elicit(
    { mode: "url", url: "https://a.example/", message: "?" },
    { server: "s", signal: new AbortController().signal, saveDraft: () => {} },
  );
  elicitations.snapshot()[0]!.complete();
  assert.deepEqual([await answer, elicitations.snapshot()], [{ action: "accept", complete: true }, []]);
});

test("Fault 637: a handler of a form of an agent checks an answer before it gives it, and elicit has the question stay open", async () => {
  const asks = async (
    elicitation: (request: FormElicitation | URLElicitation, context: InputContext) =>
      Promise<ElicitationResult>
  ): Promise<AgentRig> => {
    const rig = await new AgentRig({ handlers: { elicitation }, elicits: true }).open();
    rig.tell(0, "question", { method: "elicitation/create", params: { requestId: 1, ...form } }, 5);
    await ready();
    return rig;
  };
  const handled: InputContext[] = [];
  const one = await asks((_, context) => (handled.push(context), new Promise(() => {})));
  one.tell(
    0,
    "question",
    {
      method: "elicitation/create",
      params: { requestId: 2, mode: "url", url: "https://example.com/x", message: "m", elicitationId: "e" },
    },
    6,
  );
  await ready();
  const refused = (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === "bad_argument" && /content\.n/.test(error.message);
  assert.throws(() => handled[0]!.check!({ action: "accept", content: { n: "many" } }), refused);
  assert.deepEqual(
    handled[0]!.check!({ action: "accept", content: { n: 3 } }), { action: "accept", content: { n: 3 } },
  );
  assert.equal(handled[1]!.check, undefined, "a page to be visited has no form");

  const { responses } = await asks(elicit);
  const question = elicitations.snapshot().at(-1)!;
  assert.throws(() => question.accept({ n: "many" }), refused);
  assert.deepEqual([question.signal.aborted, responses.length], [false, 0]);
  question.accept({ n: 3 });
  await ready();
  assert.deepEqual(responses, [{ request: 5, ok: true, value: { action: "accept", content: { n: 3 } } }]);
});
