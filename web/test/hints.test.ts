// What somebody new gets wrong, or has not got, and what Holdfast says of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Call } from "../src/client/call.js";
import { outgoing } from "../src/client/outgoing.js";
import { callDefaults } from "../src/client/options.js";
import { type StoreKeys, UserStores } from "../src/connect/userstores.js";
import { findServerCause } from "../src/diagnosis/serverdiagnosis.js";
import { networkCause } from "../src/diagnosis/network.js";
import { surroundings } from "../src/host/choose/choice.js";
import { named, NoWorker } from "../src/host/page/noworker.js";
import { preloadAgent } from "../src/host/choose/agenthosts.js";
import { preload, type PreloadOptions } from "../src/host/choose/preload.js";
import { mcpWasm } from "../src/runtime/beside.js";
import { isForbidden, watchPolicy } from "../src/base/forbidden.js";
import { load } from "../src/runtime/loadruntime.js";
import { whyNothingCame } from "../src/runtime/whatcame.js";
import { Backlog } from "../src/base/backlog.js";
import { HoldfastError } from "../src/base/errors.js";
import { hasLocks } from "../src/tabs/locks.js";

const ADDRESS = "https://far.test/mcp";
const FAILED = {
  url: ADDRESS, foreign: true, code: "network_error", op: "initialize", status: 0, lacks: "",
  reach: undefined, token: false, isForbidden,
} as const;
const SENT = { fields: [], credentials: "omit", signal: undefined } as const;

/** Runs it with globals in place of those that are there. */
async function withGlobals(globals: object, run: () => Promise<void>): Promise<void> {
  const before = Object.keys(globals).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  try {
    await run();
  } finally {
    for (const [name, property] of before) {
      if (property) Object.defineProperty(globalThis, name, property);
      else delete (globalThis as Record<string, unknown>)[name];
    }
  }
}

async function failure(work: Promise<unknown>): Promise<HoldfastError> {
  const error: unknown = await work.then(() => undefined, (thrown: unknown) => thrown);
  assert.ok(error instanceof HoldfastError, String(error));
  return error as HoldfastError;
}

test("Fault 625: an error that nobody has caught shows its hint in a console, which has its stack and none of its members", () => {
  const { message, stack } = new HoldfastError({
    code: "network_error", op: "connect", message: "no answer", hint: "Is it running?",
  });
  assert.equal(message, "connect: no answer"); // for apps that show both
  // Chromium shows what stands behind the first frame as it is, and makes the lines before that from the
  // message.
  assert.ok(/^ {4}at [^]*\nIs it running\?$/m.test(stack ?? ""));
  assert.ok(!new HoldfastError({ code: "closed", message: "it is closed" }).stack?.includes("undefined"));
});

test("Fault 627: a server that may be there, and speaks no https or has a certificate of its own, is not only said to be down", async () => {
  const hint = async (url: string, foreign = true): Promise<string> => (
    await networkCause({ ...FAILED, url, foreign, reach: "nothing" }, SENT)
  ).hint;
  assert.ok(
    /^Nothing answers at https:\/\/localhost:3000\. .*https.*certificate/.test(
      await hint("https://localhost:3000/mcp"),
    ),
  );
  assert.ok(/certificate/.test(await hint("wss://localhost:3000/acp")));
  for (
    const [url, foreign] of [["http://localhost:3000/mcp", true], ["https://page.test/mcp", false]] as const
  )
    assert.ok(!/certificate/.test(await hint(url, foreign)));
});

test("Fault 628: a wasm that came in part, compressed without a word of it, or of another build: the hint says what to look at", async () => {
  const wasm = (...bytes: number[]): Response => new Response(
    new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...bytes]),
    { headers: { "content-type": "application/wasm" } },
  );
  const gzipped = new Response(new Uint8Array([0x1f, 0x8b, 8, 0]), {
    headers: { "content-type": "application/wasm" },
  });
  for (
    const broken of [
      gzipped, new Response("", { headers: { "content-type": "application/wasm" } }), wasm(10, 99),
    ]
  ) {
    const { code, hint } = await failure(load(mcpWasm, broken));
    assert.equal(code, "load_failed");
    assert.ok(/Content-Encoding/.test(hint ?? ""));
  }
  // A module that imports a function which the script has not, as one of another build may.
  const { code, hint } = await failure(
    load(mcpWasm, wasm(1, 4, 1, 0x60, 0, 0, 2, 10, 1, 4, 0x67, 0x6f, 0x6a, 0x73, 1, 0x62, 0, 0)),
  );
  assert.deepEqual([code, /build/.test(hint ?? "")], ["load_failed", true]);
});

