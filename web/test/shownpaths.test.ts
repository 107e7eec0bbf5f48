import assert from "node:assert/strict";
import { test } from "node:test";
import { httpHint, place } from "../src/diagnosis/network.js";
import { signInNotLoaded } from "../src/auth/loadsignin.js";
import { readProtectedResource } from "../src/auth/protectedresource.js";
import { diagnose } from "../packages/doctor/doctor.js";
import { checkHost, RULES, surroundings } from "../src/host/choose/choice.js";
import { atStart, NoWorker } from "../src/host/page/noworker.js";
import { mcpWasm } from "../src/runtime/beside.js";
import { load } from "../src/runtime/loadruntime.js";
import { ownWasm } from "../src/runtime/ownwasm.js";
import { checkBeside } from "../src/base/besidescript.js";
import { shownPath, shownText } from "../src/base/plainpath.js";
import { shortened } from "../src/base/shortened.js";

test("Fault 122: an error or a hint shows of a path what endpoints have everywhere, and leaves out the rest", () => {
  for (
    const path of [
      "/", "/mcp", "/api/v1/mcp/", "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/openid-configuration",
    ]
  )
    assert.equal(shownPath(path), path);
  for (
    const [path, shown] of [
      ["/k3y/mcp", "/…/mcp"], ["/mcp/k3y", "/mcp/…"], ["/v1/k3y/sse/", "/v1/…/sse/"],
      ["/.well-known/oauth-protected-resource/k3y/mcp", "/.well-known/oauth-protected-resource/…/mcp"],
      ["/mcpk3y", "/…"], ["/v123", "/…"],
    ]
  )
    assert.equal(shownPath(path!), shown);
  const secret = "https://a.example/k3y/mcp?k3y=k3y";
  const said = [
    place(secret), ...[300, 403, 404, 405, 503, 418].map((status) => httpHint(secret, status, "MCP", "/mcp"))
  ];
  try {
    readProtectedResource({ resource: "https://b.example/" }, new URL(secret));
  } catch (error) {
    const { fields, message } = error as { fields: { hint?: string }; message: string };
    said.push(message, fields.hint!);
  }
  assert.equal(said.length, 9);
  assert.deepEqual(said.filter((words) => words.includes("k3y")), []);
});

test("Fault 756: of the address of a file an error shows origin and name", () => {
  const rows: readonly [string, string][] = [
    ["https://a.example/x.wasm", "https://a.example/x.wasm"],
    ["https://a.example/k3y/b/x.wasm?k3y=1#k3y", "https://a.example/…/x.wasm"],
    ["https://a.example/k3y/", "https://a.example/…/"],
    [
      "at http://a.example:8/k3y/x-1_2~3.mjs: it failed, at https://b.example/k3y/y.js",
      "at http://a.example:8/…/x-1_2~3.mjs: it failed, at https://b.example/…/y.js",
    ],
    ["no address", "no address"],
  ];
  for (const [text, shown] of rows) assert.equal(shortened(text), shown);
});

test("Fault 756: what the browser says of an address is said without what may hold a secret", () => {
  const rows: readonly [string, string][] = [
    ["Failed to fetch", "Failed to fetch"],
    [
      "Refused to connect to 'https://a.example:8443/k3y/mcp?k3y=1' because",
      "Refused to connect to 'https://a.example:8443/…/mcp' because",
    ],
    ["wss://k3y:k3y@a.example/acp/k3y#k3y is invalid", "wss://a.example/acp/… is invalid"],
    ["not https://a.example.", "not https://a.example."],
  ];
  for (const [text, shown] of rows) assert.equal(shownText(text), shown);
});

test("Fault 756: no error of a file and no finding of diagnose() has a path that may hold a secret", async () => {
  const folder = "https://app.test/k3y/b/";
  const file = `${folder}x.mjs?k3y=1`;
  const said: string[] = [];
  const fails = async (work: Promise<unknown>): Promise<void> => {
    await work.then(
      () => assert.ok(false, "it came"),
      ({ message, hint = "" }: { message: string; hint?: string }) => said.push(message, hint),
    );
  };
  const page = surroundings("shared", { validator: `${folder}y/v.mjs` }, file);
  for (const rule of RULES)
    said.push(new NoWorker(rule.why, rule.text({ ...page, url: "http://b.example/k3y" })).message);
  said.push(new NoWorker("not_started", atStart.not_started(file, `it threw at ${file}`)).message);
  assert.throws(
    () => checkHost({ ...page, origin: "https://b.example" }), (error) => error instanceof NoWorker,
  );
  said.push(
    signInNotLoaded(new TypeError(`Failed to fetch dynamically imported module: ${file}`), true).message,
  );
  const { fetch } = globalThis;
  try {
    const answers: readonly (() => Response)[] = [
      () => new Response("", { status: 404 }),
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      () => {
        throw new TypeError("Failed to fetch");
      },
    ];
    for (const answer of answers) {
      globalThis.fetch = async () => Object.defineProperty(answer(), "url", {
        value: `${folder}x.wasm?k3y=1`,
      });
      await fails(load(mcpWasm, `${folder}x.wasm?k3y=1`));
      if (answer !== answers[1]) await fails(checkBeside(`${folder}x.mjs`, `${folder}w.mjs`));
      await fails(checkBeside(`${folder}y/x.mjs`, `${folder}w.mjs`));
      await fails(ownWasm("data:k3y", ""));
      globalThis.fetch = async () => answer();
      const { url, findings } = await diagnose("https://b.example/k3y/mcp?k3y=1");
      said.push(url, JSON.stringify(findings));
    }
  } finally {
    globalThis.fetch = fetch;
  }
  assert.ok(said.length > 30);
  assert.deepEqual(said.filter((words) => words.includes("k3y") && !words.includes("data:k3y")), []);
});
