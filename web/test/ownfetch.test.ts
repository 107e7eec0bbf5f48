import assert from "node:assert/strict";
import { test } from "node:test";
import { diagnoseAgent } from "../src/agent/openagent.js";
import { diagnose } from "../src/client/diagnose.js";
import { type StoreKeys, UserStores } from "../src/connect/userstores.js";
import { Exchange } from "../src/runtime/exchange.js";
import type { Reports } from "../src/runtime/reports.js";
import type { FetchLike, RequestSender } from "../src/runtime/sender.js";
import { Ending } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { until } from "./ready.js";

const PARTS = ["POST", "https://far.test/mcp", "content-type", "application/json"];

/** An exchange by a fetch of the app's, and what the core hears of it. */
function exchange(own: FetchLike | undefined, sender?: RequestSender, isLoggedOut?: () => boolean): {
  heard: unknown[];
  it: Exchange;
  start: Promise<void>
} {
  const heard: unknown[] = [];
  const reports = {
    chunkBytes: 1 << 16,
    head: (...all: unknown[]) => heard.push(["head", ...all.slice(2)]),
    chunk: (_: number, __: number, bytes: Uint8Array) => heard.push(new TextDecoder().decode(bytes)),
    end: (_: number, __: number, ...how: unknown[]) => heard.push(["end", ...how]),
  };
  const it = new Exchange(reports as unknown as Reports, 1, 2);
  return {
    heard, it,
    start: it.start(PARTS, new TextEncoder().encode("{}"), {
      credentials: "omit", fetch: own, sender, isLoggedOut,
    }),
  };
}

test("a fetch of the app's gets the address and all that goes with it, and its body is read as it comes", async () => {
  const asked: [string, RequestInit][] = [];
  let more!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (more = controller) });
  const { heard, it, start } = exchange(
    async (...all) => (
      asked.push(all), new Response(body, { headers: { "content-type": "text/event-stream", "x-own": "1" } })
    ),
  );
  assert.deepEqual(asked, [], "app code never runs within the core's effects");
  await start;
  const [[url, init]] = asked as [[string, RequestInit]];
  assert.deepEqual(
    [
      url, init.method, init.credentials, init.redirect, (init.headers as Headers).get("content-type"),
      init.signal?.aborted,
    ],
    [PARTS[1], "POST", "omit", "manual", "application/json", false],
  );
  assert.deepEqual(heard.splice(0), [["head", 200, ["content-type", "text/event-stream"]]]);
  more.enqueue(new TextEncoder().encode("one"));
  it.read();
  await until(() => heard.length === 1);
  more.enqueue(new TextEncoder().encode("two"));
  it.read();
  await until(() => heard.length === 2);
  more.close();
  it.read();
  await until(() => heard.length === 3);
  assert.deepEqual(heard, ["one", "two", ["end", Ending.Clean, ""]]);
});

test("an app reads what four pieces of a burst brought before the next is worked on", async () => {
  const bytes = new Uint8Array(9 * (1 << 16) + 10);
  const order: string[] = [];
  const ended = new Promise<void>((resolve) => {
    const reports = {
      chunkBytes: 1 << 16,
      head: () => it.read(),
      chunk: (_: number, __: number, { length }: Uint8Array) => {
        order.push(String(length));
        it.read();
        void (async () => { for (let step = 0; step < 200; step++) await undefined; order.push("read"); })();
        return true;
      },
      end: () => resolve(),
    };
    const it = new Exchange(reports as unknown as Reports, 1, 2);
    void it.start(PARTS, new Uint8Array(0), {
      credentials: "omit",
      fetch: async () => new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => (controller.enqueue(bytes), controller.close()),
        }),
      ),
    });
  });
  await ended;
  const four = [...new Array(4).fill("65536"), ...new Array(4).fill("read")];
  assert.deepEqual(order.slice(0, 16), [...four, ...four]);
});