test("Fault 560: a policy that keeps a page from its server is named, and one that only reports is not", async () => {
  for (const [blockedURI, disposition, hint] of [
    [ADDRESS, "enforce", /^The Content-Security-Policy .* lacks {2}connect-src https:\/\/far\.test$/],
    [ADDRESS, "report", /^Nothing answers/],
    ["https://another.test/", "enforce", /^Nothing answers/],
  ] as const) {
    let heard: ((event: object) => void) | undefined;
    const globals = {
      addEventListener: (type: string, listener: (event: object) => void) => void (
        type === "securitypolicyviolation" && (heard = listener)
      ),
      fetch: () => Promise.reject(new TypeError("Failed to fetch")),
    };
    await withGlobals(globals, async () => {
      watchPolicy();
      // of an earlier one nothing is left
      heard?.({ blockedURI: "", disposition: "enforce", effectiveDirective: "connect-src" });
      heard?.({ blockedURI, disposition, effectiveDirective: "connect-src" });
      heard?.({ blockedURI: "blob", disposition: "enforce", effectiveDirective: "worker-src" });
      const found = await networkCause({ ...FAILED, reach: "nothing" }, SENT);
      assert.ok(hint.test(found.hint), found.hint);
    });
  }
});

test("Fault 561: HTTP+SSE that is pinned where there is none is not taken for a rule of CORS", async () => {
  await withGlobals({ fetch: async () => new Response("") }, async () => {
    for (const foreign of [true, false]) {
      const found = await findServerCause({ ...FAILED, foreign }, { ...SENT, pinned: "2024-11-05" }, []);
      assert.equal(
        found?.hint, `There is no HTTP+SSE endpoint at ${ADDRESS}. Leave the option revision out.`,
      );
      assert.ok(!found?.cors);
    }
    const other = await findServerCause(FAILED, { ...SENT, pinned: "2025-11-25" }, []);
    assert.ok(other?.hint.includes("but not the POST"), other?.hint);
  });
});

test("Fault 562: a revision that is misspelled is named in the hint, and none is made up", async () => {
  const failed = { ...FAILED, code: "no_revision", op: "server/discover" } as const;
  const found = await findServerCause(failed, { ...SENT, pinned: "2025-11-26" }, []);
  assert.ok(
    found?.hint.includes("2025-11-26") && found.hint.includes("Leave the option revision out"), found?.hint,
  );
  assert.equal(await findServerCause(failed, SENT, []), undefined);
});

test("Fault 563: where there is no browser, as in jsdom, the hint says so, and which tests have one", async () => {
  await withGlobals({ fetch: () => Promise.reject(new TypeError("fetch failed")) }, async () => {
    const { code, hint } = await failure(
      load(mcpWasm, "file:///app/node_modules/holdfast/web/dist/holdfast.wasm"),
    );
    assert.equal(code, "load_failed");
    assert.ok(hint?.startsWith("This is no browser.") && hint.includes("docs/guide/testing.md"), hint);
  });
  await withGlobals({
    process: undefined, fetch: () => Promise.reject(new TypeError("fetch failed")),
  }, async () => {
    // Next's edge runtime
    assert.ok(
      (await failure(load(mcpWasm, "blob:server/holdfast.wasm"))).hint?.startsWith("This is no browser."),
    );
    assert.ok(
      (await failure(load(mcpWasm, "https://app.test/holdfast.wasm"))).hint?.startsWith(
        "Nothing came from https://app.test/holdfast.wasm: ",
      ),
    );
  });
});

test("Fault 563: locks that are null are none, as happy-dom has them", async () => {
  await withGlobals({ navigator: { locks: null } }, async () => {
    assert.equal(hasLocks(), false);
    assert.equal(surroundings("shared", {}, ADDRESS).hasLocks, false);
  });
});

test("Fault 564: a file that a bundler has put into its address is not in what is said", async () => {
  const file = `data:text/javascript;base64,${"QUJD".repeat(90_000)}`;
  for (
    const message of [
      `${file} is of another origin than the page`,
      `the worker at ${file} could not be started: it is not there`,
    ]
  ) {
    const said = (named("connect", new NoWorker("other_origin", message)) as HoldfastError).message;
    assert.ok(said.length < 200 && said.includes("data:text/javascript;base64,QUJD"), said.slice(0, 300));
    assert.ok(said.endsWith(message.slice(-20)), said);
  }
  await withGlobals({
    process: undefined, fetch: () => Promise.reject(new TypeError("Failed to fetch")),
  }, async () => {
    const { hint = "" } = await failure(
      load(mcpWasm, `data:application/wasm;base64,${"QUJD".repeat(90_000)}`),
    );
    assert.ok(hint.length < 200, hint.slice(0, 300));
  });
});

