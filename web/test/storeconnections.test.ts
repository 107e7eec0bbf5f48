import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { ClientState, StateEvent } from "../src/base/clientstate.js";
import { HoldfastError } from "../src/base/errors.js";
import type { OAuthOptions, SignInSource } from "../src/auth/oauth.js";
import { clientPart } from "../src/auth/loadauthorization.js";
import { oauth, oauthProgram, type OAuth } from "../src/auth/oauthoption.js";
import { connectionKey } from "../packages/observe/connectionkey.js";
import { CONNECTING, Connections } from "../packages/observe/sharedconnections.js";
import { until } from "./ready.js";

interface Options {
  auth?: OAuth;
  client?: string;
  headers?: unknown;
  handlers?: { elicitation: () => string };
}

/** A client that is open until it is closed. */
class Client {
  state: ClientState = "open";
  closed = 0;
  #listener: (event: StateEvent) => void = () => {};
  constructor(readonly options: Options) {}
  on(_: "state", listener: (event: StateEvent) => void): () => void {
    this.#listener = listener;
    return () => {};
  }
  says(state: ClientState): void {
    this.state = state;
    this.#listener({ state });
  }
  async close(): Promise<void> {
    this.closed++;
    this.says("closed");
  }
}

/** Connections, with those that were opened. */
function rig(): {
  connections: Connections<Client, Options>;
  opened: Client[];
  idle: { is: boolean; then?: () => void };
  fails: { next?: HoldfastError };
} {
  const opened: Client[] = [];
  const idle: { is: boolean; then?: () => void } = { is: true };
  const fails: { next?: HoldfastError } = {};
  const connections = new Connections<Client, Options>({
    op: "test",
    open: async (_, options) => {
      if (fails.next) throw fails.next;
      const client = new Client(options);
      opened.push(client);
      return client;
    },
    isIdle: (_, then) => {
      idle.then = then;
      return idle.is;
    },
  });
  return { connections, opened, idle, fails };
}

/** What was asked for has come. */
async function turn(): Promise<void> {
  for (let n = 0; n < 50; n++) await undefined;
}

/** With timers that stand still. */
async function inVirtualTime(story: () => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    await story();
  } finally {
    mock.timers.reset();
  }
}

test("Fault 338: mounted twice by StrictMode, drawn and thrown away, in ten components: one connection", () =>
  inVirtualTime(async () => {
    const { connections, opened } = rig();
    for (let n = 0; n < 10; n++) connections.to("https://a.example/mcp", {}); // drawn, and never committed
    assert.equal(connections.to("https://a.example/mcp", {}).snapshot(), CONNECTING);
    const stops = Array.from({ length: 10 }, () => {
      const connection = connections.to("https://a.example/mcp", { handlers: { elicitation: () => "" } });
      connection.onChange(() => {})();
      return connection.onChange(() => {});
    });
    await turn();
    mock.timers.tick(60_000);
    assert.equal(opened.length, 1);
    for (const stop of stops) stop();
    mock.timers.tick(9_999);
    const back = connections.to("https://a.example/mcp", { handlers: { elicitation: () => "" } });
    const stop = back.onChange(() => {});
    mock.timers.tick(60_000);
    assert.deepEqual([opened.length, opened[0]!.closed, back.snapshot().client], [1, 0, opened[0]]);
    stop();
    mock.timers.tick(10_000);
    mock.timers.tick(60_000);
    assert.equal(opened[0]!.closed, 1);
    assert.equal(back.snapshot(), CONNECTING);
    back.onChange(() => {});
    await turn();
    assert.equal(opened.length, 2);
  }));

test("Fault 338: a connection that nobody uses stays open while a call is under way", () =>
  inVirtualTime(async () => {
    const { connections, opened, idle } = rig();
    const stop = connections.to("https://a.example/mcp", { linger: 0 }).onChange(() => {});
    await turn();
    idle.is = false;
    stop();
    mock.timers.tick(3_600_000);
    assert.equal(opened[0]!.closed, 0);
    idle.is = true;
    idle.then!();
    mock.timers.tick(1);
    assert.equal(opened[0]!.closed, 1);
  }));