test("Fault 692: a page has its turn in a burst also where its app works on what each piece brought", async () => {
  const [{ MessageChannel }, now] = [globalThis, performance.now];
  let [clock, since, longest] = [0, 0, 0];
  performance.now = () => clock;
  globalThis.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      const { port2 } = this;
      const post = port2.postMessage.bind(port2);
      port2.postMessage = (message: unknown) => {
        [longest, since] = [Math.max(longest, clock - since), clock];
        post(message);
      };
    }
  };
  try {
    // A piece brings much, or little, or the network is never ahead of the app by a whole piece.
    for (const size of [1 << 16, 50_000]) {
      [clock, since, longest] = [0, 0, 0];
      await new Promise<void>((resolve) => {
        const reports = {
          chunkBytes: 1 << 16,
          head: () => it.read(),
          chunk: () => {
            it.read();
            void Promise.resolve().then(() => (clock += 3)); // the app, for 3 ms
            return true;
          },
          end: () => resolve(),
        };
        const it = new Exchange(reports as unknown as Reports, 1, 2);
        const pieces = Array.from({ length: 40 }, () => new Uint8Array(size));
        const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => (
          pieces.forEach((piece) => controller.enqueue(piece)), controller.close()
        );
        void it.start(PARTS, new Uint8Array(0), {
          credentials: "omit", fetch: async () => new Response(new ReadableStream<Uint8Array>({ start })),
        });
      });
      assert.ok(since > 0 && longest < 25, `${size}: ${longest} ms`);
    }
  } finally {
    [globalThis.MessageChannel, performance.now] = [MessageChannel, now];
  }
});

test("a stream of bytes that a library has put in the place of the browser's ends where it is closed", async () => {
  const { fetch } = globalThis;
  const sent = [new TextEncoder().encode("one"), new TextEncoder().encode("two")];
  // As of the standard: a read into a buffer that waits is not settled by close() alone.
  const pull = (controller: ReadableByteStreamController): void => {
    const next = sent.shift();
    if (next) controller.enqueue(next);
    else controller.close();
  };
  globalThis.fetch = async () => new Response(
    new ReadableStream({ type: "bytes", pull } as UnderlyingByteSource),
    { headers: { "content-type": "text/event-stream" } },
  );
  try {
    const { heard, it, start } = exchange(undefined);
    await start;
    for (let n = 2; n <= 4; n++) {
      it.read();
      await until(() => heard.length === n);
    }
    assert.deepEqual(heard.slice(1), ["one", "two", ["end", Ending.Clean, ""]]);
  } finally {
    globalThis.fetch = fetch;
  }
});

test("what the app's fetch does wrong ends the exchange, and what it does not heed is given up all the same", async () => {
  for (const [own, ending, detail] of [
    [() => Promise.reject(new TypeError("no way")), Ending.Network, "no way"],
    [() => { throw new TypeError("at once"); }, Ending.Network, "at once"],
    [async () => ({}) as Response, Ending.Unreadable, "the app's fetch gave no Response"],
    [async () => undefined as unknown as Response, Ending.Unreadable, "the app's fetch gave no Response"],
  ] as [FetchLike, number, string][]) {
    const { heard, start } = exchange(own);
    await start;
    assert.deepEqual(heard, [["end", ending, detail]]);
  }
  let cancelled = 0;
  const deaf = (): Response => new Response(new ReadableStream({ cancel: () => void cancelled++ }));
  let answer: (response: Response) => void = () => {};
  const late = exchange(() => new Promise((resolve) => (answer = resolve)));
  await undefined;
  await undefined;
  late.it.abort();
  answer(deaf());
  await late.start;
  const open = exchange(async () => deaf());
  await open.start;
  open.it.abort();
  await until(() => cancelled === 2);
  assert.deepEqual([late.heard, open.heard.length], [[], 1]);
});

const streaming = (): Response => new Response("data: x\n\n", {
  headers: { "content-type": "text/event-stream" },
});

