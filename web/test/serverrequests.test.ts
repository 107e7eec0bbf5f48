import assert from "node:assert/strict";
import { test } from "node:test";

import { ServerRequests } from "../src/input/serverrequests.js";
import type { Runtime } from "../src/runtime/runtime.js";

test("Fault 582: a question that the server cancels is answered by nobody from then on, and its form closes", async () => {
  const said: unknown[][] = [];
  const runtime = { respond: (...what: unknown[]) => void said.push(what) } as unknown as Runtime;
  const closed: string[] = [];
  const requests = new ServerRequests({ runtime, handle: 3 }, {
    elicitation: ({ message }, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          closed.push(message);
          resolve({ action: "cancel" });
        });
      }),
  }, "s");
  const ask = (request: number, id: string): Promise<void> =>
    requests.answer(
      request,
      `{"id":${id},"method":"elicitation/create","params":{"message":"${request}","requestedSchema":{}}}`,
    );
  const asked = [ask(5, "7"), ask(6, `"7"`)];
  await Promise.resolve();
  requests.cancelled({ requestId: 8 });
  requests.cancelled(undefined);
  assert.deepEqual([closed, said], [[], []], "of another question");

  requests.cancelled({ requestId: 7 });
  requests.cancelled({ requestId: 7 }); // twice
  assert.deepEqual(said, [[3, 5, false, ""]], "at once, and whatever the handler does");
  await asked[0];
  assert.deepEqual(closed, ["5"]);
  assert.deepEqual(said, [[3, 5, false, ""]], "what the handler gives then goes nowhere");

  requests.cancelled({ requestId: "7" });
  await asked[1];
  assert.deepEqual(said, [[3, 5, false, ""], [3, 6, false, ""]]);
});
