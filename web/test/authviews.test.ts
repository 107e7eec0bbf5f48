import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientAuth } from "../src/auth/clientauth.js";
import type { AuthFailure } from "../src/auth/failure.js";
import type { Refusal, Trials } from "../src/auth/refusal.js";
import { NO_TRIALS } from "../src/auth/refusal.js";
import type { Auth } from "../src/connect/useroptions.js";
import { UserStores } from "../src/connect/userstores.js";
import { NewestTokens, type View, Views } from "../src/connect/views.js";
import { Authorization, type WatchedSignIn } from "../src/auth/authorization.js";
import { ISSUER, json, SERVER } from "./authrig.js";
import { refusal, scene } from "./authscene.js";
import { tasks, until } from "./ready.js";

const URL_ = "https://mcp.example/mcp";

/** A client of a worker whose server refuses everybody, until somebody signs in; and its pages. */
function refusing() {
  const asked: (readonly [Refusal, Trials])[] = [];
  const waiting: (() => void)[] = [];
  const auth = {
    state: "authorizing",
    headers: async () => undefined,
    noted: () => undefined,
    repaired: async ({ status }: Response) => (
      status === 401
        ? { kind: "more", refusal: { status, challenge: undefined, token: undefined, nonce: false } }
        : undefined
    ),
    refused: (refusal: Refusal, trials: Trials = NO_TRIALS) => {
      asked.push([refusal, trials]);
      return new Promise(
        (resolve) => waiting.push(() => resolve({ ...trials, signIns: trials.signIns + 1 })),
      );
    },
    principal: async () => undefined,
  } as unknown as ClientAuth;
  const shared: WatchedSignIn = { auth, attended: true, listeners: new Set() };
  const views = new Views();
  const join = (): (() => void) => {
    const over = new AbortController();
    const of = { authorize: (url: string) => new Authorization(url, async () => shared) } as unknown as Auth;
    const view: View = {
      handlers: {}, stores: new UserStores({ auth: of }, false, { of: async () => "" }, URL_),
      over: over.signal, leaves() {},
    };
    views.add(view);
    return () => {
      views.remove(view);
      over.abort();
    };
  };
  return {
    tokens: new NewestTokens(views, () => {}), join, asked,
    signIn: () => waiting.splice(0).forEach((go) => go()),
  };
}

test("Fault 405: a page that goes while somebody signs in leaves the wait to the next one: nothing is sent again before somebody has", async () => {
  for (const when of ["after the refusal", "before it"]) {
    const { tokens, join, asked, signIn } = refusing();
    let leave = join();
    let answer: (response: Response) => void = () => {};
    const sending = tokens.sender!.send("POST", URL_, () => new Promise((resolve) => (answer = resolve)));
    await tasks(3);
    if (when === "before it") join(); // it is the newest by then
    answer(new Response(null, { status: 401 }));
    assert.equal((await sending).status, 401);
    let has: boolean | undefined;
    void tokens.token().then(({ ok }) => (has = ok));
    for (let reloads = 0; reloads < 4; reloads++) {
      await tasks(5);
      assert.deepEqual([has, asked.at(-1)?.[1]], [undefined, NO_TRIALS], `${when}, ${reloads} reloads`);
      const next = join();
      leave();
      leave = next;
    }
    await tasks(5);
    signIn();
    await tasks(5);
    assert.equal(has, true, when);
    has = undefined;
    void tokens.token().then(({ ok }) => (has = ok)); // nothing was refused since: it is there at once
    await tasks(5);
    assert.equal(has, true, when);
  }
});

