import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientAuth } from "../src/auth/clientauth.js";
import { NO_TRIALS, type Refusal, type Trials } from "../src/auth/refusal.js";
import { Authorization, type SharedSignIn } from "../src/signin/authorization.js";
import { HoldfastError } from "../src/shared/errors.js";

const URL_ = "https://mcp.example/mcp";

/** A sign-in that does what the test says, and notes what it is asked. */
class PlayedSignIn {
  state: ClientAuth["state"] = "signed-out";
  token: string | undefined;
  /** Why no token can be had. */
  missing: HoldfastError | undefined;
  /** What a person was asked for in vain. */
  failure: HoldfastError | undefined;
  /** What a person does: undefined where nobody is there yet. */
  person: ((trials: Trials) => Promise<Trials>) | undefined;
  asked: Refusal[] = [];
  user: string | undefined;
  readonly listeners: Set<() => void> = new Set();

  get shared(): Promise<SharedSignIn> {
    return Promise.resolve({ auth: this as unknown as ClientAuth, attended: true, listeners: this.listeners });
  }
  async headers(): Promise<unknown> {
    if (this.missing) throw this.missing;
    return this.token === undefined ? undefined : { token: this.token, principal: this.user, fields: [["authorization", `Bearer ${this.token}`]] };
  }
  noted(): boolean {
    return false;
  }
  async repaired({ status, headers }: Response, token: string | undefined, nonce: boolean): Promise<unknown> {
    if (status !== 401 && status !== 403) return undefined;
    if (headers.get("www-authenticate") === "refresh") {
      this.token = "refreshed";
      return { kind: "retry", trials: { ...NO_TRIALS, refreshes: 1 } };
    }
    return { kind: "more", refusal: { status, challenge: undefined, token, nonce } };
  }
  async refused(refusal: Refusal, trials: Trials = NO_TRIALS): Promise<Trials> {
    this.asked.push(refusal);
    return this.person!({ ...trials, signIns: trials.signIns + 1 });
  }
  async principal(): Promise<string | undefined> {
    return this.user;
  }
  /** Somebody signs in. */
  signedIn(user: string): void {
    [this.state, this.token, this.user] = ["signed-in", `at-${user}`, user];
    for (const listener of [...this.listeners]) listener();
  }
}

/** Answers requests one after the other, and notes what they carried. */
function server(...answers: Response[]): { sent: (string | null)[] } {
  const sent: (string | null)[] = [];
  globalThis.fetch = (async (request: Request) => {
    sent.push(request.headers.get("authorization"));
    return answers.shift()!;
  }) as typeof fetch;
  return { sent };
}

const make = (fields: readonly [string, string][]): Request => new Request(URL_, { method: "POST", headers: fields.map(([...pair]) => pair) });
const refusal = (status = 401, more = ""): Response => new Response(null, { status, headers: { "www-authenticate": more } });

function person(code: "sign_in_required" | "oauth_denied" | "unauthorized" | "network_error", retryable = false): HoldfastError {
  return new HoldfastError({ code, message: "no", retryable });
}

test("a request that a refresh helps is sent again at once, and the core hears of no refusal", async () => {
  const signIn = new PlayedSignIn();
  signIn.token = "old";
  const { sent } = server(refusal(401, "refresh"), new Response("{}"));
  const { status } = await new Authorization(URL_, signIn.shared).send("POST", URL_, make);
  assert.deepEqual([status, sent, signIn.asked], [200, ["Bearer old", "Bearer refreshed"], []]);
});

test("one that needs a person is refused once, and asks nobody before the core wants a token", async () => {
  for (const status of [401, 403]) {
    const signIn = new PlayedSignIn();
    const { sent } = server(refusal(status), new Response("{}"));
    const auth = new Authorization(URL_, signIn.shared);
    assert.equal((await auth.send("POST", URL_, make)).status, 401);
    assert.deepEqual(signIn.asked, []);
    signIn.person = async (trials) => {
      signIn.signedIn("ada");
      return trials;
    };
    assert.deepEqual(await auth.token(false), { ok: true, text: "signed-in", user: "ada" });
    assert.equal(signIn.asked[0]!.status, status);
    assert.equal((await auth.send("POST", URL_, make)).status, 200);
    assert.deepEqual(sent, [null, "Bearer at-ada"]);
    // What was refused before is no matter any more.
    assert.equal((await auth.token(false)).ok, true);
    assert.equal(signIn.asked.length, 1);
  }
});

