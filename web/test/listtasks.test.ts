import { Backlog } from "../src/base/backlog.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { CoreCall } from "../src/client/corecall.js";
import { CoreClient } from "../src/client/coreclient.js";
import { HoldfastError } from "../src/base/errors.js";
import type { Open, ServerCapabilities } from "../src/base/mcp.js";
import { callDefaults } from "../src/client/options.js";
import type { Runtime } from "../src/runtime/runtime.js";

/** A client whose server lists tasks on these pages; `asked` has the params of each request. */
function listing(tasks: ServerCapabilities["tasks"], pages: Open[]) {
  const asked: unknown[] = [];
  class Listing extends CoreClient {
    override get capabilities(): ServerCapabilities {
      return { ...(tasks && { tasks }) };
    }
    override request<T>(method: string, params?: Open): CoreCall<T> {
      asked.push([method, params]);
      const call = new CoreCall<T>(method, new Backlog(1));
      call.settle(1, JSON.stringify(pages[asked.length - 1]));
      return call;
    }
  }
  const runtime = {} as Runtime;
  const mcp = new Listing(
    runtime, "http://localhost/mcp", new Backlog(1), {}, { policy: false },
    { journal: undefined, defaults: callDefaults("test", {}) },
  );
  return { mcp, asked };
}

const task = (taskId: string): Open => ({
  taskId, status: "working", createdAt: "x", lastUpdatedAt: "x", ttl: null,
});

test("all pages of the tasks are joined, and one is had by its cursor", async () => {
  const pages = [{ tasks: [task("a"), task("b")], nextCursor: "" }, { tasks: [task("c")], _meta: { x: 1 } }];
  const { mcp, asked } = listing({ list: {} }, pages);
  const all = await mcp.listTasks();
  assert.deepEqual(all.tasks.map(({ taskId }) => taskId), ["a", "b", "c"]);
  assert.deepEqual(all["_meta"], { x: 1 });
  assert.deepEqual(asked, [["tasks/list", undefined], ["tasks/list", { cursor: "" }]]);
  const one = listing({ list: {} }, pages);
  assert.equal((await one.mcp.listTasks({ cursor: "2" })).nextCursor, "");
  assert.deepEqual(one.asked, [["tasks/list", { cursor: "2" }]]);
});

test("a server that says nothing of a list is not asked", async () => {
  for (const tasks of [undefined, { requests: {} }, { cancel: {} }]) {
    const { mcp, asked } = listing(tasks, []);
    await assert.rejects(
      mcp.listTasks(),
      (e) => e instanceof HoldfastError && e.code === "unsupported" && /tasks\.list/.test(e.message),
    );
    assert.deepEqual(asked, []);
  }
});

test("a list that has no end, and one that is none", async () => {
  const endless = Array.from({ length: 1001 }, (_, n) => ({ tasks: [task(`${n}`)], nextCursor: "again" }));
  await assert.rejects(
    listing({ list: {} }, endless).mcp.listTasks(),
    (e) => e instanceof HoldfastError && e.code === "limit_exceeded",
  );
  await assert.rejects(
    listing({ list: {} }, [{ tasks: {} }]).mcp.listTasks(),
    (e) => e instanceof HoldfastError && e.code === "protocol_error",
  );
});

test("Fault 643: a page of the tasks that is null is empty, and one that is none is a protocol_error, by its cursor as well", async () => {
  for (const options of [{}, { cursor: "c" }]) {
    assert.deepEqual(
      await listing({ list: {} }, [{ tasks: null }] as unknown as Open[]).mcp.listTasks(options),
      { tasks: [] },
    );
    for (const page of [{}, { tasks: "x" }, null]) {
      await assert.rejects(
        listing({ list: {} }, [page as Open]).mcp.listTasks(options),
        (e) => e instanceof HoldfastError && e.code === "protocol_error",
      );
    }
  }
});
