import assert from "node:assert/strict";
import { test } from "node:test";
import { oauthChallenge, parseChallenges } from "../src/auth/challenge.js";

const plain = (field: string) => parseChallenges(field).map(
  ({ scheme, token68, params }) => [scheme, token68, Object.fromEntries(params)],
);

test("challenges are read as RFC 9110 section 11.6.1 has them, and what is broken is left out", () => {
  for (const [field, ...want] of [
    ["", ...[]],
    ["Bearer", ["bearer", undefined, {}]],
    ['Bearer realm="a"', ["bearer", undefined, { realm: "a" }]],
    [
      'Bearer realm="a, b=\\"c\\"", Scope = files',
      ["bearer", undefined, { realm: 'a, b="c"', scope: "files" }],
    ],
    ["Negotiate YII=, Basic realm=x", ["negotiate", "YII=", {}], ["basic", undefined, { realm: "x" }]],
    [
      "Negotiate, NTLM, Bearer error=invalid_token", ["negotiate", undefined, {}], ["ntlm", undefined, {}],
      ["bearer", undefined, { error: "invalid_token" }],
    ],
    [
      'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"',
      ["newauth", undefined, { realm: "apps", type: "1", title: 'Login to "apps"' }],
      ["basic", undefined, { realm: "simple" }],
    ],
    // Not quoted, no commas, a name that comes twice: as servers write it.
    [
      "Bearer resource_metadata=https://a.example/x?y=1, scope=\"a b\"",
      ["bearer", undefined, { resource_metadata: "https://a.example/x?y=1", scope: "a b" }],
    ],
    ['Bearer realm="a" scope="b"', ["bearer", undefined, { realm: "a", scope: "b" }]],
    ['Bearer scope="a", scope="b"', ["bearer", undefined, { scope: "a" }]],
    [' ,, Bearer  a = "b" , ', ["bearer", undefined, { a: "b" }]],
    ['"???", Bearer a=b', ["bearer", undefined, { a: "b" }]],
    ['Bearer a="unended, scope=x', ["bearer", undefined, {}]],
    ["abc==, Bearer a=b", ["bearer", undefined, { a: "b" }]],
  ] as const) {
    const got = plain(field);
    if (field.includes("unended")) assert.equal(got[0]?.[0], "bearer");
    else assert.deepEqual(got, want, field);
  }
});

test("a client of OAuth goes by Bearer and DPoP alone; a hidden field is the same as none", () => {
  for (const [field, want] of [
    [null, undefined],
    [undefined, undefined],
    ["", undefined],
    ['Basic realm="x"', undefined],
    ["Bearer", { dpop: false }],
    [
      'Basic realm="resource_metadata=no", bearer resource_metadata="https://a.example/m", ' +
        'error="insufficient_scope", scope="a b"',
      { resourceMetadata: "https://a.example/m", scope: "a b", error: "insufficient_scope", dpop: false },
    ],
    ['DPoP algs="ES256", error="use_dpop_nonce"', { error: "use_dpop_nonce", dpop: true }],
    [
      'DPoP algs="ES256", Bearer resource_metadata="https://a.example/m"',
      { resourceMetadata: "https://a.example/m", dpop: false },
    ],
    ['Bearer scope=""', { dpop: false }],
  ] as const) {
    assert.deepEqual(oauthChallenge(field), want, String(field));
  }
});

test("no field takes long to read", () => {
  for (const piece of ['"', '\\"', '"\\', "a=", ", ", "a ", '="', "a=b ", "=,"]) {
    parseChallenges(`Bearer ${piece.repeat(100_000)}`);
  }
});

test("whatever is put together is taken apart again", () => {
  const seed = Number(
    (globalThis as { process?: { env: Record<string, string> } }).process?.env.HOLDFAST_SEED ??
      Math.floor(Math.random() * 2 ** 31),
  );
  let state = seed;
  const next = (n: number): number => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % n;
  for (let round = 0; round < 2000; round++) {
    const want = Array.from({ length: 1 + next(4) }, (_, i): [
      string, string | undefined, Record<string, string>,
    ] => {
      if (next(4) === 0) return [`s${i}`, `t${next(99)}${"=".repeat(next(3))}`, {}];
      return [
        `s${i}`, undefined,
        Object.fromEntries(
          Array.from(
            { length: next(4) },
            (_, j) => [`p${j}`, ["", "a", "a b", 'q"u\\o', "x, y=z", "Basic a=b"][next(6)]!],
          ),
        ),
      ];
    });
    const field = want
      .map(([scheme, token68, params]) => {
        const list = Object.entries(params).map(([name, value]) => (/^[a-z]+$/.test(value) && next(2) ? `${name}=${value}` : `${name}="${value.replace(/["\\]/g, "\\$&")}"`));
        return `${scheme}${token68 === undefined ? "" : ` ${token68}`}${list.length > 0 ? ` ${list.join([", ", ",", " , "][next(3)])}` : ""}`;
      })
      .join([", ", ","][next(2)]);
    assert.deepEqual(plain(field), want, `seed ${seed}, round ${round}: ${field}`);
  }
});