test("a connection that failed is tried again when somebody asks, or comes", async () => {
  const { connections, opened, fails } = rig();
  fails.next = new HoldfastError({ code: "network_error", message: "nobody listens" });
  const connection = connections.to("https://a.example/mcp", {});
  const stop = connection.onChange(() => {});
  await turn();
  assert.deepEqual([connection.snapshot().state, connection.snapshot().error], ["failed", fails.next]);
  delete fails.next;
  connection.snapshot().reconnect();
  assert.equal(connection.snapshot().state, "connecting");
  assert.equal(await connection.ready(), opened[0]);
  assert.deepEqual([connection.snapshot().state, connection.snapshot().client], ["open", opened[0]]);
  opened[0]!.says("closed"); // the app has logged out
  assert.equal(connection.snapshot().state, "closed");
  connection.snapshot().reconnect();
  await turn();
  assert.equal(connection.snapshot().client, opened[1]);
  stop();
});

test("the newest of the app's handlers is asked", async () => {
  const { connections, opened } = rig();
  const connection = connections.to("https://a.example/mcp", { handlers: { elicitation: () => "first" } });
  connection.onChange(() => {});
  connection.update({ handlers: { elicitation: () => "second" } });
  await turn();
  assert.equal(opened[0]!.options.handlers!.elicitation(), "second");
});

const says = (words: string) => (error: unknown): boolean =>
  error instanceof HoldfastError && error.code === "bad_argument" && error.message.includes(words);

test("which options mean the same connection", () => {
  const key = (options: object): string => connectionKey("https://a.example/mcp", options);
  const same: [object, object][] = [
    [
      { client: { name: "a", version: "1" }, listen: true },
      { listen: true, client: { version: "1", name: "a" } },
    ],
    [{ token: () => "a" }, { token: () => "b" }],
    [{ headers: new Headers({ a: "b" }) }, { headers: new Headers({ A: "b" }) }],
    [{ principal: undefined }, {}],
  ];
  const other: [object, object][] = [
    [{ principal: "ada" }, { principal: "bob" }],
    [{ token: () => "a" }, {}],
    [{ timeouts: { idle: Infinity } }, { timeouts: {} }],
    [{ headers: { a: "1" } }, { headers: { a: "2" } }],
    [{ retention: { ended: 1 } }, { retention: { ended: "1" } }],
    [{ auth: new (class {})() }, { auth: new (class {})() }],
  ];
  for (const [a, b] of same) assert.equal(key(a), key(b));
  for (const [a, b] of other) assert.ok(key(a) !== key(b));
  assert.throws(
    () => rig().connections.to("/mcp", { signal: new AbortController().signal } as never),
    says("signal cannot be given"),
  );
  assert.throws(() => rig().connections.to("/mcp", { linger: -1 }), says("linger has to be"));
});

test("Fault 557: who tries again after a failure that an error boundary has shown connects again, and what was suspended for is there to be drawn", () =>
  inVirtualTime(async () => {
    for (const linger of [0, undefined, 60_000]) {
      const { connections, opened, fails } = rig();
      const draw = (): ReturnType<typeof connections.to> =>
        connections.to("https://a.example/mcp", linger === undefined ? {} : { linger });
      fails.next = new HoldfastError({ code: "network_error", message: "nobody listens" });
      await assert.rejects(draw().ready(), (error) => error === fails.next); // a component suspends
      mock.timers.tick(500); // React draws when it can
      assert.equal(draw().snapshot().error, fails.next, "which is thrown to the boundary");
      delete fails.next;
      mock.timers.tick(500); // somebody reads it, and says "try again"
      assert.equal(draw().snapshot(), CONNECTING, "a component that is drawn anew suspends again");
      assert.equal(await draw().ready(), opened[0]);
      mock.timers.tick(500);
      assert.equal(draw().snapshot().client, opened[0], "it is drawn, and its effects have not run yet");
      const stop = draw().onChange(() => {});
      mock.timers.tick(3_600_000);
      assert.deepEqual([opened.length, opened[0]!.closed], [1, 0]);
      stop();
      mock.timers.tick(linger ?? 10_000);
      assert.equal(opened[0]!.closed, 1);
    }
  }));