/** What a fetch does that looks into the answer, and gives it on all the same. */
const spoils: [what: string, spoil: (response: Response) => Promise<Response>, detail: string][] = [
  [
    "reads it", async (response) => (await response.text(), response),
    "the app's fetch gave a Response whose body it has read",
  ],
  [
    "is reading it", async (response) => (void response.text(), response),
    "the app's fetch gave a Response whose body it has read",
  ],
  [
    "holds its reader", async (response) => (response.body!.getReader(), response),
    "the app's fetch gave a Response whose body it is reading",
  ],
  [
    "is a polyfill",
    async ({ status, headers }) => ({ status, headers, body: { pipe: () => {} } }) as unknown as Response,
    "the app's fetch gave a Response whose body is no ReadableStream",
  ],
  [
    "is a test's double",
    async ({ status, headers }) => ({ status, headers, text: async () => "" }) as unknown as Response,
    "the app's fetch gave a Response whose body is no ReadableStream",
  ],
];

test("Fault 345: an answer that a fetch of the app has read, or that cannot be read, ends the exchange and says what was done", async () => {
  for (const [what, spoil, detail] of spoils) {
    const { heard, start } = exchange(async () => spoil(streaming()));
    await start;
    assert.deepEqual(heard, [["end", Ending.Unreadable, detail]], what);
  }
  // Where the status says it all, nobody misses the body.
  for (const status of [202, 401, 404, 503]) {
    for (const [what, spoil] of spoils) {
      const { heard, it, start } = exchange(
        async () => spoil(new Response(new Uint8Array(3), { status, headers: { "retry-after": "7" } })),
      );
      await start;
      it.read();
      await until(() => heard.length === 2);
      assert.deepEqual(
        heard, [["head", status, ["retry-after", "7"]], ["end", Ending.Clean, ""]], `${what}, ${status}`,
      );
    }
  }
});

test("Fault 345: so does one under a sign-in, of a page whose fetch a library has replaced, and one that comes too late", async () => {
  const sender: RequestSender = {
    send: async (_method, _url, leave) => {
      const response = await leave([]);
      return { response, status: response.status };
    },
  };
  const read = spoils[0]!;
  const signed = exchange(async () => read[1](streaming()), sender);
  await signed.start;
  assert.deepEqual(signed.heard, [["end", Ending.Unreadable, read[2]]]);
  const browsers = globalThis.fetch;
  globalThis.fetch = async () => read[1](streaming());
  try {
    const replaced = exchange(undefined);
    await replaced.start;
    assert.deepEqual(replaced.heard, [["end", Ending.Unreadable, read[2]]]);
  } finally {
    globalThis.fetch = browsers;
  }
  for (const [, spoil] of spoils) {
    let answer: (response: Response) => void = () => {};
    const late = exchange(() => new Promise((resolve) => (answer = resolve)));
    await undefined;
    await undefined;
    late.it.abort();
    answer(await spoil(new Response("x", { status: 404 })));
    await late.start;
    assert.deepEqual(late.heard, []);
  }
});

test("where somebody signs in, the app's fetch sends what the sign-in has made, again where that is needed", async () => {
  const sent: (string | null)[] = [];
  const own: FetchLike = async (_, { headers }) => {
    sent.push((headers as Headers).get("authorization"));
    return new Response(null, { status: sent.length === 1 ? 401 : 202 });
  };
  const sender: RequestSender = {
    async send(_method, _url, leave) {
      await leave([["authorization", "Bearer old"]]);
      const response = await leave([["authorization", "DPoP new"]]);
      return { response, status: response.status };
    },
  };
  const { heard, start } = exchange(own, sender);
  await start;
  assert.deepEqual([sent, heard], [["Bearer old", "DPoP new"], [["head", 202, []]]]);
});