test("Fault 536: a page that nobody sees, and that waits for a sign-in, is sent nowhere by a sign-out in another tab", async () => {
  const { tab, shown, answer } = scene({}, {
    [`POST ${ISSUER}/token`]: () => json({ access_token: `at${shown.length}`, token_type: "Bearer" }),
  });
  const [{ signIn }, { signIn: other }] = [tab("leaves"), tab()];
  const first = other.signIn();
  await until(() => shown.length === 1);
  await answer(other);
  await first;
  const listeners = new Set<() => void>();
  let isSeen = false;
  const changed = (): void => [...listeners].forEach((listener) => listener());
  signIn.onchange = changed;
  const hidden = new Authorization(
    SERVER,
    async () => ({ auth: signIn as unknown as ClientAuth, attended: true, listeners, isSeen: () => isSeen }),
  );
  await hidden.principal();
  // The server has taken it so far, and takes it no more.
  for (const status of [200, 401])
    await hidden.send("POST", SERVER, async () => new Response(null, { status }));
  let answered: unknown;
  const waits = hidden.token(false).then((one) => (answered = one));
  await tasks(20);
  await other.signOut();
  await signIn.reread();
  await tasks(20);
  assert.deepEqual([shown.length, answered], [1, undefined]);
  // Somebody looks at it.
  isSeen = true;
  changed();
  await until(() => shown.length === 2);
  await answer(signIn);
  await waits;
  assert.equal((answered as { ok: boolean }).ok, true);
});

test("Fault 539: a page that nobody sees goes on with the token that another tab was given once more, and asks nobody", async () => {
  const { tab, shown, answer } = scene({}, {
    [`POST ${ISSUER}/token`]: () => json({ access_token: "same", token_type: "Bearer" }),
  });
  const [{ signIn }, { signIn: other }] = [tab(), tab()];
  const first = other.signIn();
  await until(() => shown.length === 1);
  await answer(other);
  await first;
  const listeners = new Set<() => void>();
  signIn.onchange = () => [...listeners].forEach((listener) => listener());
  const hidden = new Authorization(
    SERVER,
    async () => ({ auth: signIn as unknown as ClientAuth, attended: true, listeners, isSeen: () => false }),
  );
  await hidden.principal();
  const more = 'Bearer error="insufficient_scope", scope="admin"';
  await hidden.send(
    "POST", SERVER, async () => new Response(null, { status: 403, headers: { "www-authenticate": more } }),
  );
  let answered: unknown;
  void hidden.token(false).then((one) => (answered = one));
  await tasks(20);
  assert.equal(answered, undefined);
  const step = other.refused({
    ...refusal(403, "same", more), cameBy: (await other.headers("POST", SERVER))!.cameBy,
  });
  await until(() => shown.length === 2);
  await answer(other);
  await step;
  await until(() => answered !== undefined);
  assert.deepEqual([(answered as { ok: boolean }).ok, shown.length], [true, 2]);
});

test("Fault 514: a server that refuses for good what somebody gets again and again has them asked once", async () => {
  for (const isLoadedAgain of [false, true]) {
    const { tab, shown, answer } = scene({}, {
      [`POST ${ISSUER}/token`]: () => json({ access_token: "same", token_type: "Bearer" }),
    });
    const { signIn } = tab();
    const first = signIn.signIn();
    await until(() => shown.length === 1);
    await answer(signIn);
    await first;
    const shared: WatchedSignIn = {
      auth: signIn as unknown as ClientAuth, attended: true, listeners: new Set(), isSeen: () => true,
    };
    let client = new Authorization(SERVER, async () => shared);
    await client.principal();
    await client.send("POST", SERVER, async () => new Response(null)); // it has taken it so far
    const refused = async (): Promise<{ ok: boolean; thrown?: unknown }> => {
      await client.send("POST", SERVER, async () => new Response(null, { status: 401 }));
      return client.token(false);
    };
    const waits = refused();
    await until(() => shown.length === 2);
    await answer(signIn);
    assert.equal((await waits).ok, true);
    if (isLoadedAgain) client = new Authorization(SERVER, async () => shared); // a page, whose worker goes on
    let ended: unknown;
    void refused().then(({ thrown }) => (ended = (thrown as AuthFailure).fields.code));
    await until(() => ended !== undefined || shown.length > 2);
    assert.deepEqual([ended, shown.length], ["unauthorized", 2]);
  }
});
