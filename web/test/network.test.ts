import assert from "node:assert/strict";
import { test } from "node:test";
import { networkCause, tokenHint } from "../src/diagnosis/network.js";
import type { Finding } from "../src/diagnosis/finding.js";

const FAILED = {
  url: "https://other.example/mcp", foreign: true, code: "network_error", op: "initialize", status: 0,
  lacks: "", reach: undefined, token: false, isForbidden: () => false,
} as const;
const FIELDS: [string, string][] = [["content-type", "application/json"], ["x-tenant", "probe"]];

/**
 * What is found of a server that answers what `allows`, whose connections are cut at the probes of these
 * numbers, from 0.
 */
async function found(
  allows: (init: RequestInit) => boolean, cuts: ReadonlySet<number>, credentials: RequestCredentials = "omit",
): Promise<Finding> {
  const real = globalThis.fetch;
  let n = 0;
  globalThis.fetch = (async (_: string, init: RequestInit) => {
    if (cuts.has(n++) || !allows(init)) throw new TypeError("Failed to fetch");
    return new Response("");
  }) as typeof fetch;
  try {
    return await networkCause(FAILED, { fields: FIELDS, credentials, signal: undefined });
  } finally {
    globalThis.fetch = real;
  }
}

test("Fault 147: a connection that is cut is not taken for a rule, whichever probes the cuts hit", async () => {
  for (const credentials of ["omit", "include"] as const) {
    for (let a = -1; a < 16; a++) {
      for (let b = a; b < 16; b++) {
        for (const gap of [1, 2]) {
          // Two cuts, and one more soon after the second.
          const { cors, hint } = await found(() => true, new Set([a, b, b + gap]), credentials);
          assert.ok(!cors, `cuts at ${a}, ${b} and ${b + gap}: ${hint}`);
        }
      }
    }
    for (let first = 0; first < 3; first++) {
      const third = new Set(Array.from({ length: 40 }, (_, i) => first + 3 * i));
      const { cors, hint } = await found(() => true, third, credentials);
      assert.ok(!cors, `every third from ${first}: ${hint}`);
    }
  }
});

test("Fault 147: a rule is still found", async () => {
  const has = (init: RequestInit, name: string): boolean => name in ((init.headers ?? {}) as object);
  for (const [allows, named, credentials] of [
    [(init: RequestInit) => init.mode === "no-cors", "Access-Control-Allow-Origin", "omit"],
    [(init: RequestInit) => !has(init, "x-tenant"), "Access-Control-Allow-Headers: x-tenant", "omit"],
    [(init: RequestInit) => init.credentials !== "include", "Access-Control-Allow-Credentials", "include"],
  ] as const) {
    const { cors, hint } = await found(allows, new Set(), credentials);
    assert.ok(cors === true && hint.includes(named), `${named}: ${hint}`);
  }
});

test("Fault 693: what a server has to answer a frame without an address names the origin of its requests", async () => {
  const globals = {
    location: { origin: "null", protocol: "about:", href: "about:srcdoc" }, origin: "https://app.test",
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    for (const [allows, credentials] of [
      [(init: RequestInit) => init.mode === "no-cors", "omit"],
      [(init: RequestInit) => init.credentials !== "include", "include"],
    ] as const) {
      const { hint } = await found(allows, new Set(), credentials);
      assert.ok(hint.includes("Access-Control-Allow-Origin: https://app.test"), hint);
    }
  } finally {
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
  }
});

test("Fault 667: all that the CORS rules of a server lack is named at once, and a * that stands for no field where cookies go along", async () => {
  const sent = (init: RequestInit): string[] =>
    Object.keys((init.headers ?? {}) as object).filter((name) => name !== "accept");
  for (const [allows, hint] of [
    // Neither the cookies, nor two of the fields.
    [
      (init: RequestInit) => init.credentials !== "include" &&
        !sent(init).some((name) => name !== "content-type"),
      /Allow-Headers: x-tenant {2}and {2}Access-Control-Allow-Credentials: true {2}and {2}Access-Control-Allow-Origin: /,
    ],
    // Access-Control-Allow-Headers: *, and all that cookies need but for the fields by their names.
    [
      (init: RequestInit) => init.credentials !== "include" || sent(init).length === 0,
      /Allow-Headers: content-type, x-tenant$/,
    ],
  ] as const) {
    const { cors, hint: said } = await found(allows, new Set(), "include");
    assert.ok(cors === true && hint.test(said), said);
  }
});

test("Fault 147: a server that answers nothing is not blamed for its rules", async () => {
  const { cors, hint } = await found(() => false, new Set());
  assert.ok(!cors && hint.startsWith("Nothing answers"), hint);
});

test("a token provider that gave no token is not told that a server refused one", () => {
  const sent = { fields: FIELDS, credentials: "omit", signal: undefined } as const;
  for (const [token, op, hint] of [
    [false, "initialize", /wants a bearer token: pass a token provider/],
    [true, "initialize", /refused the token that the provider gave/],
    [true, "token", /provider gave no token\. The error's cause says why/],
  ] as const) {
    const said = tokenHint("server", { ...FAILED, code: "unauthorized", token, op }, sent);
    assert.ok(hint.test(said), said);
  }
});