test("Fault 743: what waits in the sign-in for its token does not leave once its user has logged out; what ends something does", async () => {
  for (const began of ["before", "behind"]) {
    let comes: () => void = () => {};
    const sender: RequestSender = {
      async send(_method, _url, leave) {
        await new Promise<void>((resolve) => (comes = resolve));
        const response = await leave([]);
        return { response, status: response.status };
      },
    };
    let [sent, isLoggedOut] = [0, began === "behind"];
    const { heard, start } = exchange(
      async () => (sent++, new Response(null, { status: 202 })), sender, () => isLoggedOut,
    );
    isLoggedOut = true;
    comes();
    await start;
    assert.deepEqual(
      [sent, heard], began === "before" ? [0, [["head", 401, []]]] : [1, [["head", 202, []]]], began,
    );
  }
});

test("with a fetch of the app's nobody knows who the user is, and the browser looks for no cause", async () => {
  const keys: StoreKeys = { of: async () => "" };
  const own: FetchLike = async () => new Response();
  assert.equal(await new UserStores({ fetch: own }, false, keys).principal(), undefined);
  assert.equal(await new UserStores({ fetch: own, principal: "ada" }, false, keys).principal(), "ada");
  const error = new HoldfastError({ code: "network_error", message: "x" });
  assert.equal(await diagnose("https://far.test/mcp", error, { fetch: own }), error);
  assert.equal(
    await diagnoseAgent({ url: "https://far.test/acp", transport: "http" }, error, { fetch: own }), error,
  );
});

test("a small JSON body is read as a whole, a larger one and one of unknown length as they come; one that breaks off is no end", async () => {
  const json = { "content-type": "application/json; charset=utf-8" };
  const bytes = (...parts: (string | Error)[]): ReadableStream<Uint8Array> => {
    const left = [...parts];
    return new ReadableStream({
      pull: (controller) => {
        const part = left.shift();
        if (part instanceof Error) controller.error(part);
        else if (part === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(part));
      },
    });
  };
  const cases: [string, Response, unknown[]][] = [
    [
      "small", new Response(bytes('{"a":', "1}"), { headers: { ...json, "content-length": "7" } }),
      ['{"a":1}', ["end", Ending.Clean, ""]],
    ],
    [
      "large", new Response(bytes('{"a":', "1}"), { headers: { ...json, "content-length": "16385" } }),
      ['{"a":', "1}", ["end", Ending.Clean, ""]],
    ],
    [
      "of unknown length", new Response(bytes('{"a":', "1}"), { headers: json }),
      ['{"a":', "1}", ["end", Ending.Clean, ""]],
    ],
    [
      "a stream of events",
      new Response(bytes("data: 1\n\n"), {
        headers: { "content-type": "text/event-stream", "content-length": "9" },
      }),
      ["data: 1\n\n", ["end", Ending.Clean, ""]],
    ],
    [
      "none", new Response(null, { headers: { ...json, "content-length": "0" } }),
      [["end", Ending.Clean, ""]],
    ],
    [
      "breaks off",
      new Response(bytes('{"a":', new TypeError("network error")), {
        headers: { ...json, "content-length": "7" },
      }),
      [["end", Ending.Network, "network error"]],
    ],
  ];
  const { fetch } = globalThis;
  for (const [what, response, expected] of cases) {
    globalThis.fetch = async () => response;
    const { heard, it, start } = exchange(undefined);
    await start.finally(() => (globalThis.fetch = fetch));
    heard.shift(); // the head
    for (const told of expected) {
      const before = heard.length;
      it.read();
      await until(() => heard.length > before);
      assert.deepEqual(heard.at(-1), told, what);
    }
  }
  // An app's fetch may not heed the signal: what it gives is cancelled, also while it is read.
  let cancelled = false;
  const unread = exchange(
    async () => new Response(new ReadableStream({ cancel: () => void (cancelled = true) }), {
      headers: { ...json, "content-length": "7" },
    }),
  );
  await unread.start;
  unread.it.read();
  unread.it.abort();
  await until(() => cancelled);
});
