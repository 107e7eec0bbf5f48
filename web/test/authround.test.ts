// Pages that go to the authorization server by themselves, and come back with nothing that helps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuthFailure } from "../src/auth/failure.js";
import { FLOW_TIME } from "../src/auth/flow.js";
import { roundsKey } from "../src/auth/rounds.js";
import type { Interaction } from "../src/auth/interaction.js";
import type { SignIn } from "../src/auth/signin.js";
import { grantKey } from "../src/auth/grants.js";
import { refusal, scene } from "./authscene.js";
import { KEY, SERVER } from "./authrig.js";
import { until } from "./ready.js";

const code = (error: unknown): string => (error as AuthFailure).fields.code;

/** A page that was loaded anew is refused; resolves with the error, or with undefined once it has left. */
async function leaves(
  signIn: SignIn, shown: readonly unknown[], token?: string,
): Promise<AuthFailure | undefined> {
  const before = shown.length;
  let failed: AuthFailure | undefined;
  signIn.refused(refusal(401, token)).catch((error: AuthFailure) => (failed = error));
  await until(() => failed !== undefined || shown.length > before);
  return failed;
}

test("Fault 372: a page that is sent back without an answer leaves by itself five times in a minute, and then from a click", async () => {
  const { tab, shown } = scene();
  for (let n = 1; n <= 5; n++) assert.equal(await leaves(tab("leaves").signIn, shown), undefined);
  const { signIn, states } = tab("leaves");
  const failed = await leaves(signIn, shown);
  assert.deepEqual(
    [failed && code(failed), shown.length, states], ["sign_in_required", 5, ["authorizing", "signed-out"]],
  );
  assert.ok(signIn.failure?.hint, "the app has a reason to show a button");
  await assert.rejects(
    signIn.refused(refusal(401, undefined)), (error) => code(error) === "sign_in_required",
  );
  void signIn.signIn().catch(() => {});
  await until(() => shown.length === 6);
  // Whoever comes back later is no round.
  const later = tab("leaves");
  later.hands.pass(61_000);
  assert.equal(await leaves(later.signIn, shown), undefined);
  assert.equal(shown.length, 7);
});

test("Fault 372: nor does a server that takes a token at first, and wants another one each time, send a page round and round", async () => {
  const { tab, shown, answer } = scene();
  for (let n = 1; n <= 6; n++) {
    const { signIn, hands } = tab("leaves");
    const grant = (await hands.store.get<{ access: { token: string } }>(grantKey(KEY)))?.value;
    const failed = await leaves(signIn, shown, grant?.access.token);
    if (n === 6) {
      assert.equal(failed && code(failed), "sign_in_required");
      assert.equal(shown.length, 5);
      return;
    }
    assert.equal(failed, undefined);
    await answer(signIn);
    await signIn.passed(`at${n}`);
    const kept = await hands.store.get<object>(grantKey(KEY));
    const { refreshToken: _, ...spent } = kept!.value as { refreshToken?: string };
    await hands.store.set(grantKey(KEY), kept!.version, spent);
  }
});

test("Fault 372: tabs that open windows are counted by nobody, and a sign-out leaves no trace of the rounds", async () => {
  const { tab, shown } = scene();
  for (let n = 1; n <= 8; n++) assert.equal(await leaves(tab().signIn, shown), undefined);
  const { signIn, hands } = tab("leaves");
  assert.equal(await leaves(signIn, shown), undefined);
  assert.equal((await hands.store.keys("round/")).length, 1);
  await signIn.signOut();
  assert.deepEqual((await hands.store.keys("")).filter((key) => !key.startsWith("client/")), []);
});

/**
 * A worker that outlives its pages: each is back with nothing, and another one is asked to leave; not without
 * end.
 */
const asksTheNext = (left: readonly unknown[]) => (): Interaction => ({
  leaves: true,
  show: () => ({
    kind: "waiting", closed: left.length > 9 ? new Promise<void>(() => {}) : Promise.resolve("lost" as const),
  }),
});

test("Fault 719: a flow that outlives the pages that leave for it counts each of them, and a click is for one more", async () => {
  const { tab, shown, check } = scene();
  const { signIn } = tab(asksTheNext(shown));
  await assert.rejects(
    signIn.refused(refusal(401, undefined)), (error) => code(error) === "sign_in_required",
  );
  assert.deepEqual(
    [shown.length, new Set(shown.map(({ record }) => record.state)).size, signIn.failure?.code, signIn.state],
    [5, 1, "sign_in_required", "signed-out"],
  );
  await assert.rejects(signIn.signIn(), (error) => code(error) === "sign_in_required");
  assert.equal(shown.length, 6);
  // Those of another host, and of another build, are the same rounds.
  const other = tab("leaves");
  assert.equal(code(await leaves(other.signIn, shown)), "sign_in_required");
  assert.equal(shown.length, 6);
  check();
});

test("Fault 719: windows that nobody can see any more are shown again, and counted by nobody", async () => {
  const { tab, shown, answer } = scene();
  let n = 0;
  const { signIn } = tab(
    () => ({
      show: () => ({
        kind: "waiting", closed: ++n > 7 ? new Promise<void>(() => {}) : Promise.resolve("lost" as const),
      }),
    }),
  );
  const waits = signIn.refused(refusal(401, undefined));
  await until(() => shown.length === 8);
  await answer(signIn);
  await waits;
});

test("Fault 719: Back ends the flow that a page has left for last, in the page that is loaded anew and in a worker, until a click", async () => {
  for (const where of ["page", "worker"]) {
    const { tab, shown, check } = scene();
    const first = tab("leaves");
    const waits = first.signIn.refused(refusal(401, undefined)).catch((error: AuthFailure) => error);
    await until(() => shown.length === 1);
    const { signIn } = where === "worker" ? first : tab("leaves");
    await signIn.wentBack();
    if (where === "worker") assert.equal(code(await waits), "sign_in_required");
    assert.deepEqual([signIn.state, signIn.failure?.code], ["signed-out", "sign_in_required"]);
    await assert.rejects(
      signIn.refused(refusal(401, undefined)), (error) => code(error) === "sign_in_required",
    );
    assert.equal(shown.length, 1);
    void signIn.signIn().catch(() => {});
    await until(() => shown.length === 2);
    check();
  }
});

test("Fault 719: Back ends no flow that is over, has its answer or opens a window, nor one that was never left for", async () => {
  for (
    const why of ["over", "answered", "another one answered", "a window", "nobody has left", "signed out"]
  ) {
    const { tab, shown, answer } = scene();
    const [first, other, next] = [tab("leaves"), tab("leaves"), tab(why !== "a window" && "leaves")];
    if (why !== "nobody has left") assert.equal(await leaves(first.signIn, shown), undefined);
    if (why === "another one answered") {
      // Two tabs are away, and the first one's answer comes.
      assert.equal(await leaves(other.signIn, shown), undefined);
      shown.reverse();
    }
    if (why.includes("answered")) await answer(first.signIn);
    if (why === "signed out") await first.signIn.signOut();
    if (why === "over") next.hands.pass(FLOW_TIME + 1);
    await next.signIn.reread();
    await next.signIn.wentBack();
    assert.equal(next.signIn.failure, undefined, why);
  }
});

test("Fault 719: what an earlier build has kept of rounds keeps nobody from signing in", async () => {
  const { tab, shown } = scene();
  const { signIn, hands } = tab("leaves");
  await hands.store.set(roundsKey(KEY), 0, [hands.now()]);
  await signIn.wentBack();
  assert.equal(await leaves(signIn, shown), undefined);
});