test("Fault 559: components that sign in differently at one address share no connection, and those that sign in alike do", async () => {
  const here = { redirectUrl: "https://app.example/" };
  // another function each time
  const fetch = (): (() => Promise<Response>) => () => Promise.reject(new Error("nobody signs in"));
  const { clientCredentials } = oauthProgram;
  const kinds: (() => OAuth)[] = [
    () => oauth(here),
    () => oauth({ ...here, clientId: "a" }),
    () => oauth({ ...here, clientId: "b" }),
    () => oauth({ ...here, clientId: "b", scopes: ["read"] }),
    () => oauth({ ...here, clientId: "b", scopes: ["write"] }),
    () => oauth({ ...here, storage: "memory" }),
    () => oauth({ ...here, interaction: "redirect" }),
    () => oauth({ ...here, clientId: "a", fetch: fetch() }),
    () => oauth({ ...here, clientId: "b", fetch: fetch() }),
    () => clientCredentials({ clientId: "a", clientSecret: "s" }),
    () => clientCredentials({ clientId: "b", clientSecret: "t" }),
  ];
  const { connections, opened } = rig();
  for (const kind of [...kinds, ...kinds])
    connections.to("https://a.example/mcp", { auth: kind() }).onChange(() => {});
  await turn();
  assert.equal(opened.length, kinds.length);
  // as a server has it that draws the page
  const key = connectionKey("https://a.example/mcp", { auth: oauth() });
  Object.defineProperty(
    globalThis, "location", { value: new URL("https://app.example/a/route"), configurable: true },
  );
  assert.equal(
    connectionKey("https://a.example/mcp", { auth: oauth() }), key, "wherever in the app its component is",
  );
});

test("Fault 590: who tries again after a failure connects again, also while another component shows that failure", () =>
  inVirtualTime(async () => {
    const { connections, opened, fails } = rig();
    const draw = (): ReturnType<typeof connections.to> => connections.to("https://a.example/mcp", {});
    let told = 0;
    fails.next = new HoldfastError({ code: "network_error", message: "nobody listens" });
    const stop = draw().onChange(() => told++); // a component that shows where it stands
    await turn();
    assert.equal(draw().failure(), fails.next, "a component that suspends throws it to its boundary");
    mock.timers.tick(999);
    assert.equal(draw().failure(), fails.next, "also where it is drawn late");
    delete fails.next;
    mock.timers.tick(1); // somebody reads it, and says "try again"
    assert.equal(draw().failure(), undefined);
    assert.equal(draw().snapshot().state, "failed", "the other one shows it until then");
    [told] = [0];
    const ready = draw().ready();
    assert.equal(draw().ready(), ready, "StrictMode draws twice");
    assert.deepEqual(
      [told, draw().failure()], [0, undefined], "nobody hears of it while components are drawn",
    );
    assert.equal(await ready, opened[0]);
    assert.ok(told >= 1);
    assert.deepEqual([opened.length, draw().snapshot().client], [1, opened[0]]);
    stop();
  }));

