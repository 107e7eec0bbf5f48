// What servers write where the specification has nothing, or something else: null for an empty list or a
// member that is missing, a cursor where there is no other page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/host/choose/hosts.js";
import { FACT, OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { Origin } from "./bothhosts.js";
import { settled, until } from "./ready.js";

/** A client, and how to have its server answer what is asked with that. */
async function client(host: "page" | "loop" | "shared", facts: number) {
  const origin = new Origin(host);
  const mcp = await connect("https://mcp.example/mcp", origin.options);
  await until(() => mcp.state === "open");
  const integrity: string[] = [];
  mcp.on("integrity", ({ what }) => integrity.push(what));
  const { calls, port } = origin.core;
  port.state(`{"state":"open","revision":"r","initialize":{"capabilities":{}}}`, facts);
  const answered = async <T>(asked: Promise<T>, text: string): Promise<T> => {
    await settled();
    for (const { id } of calls.splice(0)) port.settle(id, OUTCOME.result, text);
    return asked;
  };
  return { mcp, answered, integrity };
}

test("Fault 519: a list that is null is empty, and a tool may have members that are null", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    for (const facts of [0, FACT.selfDescribing]) {
      const { mcp, answered, integrity } = await client(host, facts);
      assert.deepEqual(await answered(mcp.listTools(), `{"tools":null}`), { tools: [] });
      assert.deepEqual(await answered(mcp.listTools({ cursor: "c" }), `{"tools":null}`), { tools: [] });
      assert.deepEqual(await answered(mcp.listResources(), `{"resources":null}`), { resources: [] });
      assert.deepEqual(
        await answered(mcp.listResourceTemplates({ cursor: "c" }), `{"resourceTemplates":null}`),
        { resourceTemplates: [] },
      );
      assert.deepEqual(await answered(mcp.listPrompts(), `{"prompts":null,"nextCursor":null}`), {
        prompts: [],
      });
      const tool = {
        name: "t", title: null, inputSchema: { type: "object", properties: null }, outputSchema: null,
        annotations: null, execution: null,
      };
      const tools = [tool, { ...tool, name: "u", annotations: { readOnlyHint: null } }];
      assert.deepEqual(await answered(mcp.listTools(), JSON.stringify({ tools })), { tools }, host);
      assert.deepEqual(integrity, []);
      await mcp.close();
    }
  }
});

test("Fault 519: what is no tool is left out, and said; what is no list, or no result, is a protocol_error", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const { mcp, answered, integrity } = await client(host, 0);
    const good = { name: "t", inputSchema: { type: "object" } };
    for (const options of [{}, { cursor: "c" }]) {
      assert.deepEqual(
        await answered(mcp.listTools(options), JSON.stringify({ tools: [null, good, "x", {}, { name: 1 }] })),
        { tools: [good] },
      );
      await settled();
      assert.deepEqual(integrity.splice(0), Array(4).fill("invalid_tool"), host);
      const isTyped = (error: unknown): boolean => error instanceof HoldfastError &&
        error.code === "protocol_error";
      for (const text of [`null`, `1`, `"x"`, `[]`, `{}`, `{"tools":{}}`, `{"tools":"x"}`]) {
        await assert.rejects(answered(mcp.listTools(options), text), isTyped);
        await assert.rejects(answered(mcp.listPrompts(options), text), isTyped);
      }
      await assert.rejects(answered(mcp.readResource("test://a"), `null`), isTyped);
    }
    await mcp.close();
  }
});

test("Fault 668: a server that gives the same page for ever, or pages in a circle, has given its list", async () => {
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  for (const host of ["page", "loop", "shared"] as const) {
    const { mcp, answered, integrity } = await client(host, 0);
    const asked = async (...pages: object[]): Promise<string[]> => {
      const list = mcp.listTools();
      let over = false;
      void list.finally(() => (over = true)).catch(() => {});
      for (let n = 0; !over && n < 20; n++) {
        await answered(Promise.resolve(), JSON.stringify(pages[n % pages.length]));
        await settled();
      }
      assert.ok(over, "it asks for ever");
      return (await list).tools.map(({ name }) => name);
    };
    // It knows no cursors; it writes an empty one for none; two nodes that each have half of it.
    for (const nextCursor of ["c", ""])
      assert.deepEqual(await asked({ tools: [tool("a"), tool("b")], nextCursor }), ["a", "b"], host);
    assert.deepEqual(
      await asked({ tools: [tool("a")], nextCursor: "2" }, { tools: [tool("b")], nextCursor: "1" }),
      ["a", "b"], host,
    );
    assert.deepEqual(await asked({ tools: [], nextCursor: "c" }), []);
    await settled();
    assert.deepEqual(integrity.splice(0), Array(4).fill("repeated_page"), host);
    // One that has its place in the session gives the same cursor, and other pages.
    assert.deepEqual(
      await asked({ tools: [tool("a")], nextCursor: "more" }, { tools: [tool("b")], nextCursor: "more" }, {
        tools: [tool("c")],
      }),
      ["a", "b", "c"],
    );
    const nothing = { tools: [], nextCursor: "more" };
    assert.deepEqual(
      await asked(
        { tools: [tool("a")], nextCursor: "more" }, nothing, nothing, nothing, { tools: [tool("b")] },
      ),
      ["a", "b"], "one that filters",
    );
    assert.deepEqual(integrity, []);
    await mcp.close();
  }
});