test("Fault 565: preload refuses what connect refuses, in its own name", async () => {
  // A page whose files do not come; without workers the host of the page looks at the options.
  await withGlobals({
    addEventListener: () => {}, fetch: () => Promise.reject(new TypeError("Failed to fetch")),
  }, async () => {
    for (const [wrong, says, op = "preload"] of [
      [{ agents: true }, "agents is no option: there are client, "],
      [{ hots: "page" }, "hots is no option: there are "],
      [{ wasm: 5 }, "wasm has to be a URL, or the wasm itself"],
      [{ revision: "x" }, "revision is no option: there are ", "preloadAgent"],
      [{ token: "x" }, "token has to be a function that gives a token"],
      [{ host: "page", token: "x" }, "token has to be a function that gives a token"],
    ] as const) {
      const error = await failure(
        (op === "preload" ? preload : preloadAgent)(wrong as unknown as PreloadOptions),
      );
      assert.deepEqual([error.code, error.op], ["bad_argument", op]);
      assert.ok(error.message.startsWith(`${op}: ${says}`), error.message);
    }
    // What the connect will have besides is no slip, and what does not come is not said (fault 332).
    for (const fine of [{}, { host: "page", ack: "manual" }]) await preload(fine as PreloadOptions);
    await preloadAgent();
  });
});

test("Fault 566: what a token provider gave that is no token is named by its type, and never shown", async () => {
  const keys: StoreKeys = { of: async (principal) => principal };
  for (const [given, type] of [
    [5, "number"],
    [{ access_token: "s3cret" }, "object"],
    [undefined, "undefined"],
    ["", "string"],
  ] as const) {
    const answer = await new UserStores({ token: async () => given as string }, false, keys).token();
    assert.deepEqual([answer.ok, answer.text], [false, `it gave no token (type: ${type})`]);
  }
});

test("Fault 566: arguments of a tool that are no JSON are called by the name that callTool has for them", () => {
  const defaults = callDefaults("test", {});
  for (const [method, says] of [
    ["tools/call", "tools/call: args cannot be written as JSON"],
    ["prompts/get", "prompts/get: params cannot be written as JSON"],
  ] as const) {
    assert.throws(
      () => outgoing(method, { name: "count", arguments: { n: 1n } }, {}, defaults),
      (error) => error instanceof HoldfastError && error.message === says,
    );
  }
});

test("Fault 561: HTTP+SSE that is there, and whose POST the CORS rules keep in the browser, is not said to be missing", async () => {
  const fetch = async (_: string, init: RequestInit = {}): Promise<Response> => {
    // the preflight names no field
    if (Object.keys(init.headers ?? {}).some((name) => name !== "accept"))
      throw new TypeError("Failed to fetch");
    return new Response("event: endpoint\ndata: /messages\n\n", {
      headers: { "content-type": "text/event-stream" },
    });
  };
  await withGlobals({ fetch }, async () => {
    const found = await findServerCause(
      { ...FAILED, url: "https://server.test/sse" }, { ...SENT, pinned: "2024-11-05" }, [],
    );
    assert.ok(found?.hint.includes("Access-Control-Allow-Headers"), found?.hint);
  });
});

test("Fault 560: what a policy keeps from another port says nothing of the server", async () => {
  let heard: ((event: object) => void) | undefined;
  await withGlobals({
    addEventListener: (_: string, listener: (event: object) => void) => (heard = listener),
  }, async () => {
    watchPolicy();
    heard?.({
      blockedURI: "http://localhost:8080/x", disposition: "enforce", effectiveDirective: "connect-src",
    });
    const found = await networkCause({ ...FAILED, url: "http://localhost/mcp", reach: "nothing" }, SENT);
    assert.ok(found.hint.includes("Nothing answers"), found.hint);
  });
});

test("Fault 563: NW.js is a browser", async () => {
  await withGlobals({ process: { versions: { node: "20", nw: "0.9" } } }, async () => {
    assert.ok(!whyNothingCame("https://x/y.wasm").includes("no browser"));
  });
});

test("Fault 565: preload takes options of a class as connect does", async () => {
  class Options {
    host = "page" as const;
    label = "mine";
    get principal(): string {
      return "ada";
    }
  }
  await withGlobals({
    addEventListener: () => {}, fetch: () => Promise.reject(new TypeError("Failed to fetch")),
  }, async () => {
    await preload(new Options() as never);
  });
});

test("Fault 544: what a call was made with is read through a proxy as well", () => {
  const call = new Call("tools/call", new Backlog(1, 1, 1), false, `{"name":"x"}`);
  assert.equal(new Proxy(call, {}).params["name"], "x");
});