test("where nobody signs in, calls wait until somebody does; a client that is not open yet fails", async () => {
  for (const code of ["sign_in_required", "oauth_denied"] as const) {
    const signIn = new PlayedSignIn();
    signIn.person = () => Promise.reject(person(code));
    server(refusal(), refusal());
    const auth = new Authorization(URL_, signIn.shared);
    await auth.send("POST", URL_, make);
    const opening = await auth.token(true);
    assert.deepEqual([opening.ok, opening.away, (opening.thrown as HoldfastError).code], [false, false, code]);
    await auth.send("POST", URL_, make);
    let answered = false;
    const waiting = auth.token(false).finally(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.equal(answered, false);
    assert.equal(signIn.asked.length, 2, "and nobody is asked again");
    signIn.person = async (trials) => trials;
    signIn.signedIn("ada"); // from a click, or in another tab
    assert.equal((await waiting).ok, true);
  }
});

test("a page that nobody sees opens no window, and goes on with what another tab has signed in for", async () => {
  for (const how of ["seen", "another tab"]) {
    const [signIn, page] = [new PlayedSignIn(), Object.assign(new EventTarget(), { visibilityState: "hidden" })];
    Object.assign(globalThis, { document: page });
    try {
      signIn.person = async (trials) => trials;
      server(refusal());
      const auth = new Authorization(URL_, signIn.shared);
      await auth.send("POST", URL_, make);
      const waiting = auth.token(false);
      await new Promise((resolve) => setTimeout(resolve, 0));
      assert.deepEqual(signIn.asked, []);
      if (how === "seen") {
        page.visibilityState = "visible";
        page.dispatchEvent(new Event("visibilitychange"));
      } else signIn.signedIn("ada");
      assert.equal((await waiting).ok, true);
      assert.equal(signIn.asked.length, 1); // in another tab's case it is answered by what is stored
    } finally {
      delete (globalThis as { document?: unknown }).document;
    }
  }
});

test("a server that refuses whatever it is given ends the call, and nothing waits", async () => {
  const signIn = new PlayedSignIn();
  signIn.person = () => Promise.reject(person("unauthorized"));
  server(refusal());
  const auth = new Authorization(URL_, signIn.shared);
  await auth.send("POST", URL_, make);
  const answer = await auth.token(false);
  assert.deepEqual([answer.ok, answer.away, (answer.thrown as HoldfastError).code], [false, false, "unauthorized"]);
});

test("a token that cannot be refreshed for want of the network: nothing leaves, and the core asks again", async () => {
  const signIn = new PlayedSignIn();
  const { sent } = server(new Response("{}"));
  signIn.missing = person("network_error", true);
  const auth = new Authorization(URL_, signIn.shared);
  assert.equal((await auth.send("POST", URL_, make)).status, 401);
  assert.deepEqual(sent, []);
  for (let n = 0; n < 3; n++) assert.equal((await auth.token(false)).away, true);
  signIn.missing = undefined;
  signIn.token = "fresh";
  assert.equal((await auth.token(false)).ok, true);
  assert.equal((await auth.send("POST", URL_, make)).status, 200);
});

test("a refused token that cannot be refreshed, since the authorization server is away: the request waits until it is back", async () => {
  const signIn = new PlayedSignIn();
  signIn.token = "refused";
  const { sent } = server(refusal(), new Response("{}"));
  const auth = new Authorization(URL_, signIn.shared);
  await auth.send("POST", URL_, make);
  signIn.person = () => Promise.reject(person("network_error", true));
  for (let n = 0; n < 5; n++) assert.equal((await auth.token(false)).away, true);
  signIn.person = async (trials) => {
    signIn.signedIn("ada");
    return trials;
  };
  assert.equal((await auth.token(false)).ok, true);
  await auth.send("POST", URL_, make);
  assert.deepEqual([sent, signIn.asked.length], [["Bearer refused", "Bearer at-ada"], 6]);
});

test("a sign-in that does not open says why, and keeps nobody's calls", async () => {
  const why = person("network_error");
  const shared = Promise.reject<SharedSignIn>(why);
  shared.catch(() => {});
  const auth = new Authorization(URL_, shared);
  assert.equal(await auth.principal(), undefined);
  assert.deepEqual([(await auth.token(true)).ok, (await auth.token(true)).thrown], [false, why]);
});

test("a refusal that the core took for an answer asks nobody later", async () => {
  const signIn = new PlayedSignIn();
  signIn.token = "at";
  server(refusal(), new Response("{}"));
  const auth = new Authorization(URL_, signIn.shared);
  await auth.send("DELETE", URL_, make);
  await auth.send("POST", URL_, make);
  assert.equal((await auth.token(false)).ok, true);
  assert.deepEqual(signIn.asked, []);
});

test("Fault 272: what the client of a user sends never has the token of somebody else who has signed in since", async () => {
  const signIn = new PlayedSignIn();
  signIn.signedIn("ada");
  const { sent } = server(new Response("{}"), new Response("{}"));
  const auth = new Authorization(URL_, signIn.shared);
  assert.equal((await auth.token(true)).user, "ada");
  assert.equal((await auth.send("POST", URL_, make)).status, 200);
  signIn.signedIn("eve"); // in another tab
  for (let n = 0; n < 2; n++) assert.equal((await auth.send("POST", URL_, make)).status, 401);
  assert.deepEqual(sent, ["Bearer at-ada"]);
  assert.deepEqual(await auth.token(false), { ok: true, text: "signed-in", user: "eve" }); // the core's client becomes another one
  assert.equal((await auth.send("POST", URL_, make)).status, 200);
  assert.deepEqual([sent, signIn.asked], [["Bearer at-ada", "Bearer at-eve"], []]);
  // A client that has joined another one has asked who the user is, and for no token.
  const joined = new Authorization(URL_, signIn.shared);
  assert.equal(await joined.principal(), "eve");
  signIn.signedIn("ada");
  assert.equal((await joined.send("POST", URL_, make)).status, 401);
});

test("Fault 273: after a no to more scopes the call waits for somebody who signs in, and asks nobody meanwhile", async () => {
  const signIn = new PlayedSignIn();
  signIn.signedIn("ada");
  const declined = person("oauth_denied");
  signIn.person = () => {
    assert.ok(signIn.asked.length < 10, "it goes round");
    signIn.failure = declined;
    return Promise.reject(declined);
  };
  server(refusal(403));
  const auth = new Authorization(URL_, signIn.shared);
  await auth.send("POST", URL_, make);
  const waiting = auth.token(false);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(signIn.asked.length, 1);
  signIn.person = async (trials) => trials;
  signIn.failure = undefined;
  signIn.signedIn("ada");
  assert.equal((await waiting).ok, true);
  // What fails before anybody is asked ends the call: it would fail again.
  signIn.person = () => Promise.reject(declined);
  server(refusal(403));
  await auth.send("POST", URL_, make);
  assert.equal((await auth.token(false)).thrown, declined);
});

test("Fault 273: a page that nobody sees asks nobody for more scopes, though somebody is signed in", async () => {
  const [signIn, page] = [new PlayedSignIn(), Object.assign(new EventTarget(), { visibilityState: "hidden" })];
  Object.assign(globalThis, { document: page });
  try {
    signIn.signedIn("ada");
    signIn.person = async (trials) => trials;
    server(refusal(403));
    const auth = new Authorization(URL_, signIn.shared);
    await auth.send("POST", URL_, make);
    const waiting = auth.token(false);
    signIn.signedIn("ada"); // the same token: no news for it
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(signIn.asked, []);
    page.visibilityState = "visible";
    page.dispatchEvent(new Event("visibilitychange"));
    assert.equal((await waiting).ok, true);
  } finally {
    delete (globalThis as { document?: unknown }).document;
  }
});
