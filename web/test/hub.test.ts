import assert from "node:assert/strict";
import { test } from "node:test";
import { Call } from "../src/client/call.js";
import type { McpClient } from "../src/client/client.js";
import { CLIENT_EVENTS, type ClientEvents } from "../src/client/clientevents.js";
import { hub } from "../packages/hub/hub.js";
import { Backlog } from "../src/base/backlog.js";
import { HoldfastError } from "../src/base/errors.js";
import { checkListener, Listeners } from "../src/base/listeners.js";
import { ready } from "./ready.js";

/** A client with tools of these names. */
class Client {
  readonly listeners: Listeners<ClientEvents> = new Listeners();
  readonly called: string[] = [];
  kept: Call[] = [];
  names: string[];
  failure: Error | undefined;
  constructor(...names: string[]) {
    this.names = names;
  }
  async listTools(): Promise<object> {
    if (this.failure) throw this.failure;
    return { tools: this.names.map((name) => ({ name, inputSchema: {} })) };
  }
  callTool(tool: string | { name: string }, args?: object): Call {
    this.called.push(JSON.stringify([tool, args]));
    return new Call("tools/call", new Backlog());
  }
  async calls(): Promise<Call[]> {
    return this.kept;
  }
  on<E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void): () => void {
    checkListener(CLIENT_EVENTS, event, listener);
    return this.listeners.add(event, listener);
  }
  get as(): McpClient {
    return this as unknown as McpClient;
  }
}

const bad = (word: string) => (error: unknown): boolean => error instanceof HoldfastError &&
  error.code === "bad_argument" && error.message.includes(word);
const named = async (all: ReturnType<typeof hub>): Promise<string[]> => (await all.listTools()).tools.map(
  ({ name, server, toolName }) => `${name}=${server}.${toolName}`,
);

test("Fault 394: no two tools have one name, whatever servers, prefixes and tools are called, and each page gives the same", async () => {
  const [a, ab, bare, other] = [
    new Client("b_c", "x"), new Client("c"), new Client("a_b_c", "x", "x"), new Client("x"),
  ];
  const make = (): ReturnType<typeof hub> =>
    hub([
      { name: "a", client: a.as },
      { name: "a_b", client: ab.as },
      { name: "bare", client: bare.as, prefix: false },
      { name: "other", client: other.as, prefix: "o-", filter: ({ name }) => name === "x" },
    ]);
  const all = make();
  const names = await named(all);
  assert.deepEqual(
    names,
    [
      "a_b_c=a.b_c", "a_x=a.x", "a_b_c_2=a_b.c", "bare_a_b_c=bare.a_b_c", "x=bare.x", "bare_x=bare.x",
      "o-x=other.x",
    ],
  );
  assert.deepEqual(await named(make()), names);
  assert.deepEqual(await named(all), names, "and so does the next list");
  all.callTool("a_b_c_2", { n: 1 });
  all.callTool({ name: "o-x", arguments: { n: 2 } });
  assert.deepEqual(
    [ab.called, other.called], [['["c",{"n":1}]'], ['[{"name":"x","arguments":{"n":2}},null]']],
  );
});

test("a server that is away keeps the others from nothing, and its tools their names", async () => {
  const [one, two] = [new Client("x"), new Client("x")];
  const all = hub([{ name: "one", client: one.as }, { name: "two", client: two.as }]);
  await all.listTools();
  one.failure = new HoldfastError({ code: "network_error", message: "away" });
  const { tools, failed } = await all.listTools();
  assert.deepEqual(tools.map(({ name }) => name), ["two_x"]);
  assert.deepEqual(failed.map(({ server, error }) => [server, error.code]), [["one", "network_error"]]);
  all.callTool("one_x"); // which may wait for its network
  assert.equal(one.called.length, 1);
  two.failure = one.failure;
  await assert.rejects(all.listTools(), (error) => (error as HoldfastError).code === "network_error");
});

test("a page that has listed nothing yet calls by the prefix, where it is one server's alone", () => {
  const [a, ab] = [new Client(), new Client()];
  const all = hub([{ name: "a", client: a.as }, { name: "a_b", client: ab.as }]);
  all.callTool("a_x", {});
  assert.deepEqual(a.called, ['["x",{}]']);
  assert.throws(() => all.callTool("a_b_c"), bad("more than one server"));
  assert.throws(() => all.callTool("x"), bad("no server's prefix"));
  assert.throws(() => all.callTool("a_"), bad("no server's prefix"));
  assert.throws(() => all.callTool(undefined as never), bad("name"));
});

test("one list of calls, in the order of their making, and each knows its server", async () => {
  const [one, two] = [new Client(), new Client()];
  const call = (createdAt: number): Call => new Call("tools/call", new Backlog(), false, "{}", { createdAt });
  one.kept = [call(1), call(3)];
  two.kept = [call(2)];
  const all = hub([{ name: "one", client: one.as }, { name: "two", client: two.as }]);
  const calls = await all.calls();
  assert.deepEqual(
    calls.map((each) => [each.createdAt, all.serverOf(each)]), [[1, "one"], [2, "two"], [3, "one"]],
  );
  assert.equal(all.serverOf(call(4)), undefined);
  assert.equal(all.serverOf(all.callTool("two_x")), "two");
});