test("Fault 591: a sign-in whose functions are other ones is another; one whose component is drawn again is the same, and its newest onchange is called", async () => {
  const here = { redirectUrl: "https://app.example/", clientId: "a" };
  const kinds: (() => OAuth)[] = [
    () => oauth({ ...here, credentials: () => ({ clientId: "b" }) }),
    () => oauth({ ...here, credentials: () => ({ clientId: "c" }) }),
    () => oauth({ ...here, metadataProxy: (url) => `/proxy?${url}` }),
    () => oauth({ ...here, metadataProxy: (url) => `/other?${url}` }),
  ];
  const { connections, opened } = rig();
  for (const kind of [...kinds, ...kinds])
    connections.to("https://a.example/mcp", { auth: kind() }).onChange(() => {});
  await turn();
  assert.equal(opened.length, kinds.length);

  const heard: string[] = [];
  const drawn = (name: string): { auth: OAuth } => {
    const auth = oauth(here);
    auth.onchange = () => heard.push(name);
    return { auth };
  };
  const connection = connections.to("https://a.example/mcp", drawn("first"));
  connection.onChange(() => {});
  await turn();
  const says = (): void => opened.at(-1)!.options.auth!.heard!({} as never);
  says();
  connection.update(drawn("second"));
  says();
  const last = drawn("third");
  connection.update(last);
  last.auth.onchange = () => heard.push("set later");
  says();
  last.auth.onchange = undefined;
  says();
  connection.update({});
  says();
  assert.deepEqual(heard, ["first", "second", "set later"]);
  opened.at(-1)!.says("closed");
  connection.snapshot().reconnect();
  await turn();
  assert.equal(
    opened.at(-1)!.options.auth, opened.at(-2)!.options.auth, "it is one sign-in, however often it connects",
  );
});

test("Fault 639: a sign-in that the app has made once is one, of whatever connections, and whether or not somebody uses them meanwhile", async () => {
  const auth = oauth({ redirectUrl: "https://app.example/" });
  const heard: string[] = [];
  auth.onchange = () => heard.push("there");
  const { connections, opened } = rig();
  const draw = (options: Options = {}) =>
    connections.to("https://a.example/mcp", { auth, ...options, linger: 0 });
  const stop = draw().onChange(() => {});
  draw({ client: "other" }).onChange(() => {});
  await turn();
  const [first, second] = opened;
  assert.ok(first !== second, "each has its own connection");
  assert.equal(second!.options.auth, first!.options.auth, "nobody is asked twice");
  stop();
  await until(() => first!.closed === 1);
  draw().onChange(() => {});
  await turn();
  assert.equal(opened[2]!.options.auth, first!.options.auth, "who has said no is not asked again");
  opened[2]!.options.auth!.heard!({} as never);
  assert.deepEqual(heard, ["there"]);
});

test("Fault 666: one sign-in that the app gives to connect(), and to components as well, is one", async () => {
  const called: string[] = [];
  const drawn = (name: string): OAuth => {
    const metadataProxy = (): string => (called.push(`proxy of ${name}`), "/");
    const made = oauth({ redirectUrl: "https://app.example/", metadataProxy });
    made.onchange = () => called.push(`onchange of ${name}`);
    return made;
  };
  const opened: { changed: () => void; proxied: () => void }[] = [];
  class Authorization {
    static async open(
      source: SignInSource,
      _: string,
      changed: (auth: object) => void,
      newest: () => OAuthOptions | undefined,
    ): Promise<object> {
      opened.push({
        changed: () => changed({}),
        proxied: () => (newest() ?? (source.of as OAuthOptions)).metadataProxy!("x"),
      });
      return {};
    }
    constructor(_: string, readonly shared: () => Promise<object>) {}
  }
  clientPart.here = { Authorization } as unknown as NonNullable<typeof clientPart.here>;
  const auth = drawn("the app");
  const { connections, opened: clients } = rig();
  const connection = connections.to("https://a.example/mcp", { auth });
  connection.onChange(() => {});
  await turn();
  auth.authorize("https://a.example/mcp"); // as connect() does
  clients[0]!.options.auth!.authorize("https://a.example/mcp"); // for the component
  assert.equal(opened.length, 1, "its person is asked once");
  opened[0]!.changed();
  opened[0]!.proxied();
  connection.update({ auth: drawn("the component") });
  opened[0]!.changed();
  opened[0]!.proxied();
  connection.update({});
  opened[0]!.changed();
  opened[0]!.proxied();
  assert.deepEqual(
    called,
    [
      "onchange of the app",
      "proxy of the app",
      "onchange of the component",
      "proxy of the component",
      "proxy of the app",
    ],
  );
});
