import assert from "node:assert/strict";
import { test } from "node:test";
import { badProvider } from "../src/connect/tokenreply.js";
import { errorData, thrownInPage } from "../src/host/wire/errordata.js";
import { PageQuestions } from "../src/host/page/pagequestions.js";
import type { HostMessage, PageMessage } from "../src/host/wire/protocol.js";
import type { Handlers } from "../src/input/handlers.js";
import { answerInput, answerRequest } from "../src/input/inputs.js";
import { HoldfastError, RPCFailure } from "../src/base/errors.js";
import { ready } from "./ready.js";

const secret = new TypeError("secret");
const aborted = new DOMException("closed by the person", "AbortError");
const FORM = {
  message: "?", requestedSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
};
const FAILED = { code: -32603, message: "The client could not answer" };
const MINE = { code: -32602, message: "no such mode", data: { mode: "url" } };
const NO = { code: -1, message: "User rejected sampling request" };

/** What a handler does, what the server hears of it, and whether the handler has failed by it. */
const ROWS: [method: string, handlers: Handlers, heard: unknown, hasFailed: boolean][] = [
  ["elicitation/create", { elicitation: () => ({ action: "cancel" }) }, { action: "cancel" }, false],
  ["elicitation/create", { elicitation: () => ({ action: "decline" }) }, { action: "decline" }, false],
  ["elicitation/create", { elicitation: () => Promise.reject(secret) }, FAILED, true],
  ["elicitation/create", { elicitation: () => Promise.reject(aborted) }, FAILED, true],
  ["elicitation/create", { elicitation: () => ({ action: "accept", content: {} }) }, FAILED, true],
  ["elicitation/create", { elicitation: () => undefined as never }, FAILED, true],
  ["sampling/createMessage", { sampling: () => ({ role: "assistant" }) }, { role: "assistant" }, false],
  ["sampling/createMessage", { sampling: () => null }, NO, false],
  ["sampling/createMessage", { sampling: () => Promise.reject(aborted) }, NO, false],
  ["sampling/createMessage", { sampling: () => Promise.reject(secret) }, FAILED, true],
  ["sampling/createMessage", { sampling: () => undefined as never }, FAILED, true],
  ["roots/list", { roots: () => [{ uri: "file:///a" }] }, { roots: [{ uri: "file:///a" }] }, false],
  ["roots/list", { roots: () => Promise.reject(secret) }, FAILED, true],
  ["roots/list", { roots: () => ({}) as never }, FAILED, true],
];

/** What was reported to the app's console while it ran. */
async function reports(run: () => Promise<void>): Promise<HoldfastError[]> {
  const reported: HoldfastError[] = [];
  const before = globalThis.reportError;
  globalThis.reportError = (error) => void reported.push(error as HoldfastError);
  try {
    await run();
  } finally {
    globalThis.reportError = before;
  }
  return reported;
}

/** That error is of the handler for a method. */
function isOf(error: unknown, method: string): void {
  assert.ok(error instanceof HoldfastError, String(error));
  const { code, op, message } = error as HoldfastError;
  const name = {
    "elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots",
  }[method];
  assert.deepEqual(
    [code, op, message], ["handler_failed", method, `${method}: handlers.${name} of the app failed`],
  );
}

const context = (signal = new AbortController().signal) => ({ server: "s", signal, saveDraft: () => {} });
const params = (method: string): object => (method === "elicitation/create" ? FORM : {});

test("Fault 309: a handler that fails has not said no: the server hears of an error, and the app which handler it was", async () => {
  for (const [method, handlers, heard, hasFailed] of ROWS) {
    const reported = await reports(async () => {
      const { ok, json } = await answerRequest(method, { ...params(method) }, handlers, context());
      assert.deepEqual(
        [ok, JSON.parse(json)], [typeof (heard as { code?: number }).code !== "number", heard], method,
      );
    });
    assert.equal(reported.length, hasFailed ? 1 : 0, method);
    if (hasFailed) isOf(reported[0], method);
  }
});

