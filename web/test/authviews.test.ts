import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientAuth } from "../src/auth/clientauth.js";
import type { Refusal, Trials } from "../src/auth/refusal.js";
import { NO_TRIALS } from "../src/auth/refusal.js";
import type { Auth } from "../src/connect/useroptions.js";
import { UserStores } from "../src/connect/userstores.js";
import { NewestTokens, type View, Views } from "../src/connect/views.js";
import { Authorization, type SharedSignIn } from "../src/signin/authorization.js";
import { tasks } from "./ready.js";

const URL_ = "https://mcp.example/mcp";

/** A client of a worker whose server refuses everybody, until somebody signs in; and its pages. */
function refusing() {
  const asked: (readonly [Refusal, Trials])[] = [];
  const waiting: (() => void)[] = [];
  const auth = {
    state: "authorizing",
    headers: async () => undefined,
    noted: () => false,
    repaired: async ({ status }: Response) => (status === 401 ? { kind: "more", refusal: { status, challenge: undefined, token: undefined, nonce: false } } : undefined),
    refused: (refusal: Refusal, trials: Trials = NO_TRIALS) => {
      asked.push([refusal, trials]);
      return new Promise((resolve) => waiting.push(() => resolve({ ...trials, signIns: trials.signIns + 1 })));
    },
    principal: async () => undefined,
  } as unknown as ClientAuth;
  const shared: SharedSignIn = { auth, attended: true, listeners: new Set() };
  const views = new Views();
  const join = (): (() => void) => {
    const over = new AbortController();
    const of = { authorize: (url: string) => new Authorization(url, async () => shared) } as unknown as Auth;
    const view: View = { handlers: {}, stores: new UserStores({ auth: of }, false, { of: async () => "", former: async () => [] }, URL_), over: over.signal, leaves() {} };
    views.add(view);
    return () => {
      views.remove(view);
      over.abort();
    };
  };
  return { tokens: new NewestTokens(views, () => {}), join, asked, signIn: () => waiting.splice(0).forEach((go) => go()) };
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
