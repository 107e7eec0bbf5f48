import assert from "node:assert/strict";
import { test } from "node:test";
import { connectAgent } from "../src/host/choose/agenthosts.js";
import { Backlog } from "../src/base/backlog.js";
import { connect } from "../src/host/choose/hosts.js";
import { HoldfastError } from "../src/base/errors.js";
import { callDefaults } from "../src/client/options.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { CoreClient } from "../src/client/coreclient.js";

/** What an option that is a number must not be, with how it looks in a failure. */
const NEVER_GOOD = [0, -0, -1, Number.NaN, -Infinity, "5", "", true, null, {}, 5n];

/** Options that are times: Infinity is for ever, and a fraction is a part of a millisecond. */
const TIMES = { good: [1, 0.5, 250, 2 ** 40, 1e300, Infinity], bad: NEVER_GOOD };
/** Options that count bytes or things. */
const BOUNDS = { good: [1, 2 ** 40], bad: [...NEVER_GOOD, 0.5, Infinity, 1e300] };

/** The error of what must not have got as far as a store, the wasm or the network. */
type Ask = (option: string, value: unknown) => Promise<HoldfastError>;

const failure = (error: unknown): HoldfastError => {
  assert.ok(error instanceof HoldfastError, String(error));
  return error as HoldfastError;
};

/** `{ "a.b": value }` as an object. */
function nested(option: string, value: unknown): object {
  const [outer = "", inner] = option.split(".");
  return { [outer]: inner === undefined ? value : { [inner]: value } };
}

// Good options end with `cancelled`: in the page nothing else is looked at before.
const given = AbortSignal.abort();
const toConnect: Ask = (option, value) => connect(
  "http://127.0.0.1/mcp", { ...nested(option, value), host: "page", signal: given },
).then(failure, failure);
const toConnectAgent: Ask = (option, value) => connectAgent(
  "http://127.0.0.1/acp", { ...nested(option, value), host: "page", signal: given },
).then(failure, failure);

/** A client whose calls reach no core. */
const client = new CoreClient(
  { mirrored: () => "" } as unknown as Runtime, "http://127.0.0.1/mcp", new Backlog(10), {},
  { policy: false }, { journal: undefined, defaults: callDefaults("test", {}) },
);
const toCall: Ask = (option, value) => client.callTool(
  "add", {}, { ...nested(option, value), signal: given },
).result.then(failure, failure);

const TABLE: [Ask, { good: unknown[]; bad: unknown[] }, string[]][] = [
  [
    toConnect, TIMES,
    [
      "timeouts.answer", "timeouts.idle", "timeouts.total", "sendWithin", "retention.ended",
      "retention.running",
    ],
  ],
  [
    toConnect, BOUNDS,
    [
      "line", "event", "body", "depth", "calls", "backlog", "backlogBytes", "backlogTotal", "stored",
    ].map((name) => `limits.${name}`),
  ],
  [toCall, TIMES, ["timeouts.answer", "timeouts.idle", "timeouts.total", "sendWithin"]],
  [toCall, BOUNDS, ["task.ttl"]],
  [toConnectAgent, TIMES, ["timeouts.answer", "timeouts.idle"]],
  [
    toConnectAgent,
    BOUNDS,
    [
      "line", "event", "body", "depth", "item", "replay", "requests", "streams", "stored", "backlog",
      "backlogBytes", "backlogTotal",
    ].map((name) => `limits.${name}`),
  ],
];

test("Fault 169: an option that is a number says what it is, or is refused by its name", async () => {
  for (const [ask, { good, bad }, options] of TABLE) {
    for (const option of options) {
      for (const value of good) {
        const { code, message } = await ask(option, value);
        assert.equal(code, "cancelled", `${option}: ${String(value)}: ${message}`);
      }
      for (const value of bad) {
        const { code, message } = await ask(option, value);
        assert.equal(code, "bad_argument", `${option}: ${String(value)}: ${message}`);
        assert.ok(message.includes(`: ${option} has to be `), message);
      }
      assert.equal((await ask(option, undefined)).code, "cancelled", option);
    }
    for (
      const group of new Set(
        options.filter(
          (name) => /^(timeouts|limits|retention)\./.test(name),
        ).map((name) => name.split(".")[0]!),
      )
    ) {
      for (const value of [5000, "5", true, null]) {
        const { code, message } = await ask(group, value);
        assert.equal(code, "bad_argument", `${group}: ${value}: ${message}`);
        assert.ok(message.includes(`: ${group} has to be an object`), message);
      }
    }
  }
});