test("Fault 309: the call that asked ends with the error of the handler, and with cancelled where the person says no", async () => {
  for (const [method, handlers, heard, hasFailed] of ROWS) {
    await reports(async () => {
      const call = { method: "tools/call", ended: new AbortController().signal, saveDraft: () => {} };
      const answer = await answerInput(
        JSON.stringify({ inputRequests: { q: { method, params: params(method) } } }), call, handlers, "s",
      );
      if (hasFailed) {
        isOf(answer, method);
        assert.ok((answer as HoldfastError).cause instanceof Error);
      } else if (heard === NO) assert.equal((answer as HoldfastError).code, "cancelled");
      else assert.deepEqual(JSON.parse(answer as string), { q: heard });
    });
  }
});

test("Fault 309: what a handler in a page says to a worker is the same, and is reported in that page alone", async () => {
  for (const [method, handlers, heard, hasFailed] of ROWS) {
    const asked = Object.keys(handlers)[0] as "elicitation";
    const said: PageMessage[] = [];
    const reported = await reports(async () => {
      const questions = new PageQuestions(handlers, undefined, (message) => said.push(message));
      await questions.answer(
        {
          t: "question", client: 1, question: 7, asked, request: params(method), server: "s", draft: "",
        } as Extract<HostMessage, { t: "question" }>,
      );
      // The worker's handler, as it gets that.
      const reply = said.find((message) => message.t === "reply") as {
        value?: unknown;
        error?: ReturnType<typeof errorData>
      };
      const there = {
        [asked]: () => (reply.error ? Promise.reject(thrownInPage(reply.error, 7)) : reply.value),
      } as Handlers;
      const { json } = await answerRequest(method, { ...params(method) }, there, context());
      assert.deepEqual(JSON.parse(json), heard, method);
      if (hasFailed) assert.ok(questions.thrown(7) instanceof Error);
    });
    assert.equal(reported.length, hasFailed ? 1 : 0, method);
    if (hasFailed) isOf(reported[0], method);
  }
});

test("Fault 309: of a handler that gives up since nobody waits any more nothing is reported", async () => {
  const over = new AbortController();
  const reported = await reports(async () => {
    const gone = answerRequest(
      "elicitation/create", FORM,
      {
        elicitation: (_, { signal }) => new Promise(
          (_, reject) => signal.addEventListener("abort", () => reject(signal.reason)),
        )
      },
      context(over.signal),
    );
    await ready();
    over.abort();
    await gone;
  });
  assert.deepEqual(reported, []);
});

test("Fault 342: a handler that refuses in words of its own has not failed, and the server gets them, from every host", async () => {
  const elicitation = (): Promise<never> => Promise.reject(new RPCFailure(MINE));
  const said: PageMessage[] = [];
  const reported = await reports(async () => {
    const questions = new PageQuestions({ elicitation }, undefined, (message) => said.push(message));
    await questions.answer({
      t: "question", client: 1, question: 7, asked: "elicitation", request: FORM, server: "s", draft: "",
    });
    const { error } =
      said.find((message) => message.t === "reply") as { error: ReturnType<typeof errorData> };
    const there = (): Promise<never> => Promise.reject(thrownInPage(structuredClone(error), 7));
    for (const handler of [elicitation, there]) {
      const { ok, json } = await answerRequest(
        "elicitation/create", { ...FORM }, { elicitation: handler }, context(),
      );
      assert.deepEqual([ok, JSON.parse(json)], [false, MINE]);
      const call = { method: "tools/call", ended: new AbortController().signal, saveDraft: () => {} };
      const inputRequests = { q: { method: "elicitation/create", params: FORM } };
      const answer = (
        await answerInput(JSON.stringify({ inputRequests }), call, { elicitation: handler }, "s")
      ) as HoldfastError;
      assert.deepEqual([answer.code, answer.rpc], ["handler_failed", MINE]);
    }
  });
  assert.deepEqual(reported, []);
});

