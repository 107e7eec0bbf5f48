import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentClient } from "../src/agent/agentclient.js";
import { AgentRequests } from "../src/host/agentrequests.js";
import type { HostMessage } from "../src/host/protocol.js";
import { WaitingMessages } from "../src/host/waitingmessages.js";
import { ready } from "./ready.js";

test("Fault 467: what an agent has answered a page that took nothing goes to no other user of that page", async () => {
  let takes = false;
  const cases: [string, (requests: AgentRequests) => void, boolean, string][] = [
    ["the user is another one", () => {}, true, "closed"],
    ["the app closes its client", () => {}, false, ""],
    ["the page has taken some, and not this", (requests) => requests.resume(), true, "closed"],
    ["the page has taken it", (requests) => ((takes = true), requests.resume()), true, ""],
  ];
  for (const [name, before, isOthers, code] of cases) {
    takes = false;
    const waiting = new WaitingMessages();
    const page = { get takes() { return takes; }, send: (message: HostMessage) => void waiting.add(message, []), takeBack: (...all: Parameters<WaitingMessages["takeBack"]>) => waiting.takeBack(...all) };
    const requests = new AgentRequests(page);
    const client = {
      request: async (_: number, __: string, ___: object, ____: AbortSignal, answered: (value: unknown) => void) => {
        answered({ mark: "of ada" });
        return { mark: "of ada" };
      },
    } as unknown as AgentClient;
    waiting.add({ t: "answered", ask: 8, value: "of another client" }, []);
    requests.make({ t: "request", client: 2, ask: 4, session: 3, method: "session/prompt", params: "{}", notifies: false }, undefined, () => ({ client, handle: 1 }));
    await ready();
    before(requests);
    requests.end("the token provider gave a token of another user", isOthers);
    const [other, answer, ...more] = waiting.take().map(([message]) => message as Extract<HostMessage, { t: "answered" }>);
    assert.deepEqual([other!.value, answer!.ask, answer!.value, answer!.error?.code ?? "", more], ["of another client", 4, code === "" ? { mark: "of ada" } : undefined, code, []], name);
  }
});
