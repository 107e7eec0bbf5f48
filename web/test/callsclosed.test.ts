import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../src/agent/agent.js";
import type { McpClient } from "../src/client/client.js";
import { connect } from "../src/host/choose/hosts.js";
import { AgentRig } from "./agentrig.js";
import { started } from "./agentworker.js";
import { Origin } from "./bothhosts.js";
import { until } from "./ready.js";

const HOSTS = ["page", "loop", "shared"] as const;
const ENDS: ((client: McpClient) => Promise<void>)[] =
  [(client) => client.close(), (client) => client.forget()];

test("Fault 676: a client that is closed has no calls, from the moment in which it is asked to, in either host", { timeout: 10_000 }, async () => {
  for (const host of HOSTS) {
    for (const end of ENDS) {
      const origin = new Origin(host);
      const client = await connect("https://mcp.example/mcp", { ...origin.options, principal: "ada" });
      const call = client.callTool("count", { n: 1 }, { key: "k" });
      call.result.catch(() => {});
      await until(() => origin.core.calls.length === 1);
      assert.equal((await client.calls()).length, 1);
      const asked = client.calls(); // on its way as the client is closed
      const ended = end(client);
      assert.deepEqual(await client.calls(), []);
      assert.ok((await asked).length <= 1);
      await ended;
      assert.deepEqual(await client.calls(), []);
    }
  }
});

test("Fault 676: calls that are asked for while the worker is replaced are none where the client is closed meanwhile", { timeout: 10_000 }, async () => {
  const origin = new Origin("shared");
  const client = await connect("https://mcp.example/mcp", { ...origin.options, principal: "ada" });
  const states: string[] = [];
  client.on("state", ({ state }) => states.push(state));
  origin.kill(true);
  await until(() => states.includes("reconnecting"));
  const asked = client.calls();
  await client.close();
  assert.deepEqual(await asked, []);
});

/** An agent with a session in that host, and what ends the worker. */
async function agentIn(host: "page" | "loop" | "shared"): Promise<[Agent, () => void]> {
  if (host === "shared") {
    const { worker, agent } = await started();
    return [agent, () => worker.close()];
  }
  const rig = new AgentRig();
  await rig.open();
  rig.recall(1, "s1");
  return [rig.agent, () => {}];
}

test("Fault 676: an agent that is closed has no sessions, from the moment in which it is asked to, in either host", { timeout: 10_000 }, async () => {
  for (const host of HOSTS) {
    const [agent, end] = await agentIn(host);
    try {
      assert.equal((await agent.sessions()).length, 1);
      const closed = agent.close({ terminate: true });
      assert.deepEqual(await agent.sessions(), []);
      assert.equal(await agent.stored(), null);
      await closed;
      assert.deepEqual(await agent.sessions(), []);
      assert.equal(await agent.stored(), null);
    } finally {
      end();
    }
  }
});
