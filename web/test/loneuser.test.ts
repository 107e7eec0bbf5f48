// The page that an agent's client in a worker has to itself gives another user's token: the client goes on
// as that user's, and nothing of the one reaches the other meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../src/agent/agent.js";
import type { AgentSession } from "../src/agent/session.js";
import { coded, settled, somebody, tokenOf, Worker } from "./agentworker.js";

/** A worker whose core asks for tokens, and a page that takes its time to give them. */
async function slowPage(): Promise<{ worker: Worker; slow: Agent; session: AgentSession; first: string; second: string; ask(): void; give(token: string): void }> {
  const worker = new Worker();
  worker.asks = true;
  worker.stored = ["s1"];
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  let given: Promise<string> | undefined;
  let give!: (token: string) => void;
  const slow = await worker.page({ token: () => given ?? first });
  worker.core.port.token();
  await settled();
  const [session] = await slow.sessions();
  return {
    worker, slow, session: session!, first, second,
    ask: () => void (given ??= new Promise((resolve) => (give = resolve))), give: (token) => give(token),
  };
}

/** What has gone to the agent, by the names of the methods. */
const sent = (worker: Worker): string[][] => worker.cores.map(
  (core) => core.sent.map(({ method }) => method),
);

test("Fault 349: what the only page of a client wants while its token is asked for goes out as nobody, where that is of another user, until the client belongs to that user", async () => {
  const { worker, slow, session, second, ask, give } = await slowPage();
  try {
    const { core, tokens } = worker;
    let open!: () => void;
    tokens.open = () => new Promise((resolve) => (open = () => resolve({ journal: undefined, why: "" })));
    ask();
    core.port.token();
    await settled();
    const refused = assert.rejects(session.prompt("of the next user"), coded("closed"));
    const request = slow.request("x/y");
    await settled();
    give(second);
    await settled();
    assert.deepEqual([sent(worker), core.ended], [[[]], ["closeKeepingSession"]]);
    await refused;
    open();
    await settled();
    assert.deepEqual(sent(worker), [["x/y"]]); // by the client of the next user
    core.answer({ is: "answered" });
    assert.deepEqual(await request, { is: "answered" });
  } finally {
    worker.close();
  }
});

test("Fault 349: what a page wants in a session goes on in that one once its token is there, where that is of the same user", async () => {
  const { worker, session, first, ask, give } = await slowPage();
  try {
    ask();
    worker.core.port.token();
    await settled();
    session.prompt("of the same user").catch(() => {});
    await settled();
    assert.deepEqual(sent(worker), [[]]);
    give(first);
    await settled();
    assert.deepEqual([sent(worker), worker.core.ended], [[["session/prompt"]], []]);
  } finally {
    worker.close();
  }
});