test("events say of which server they are, also of one that comes later, and none of one that has gone", async () => {
  const told = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  const [one, two] = [new Client("x"), new Client("x")];
  const all = hub([{ name: "one", client: one.as }]);
  const heard: string[] = [];
  const stop = all.on("changed", ({ server, what }) => heard.push(`${server} ${what}`));
  one.listeners.emit("changed", { what: "prompts" });
  await told();
  all.add({ name: "two", client: two.as });
  two.listeners.emit("changed", { what: "tools" });
  await told();
  all.remove("one");
  one.listeners.emit("changed", { what: "tools" });
  await told();
  assert.deepEqual(heard, ["one prompts", "two tools", "two tools", "one tools"]);
  assert.throws(() => all.callTool("one_x"), bad("no server's prefix"));
  stop();
  two.listeners.emit("changed", { what: "tools" });
  await told();
  assert.equal(heard.length, 4);
  assert.throws(() => all.on("chagned" as never, () => {}), bad("event has to be"));
});

test("what is no server is named", () => {
  const client = new Client().as;
  for (const [servers, word] of [
    [{ name: "a", client }, "servers has to be a list"],
    [[{ name: "a b", client }], "name"],
    [[{ name: "a", client: Promise.resolve(client) }], "client of a"],
    [[{ name: "a", client }, { name: "a", client }], "another server"],
    [[{ name: "a", client, prefix: "a." }], "prefix"],
    [[{ name: "a", client, filter: ["x"] }], "filter"],
    [[{ name: "a", client, url: "/mcp" }], "url is no option"],
  ] as const) assert.throws(() => hub(servers as never), bad(word));
});

test("Fault 547: an event is told once, however often somebody has listened before; where nobody listens the hub does not either", async () => {
  const [one, two] = [new Client("x"), new Client("x")];
  const listening = new Set<unknown>();
  for (const client of [one, two]) {
    const on = client.on.bind(client);
    client.on = (event, listener) => {
      const off = on(event, listener);
      listening.add(off);
      return () => (listening.delete(off), off());
    };
  }
  const all = hub([{ name: "one", client: one.as }]);
  for (let mount = 0; mount < 4; mount++) {
    let [n, others] = [0, 0];
    const offs = [all.on("changed", () => n++), all.on("changed", () => others++)];
    const change = async (): Promise<void> => {
      one.listeners.emit("changed", { what: "tools" });
      await ready();
    };
    await change();
    offs[0]!();
    await change();
    if (mount === 1) all.add({ name: "two", client: two.as });
    offs[1]!();
    offs[0]!();
    assert.deepEqual([n, others, listening.size], [1, mount === 1 ? 3 : 2, 0]);
  }
  const off = all.on("changed", () => {});
  assert.equal(listening.size, 2);
  all.remove("two");
  off();
  assert.equal(listening.size, 0);
});

test("Fault 552: a tool that the filter of its server leaves out cannot be called by its name, before the list is there nor after", async () => {
  const [files, other] = [new Client("read", "delete"), new Client("x")];
  const all = hub(
    [
      { name: "files", client: files.as, filter: ({ name }) => name !== "delete" },
      { name: "other", client: other.as },
    ],
  );
  for (const name of ["files_delete", "files_read"])
    assert.throws(() => all.callTool(name, {}), bad("filter"), "nobody knows yet which are left out");
  await all.listTools();
  assert.throws(() => all.callTool("files_delete", {}), bad("filter"));
  assert.throws(() => all.callTool({ name: "files_delete" }), bad("filter"));
  all.callTool("files_read", {});
  all.callTool("other_new", {}); // one that came after the list
  assert.deepEqual([files.called, other.called], [['["read",{}]'], ['["new",{}]']]);
});

test("Fault 553: a server that goes while the tools are listed is none that failed, and the one that failed is named", async () => {
  const [one, two, three] = [new Client("x"), new Client("y"), new Client("z")];
  two.failure = new HoldfastError({ code: "network_error", message: "away" });
  const all = hub(
    [{ name: "one", client: one.as }, { name: "two", client: two.as }, { name: "three", client: three.as }],
  );
  const listing = all.listTools();
  all.remove("one");
  const { tools, failed } = await listing;
  assert.deepEqual(
    [tools.map(({ name }) => name), failed.map(({ server }) => server)], [["three_z"], ["two"]],
  );
  const last = all.listTools();
  all.remove("two");
  assert.deepEqual((await last).failed, [], "what is there no more is not missed");
});

test("Fault 553: a client that has failed keeps the calls of the others from nobody", async () => {
  const [one, two] = [new Client(), new Client()];
  one.kept = [new Call("tools/call", new Backlog(), false, "{}", { createdAt: 1 })];
  two.calls = async () => {
    throw new HoldfastError({ code: "runtime_exited", message: "the client has failed" });
  };
  const all = hub([{ name: "one", client: one.as }, { name: "two", client: two.as }]);
  assert.deepEqual([...(await all.calls())], one.kept);
  all.remove("one");
  // all have failed
  await assert.rejects(all.calls(), (error) => (error as HoldfastError).code === "runtime_exited");
});

test("Fault 589: who asks a hub for its calls learns whose could not be had", async () => {
  const [one, two] = [new Client(), new Client()];
  one.kept = [new Call("tools/call", new Backlog(), false, "{}", { createdAt: 1 })];
  const why = new HoldfastError({ code: "runtime_exited", message: "the client has failed" });
  two.calls = () => Promise.reject(why);
  const all = hub([{ name: "one", client: one.as }, { name: "two", client: two.as }]);
  const calls = await all.calls();
  assert.deepEqual([[...calls], calls.failed], [one.kept, [{ server: "two", error: why }]]);
  const asking = all.calls();
  all.remove("two");
  assert.deepEqual((await asking).failed, [], "what is there no more is not missed");
});
