import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentViewer } from "../src/agent/agentbackend.js";
import type { HostLink } from "../src/host/page/hostlink.js";
import { RemoteAgent } from "../src/host/page/remoteagent.js";
import type { HoldfastError } from "../src/base/errors.js";
import { FakeLink } from "./hostrig.js";
import { ready } from "./ready.js";

const code = (error: unknown): string => (error as HoldfastError).code;

/** An agent's client over these links, one after the other. */
function agentOver(...links: FakeLink[]): RemoteAgent {
  const link = async (): Promise<HostLink> => links.shift()!.link;
  const agent = new RemoteAgent({
    kind: "shared", url: "http://x/acp", options: {}, handlers: {}, token: undefined, link,
  });
  agent.bind({ end() {}, withdraw() {} } as unknown as AgentViewer);
  return agent;
}

/** The token of another user has come to the worker, which has not the client any more. */
function left(link: FakeLink): void {
  link.tell({ t: "ended", client: 2, again: true });
}

test("Fault 252: a token of another user that comes while an agent connects in a worker has it opened once more, and connectAgent resolves", async () => {
  const [first, second, third] = [new FakeLink(false), new FakeLink(false), new FakeLink(false)];
  const agent = agentOver(first, second, third);
  const states: string[] = [];
  agent.listeners.add("state", ({ state }) => states.push(state));
  let end = "opens";
  const opening = agent.open(undefined).then(() => (end = "open"), (error: unknown) => (end = code(error)));
  for (const [here, next] of [[first, second], [second, third]] as const) {
    await ready();
    left(here);
    await ready();
    assert.deepEqual([here.clients.size, next.kinds, end], [0, ["agent"], "opens"]);
  }
  third.open();
  await opening;
  assert.deepEqual([end, states], ["open", []]);
});

test("Fault 252: an agent that its app gives up, or closes, is not opened again for the token of another user", async () => {
  const [first, second] = [new FakeLink(false), new FakeLink(true)];
  const signal = new AbortController();
  const agent = agentOver(first, second);
  const opening = agent.open(signal.signal);
  await ready();
  signal.abort();
  left(first);
  first.answer(undefined);
  await assert.rejects(opening, (error) => code(error) === "cancelled");
  await ready();
  assert.deepEqual([agent.state, second.kinds], ["closed", []]);

  const [open, next] = [new FakeLink(true), new FakeLink(true)];
  const other = agentOver(open, next);
  await other.open(undefined);
  const closing = other.close();
  left(open);
  open.answer(undefined);
  await closing;
  await ready();
  assert.deepEqual([other.state, next.kinds], ["closed", []]);
});

test("Fault 252: while a client opens in another worker a further user may come", async () => {
  const [first, second, third] = [new FakeLink(true), new FakeLink(false), new FakeLink(true)];
  const agent = agentOver(first, second, third);
  await agent.open(undefined);
  left(first);
  await ready();
  left(second);
  await ready();
  assert.deepEqual([agent.state, second.kinds, third.kinds.slice(0, 1)], ["open", ["agent"], ["agent"]]);
});