/** What code of an app's may throw. */
function odd(): unknown[] {
  const cause = new HoldfastError({ code: "closed", op: "x", message: "m" });
  Object.defineProperty(cause, "cause", { value: cause });
  const trap = (): never => {
    throw new Error("trap");
  };
  const rpc = { code: 1, message: "m", data: { f: trap, n: 1 } };
  const circle: { self?: object } = {};
  circle.self = circle;
  return [
    null,
    undefined,
    Symbol("s"),
    { message: Object.create(null) as object },
    { name: Symbol("s") },
    Object.assign(new Error("m"), { message: Symbol("s") }),
    new Proxy({}, { get: trap, getPrototypeOf: trap }),
    new HoldfastError({ code: "closed", op: "x", message: "m", cause: new Proxy({}, { get: trap }) }),
    cause,
    new HoldfastError({ code: "rpc_error", op: "x", message: "m", rpc }),
    new RPCFailure(rpc),
    new RPCFailure({ code: 1, message: "m", data: circle }),
  ];
}

test("Fault 546: whatever a handler throws, the server and the worker hear of it", async () => {
  for (const [n, thrown] of odd().entries()) {
    const said: PageMessage[] = [];
    await reports(async () => {
      const elicitation = async (): Promise<never> => {
        throw thrown;
      };
      const questions = new PageQuestions(
        { elicitation }, undefined, (message) => said.push(structuredClone(message)),
      );
      await questions.answer({
        t: "question", client: 1, question: 7, asked: "elicitation", request: FORM, server: "s", draft: "",
      });
      const [reply] = said as unknown as [{ t: "reply"; error: ReturnType<typeof errorData> }];
      assert.ok(
        typeof reply.error.message === "string" && JSON.stringify(reply.error).length < 2_000, String(n),
      );
      const call = { method: "tools/call", ended: new AbortController().signal, saveDraft: () => {} };
      const inputRequests = { q: { method: "elicitation/create", params: FORM } };
      for (const handler of [elicitation, () => Promise.reject(thrownInPage(reply.error, 7))]) {
        const answer = (
          await answerInput(JSON.stringify({ inputRequests }), call, { elicitation: handler }, "s")
        ) as HoldfastError;
        assert.deepEqual([answer.code, answer.op], ["handler_failed", "elicitation/create"], String(n));
      }
    });
    assert.equal(said.length, 1, String(n));
  }
});

test("Fault 546: a token provider may throw anything, too: its client says what it could read", async () => {
  for (const thrown of odd()) {
    const answer = badProvider(thrown);
    assert.deepEqual([answer.ok, typeof answer.text], [false, "string"]);
    const said: PageMessage[] = [];
    const token = async (): Promise<never> => {
      throw thrown;
    };
    await new PageQuestions({}, token, (message) => said.push(structuredClone(message))).answer({
      t: "question", client: 1, question: 7, asked: "token", request: {}, server: "s", draft: "",
    });
    assert.equal(said.length, 1);
  }
});

test("Fault 630: an elicitation that is answered without its action has failed, with what to give, and nothing of it reaches the server", async () => {
  const URL_MODE = { mode: "url", message: "?", url: "https://x.test/" };
  for (
    const wrong of [
      { a: "x" }, { action: "acept", content: { a: "x" } }, { action: true }, [], { content: { a: "x" } },
    ]
  ) {
    for (const request of [FORM, URL_MODE]) {
      const elicitation = (() => wrong) as unknown as NonNullable<Handlers["elicitation"]>;
      const [reported] = await reports(async () => {
        const { ok, json } = await answerRequest(
          "elicitation/create", { ...request }, { elicitation }, context(),
        );
        assert.deepEqual([ok, JSON.parse(json)], [false, FAILED]);
      });
      isOf(reported, "elicitation/create");
      const { code, message } = reported?.cause as HoldfastError;
      assert.equal(code, "bad_argument");
      assert.ok(message.includes('action has to be "accept", "decline" or "cancel"'), message);
    }
  }
});
