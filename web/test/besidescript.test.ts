import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILD } from "../src/base/build.js";
import { checkBeside, nameBeside } from "../src/base/besidescript.js";
import { ownWasm } from "../src/runtime/ownwasm.js";
import type { HoldfastError } from "../src/base/errors.js";

const FOLDER = "https://app.test/assets/";
const SCRIPT = `${FOLDER}holdfast-worker-3f2a.mjs?${BUILD}`;

/** Whether an error is in those words. */
function says(words: RegExp): (error: unknown) => boolean {
  return (error) => words.test((error as Error).message);
}

function matches(text: string, words: RegExp): void {
  assert.ok(words.test(text), text);
}

test("Fault 722: a worker imports one segment beside its own script", () => {
  const build = `?${BUILD}`;
  for (const name of ["holdfast-validate.mjs", "a~b_C-9.js", "..x.mjs"]) {
    assert.equal(nameBeside(FOLDER + name, SCRIPT), name);
  }
  const others = [
    "data:text/javascript,1", "blob:https://app.test/1.mjs", "https://app.test/x.mjs",
    "https://evil.test/assets/x.mjs", "http://app.test/assets/x.mjs", "https://a@app.test/assets/x.mjs",
  ];
  const names = [
    "", "x", "x.json", "x.mjs/", "b/x.mjs", "../x.mjs", "%2e%2e/x.mjs", "b%2fx.mjs", "x%2emjs", "\\x.mjs",
    "x.mjs#y", "x.mjs?", "x.mjs?y", "x.mjs?0.0.0-1", `x.mjs${build}`, "x.mjs?again=1", `x.mjs${build}&y=1`,
    "x.mjs?again=", "x.mjs\n", `${"x".repeat(201)}.mjs`,
  ];
  for (const url of [...others, ...names.map((name) => FOLDER + name)])
    assert.equal(nameBeside(url, SCRIPT), "", url);
  for (const script of [`blob:${FOLDER}1`, "data:text/javascript,1", ""])
    assert.equal(nameBeside(`${FOLDER}x.mjs`, script), "", script);
});

test("Fault 722: what is not beside the script is asked for by nobody, and what is redirected is refused", async () => {
  const { fetch } = globalThis;
  const asked: (string | undefined)[][] = [];
  try {
    globalThis.fetch = async (url, init) => {
      asked.push([String(url), init?.redirect]);
      if (String(url).includes("moved")) throw new TypeError("redirected");
      return new Response("", { status: String(url).includes("gone") ? 404 : 200 });
    };
    await assert.rejects(
      checkBeside("https://app.test/uploads/evil.mjs", SCRIPT),
      says(/only what lies beside its own script, and not https:\/\/app.test\/…\/evil.mjs$/),
    );
    assert.deepEqual(asked, []);
    await checkBeside(`${FOLDER}x.mjs`, SCRIPT);
    assert.deepEqual(asked, [[`${FOLDER}x.mjs`, "error"]]);
    await assert.rejects(
      checkBeside(`${FOLDER}moved.mjs`, SCRIPT), says(/a redirect, from https:\/\/app.test\/…\/moved.mjs$/),
    );
    await assert.rejects(
      checkBeside(`${FOLDER}gone.mjs`, SCRIPT), says(/404 for https:\/\/app.test\/…\/gone.mjs$/),
    );
  } finally {
    globalThis.fetch = fetch;
  }
});

test("Fault 754: a worker imports under its own queries alone, and never its own script", async () => {
  const { fetch } = globalThis;
  let asked = 0;
  try {
    globalThis.fetch = async () => (asked++, new Response(""));
    const queries = [`?${BUILD}`, "?again=2", `?${BUILD}=&again=1`, `?${BUILD}&again=1`];
    for (const own of queries) await checkBeside(`${FOLDER}x.mjs${own}`, SCRIPT);
    assert.equal(asked, queries.length);
    const itself = SCRIPT.slice(0, SCRIPT.indexOf("?"));
    const foreign = ["?", "?0x1x0-1", `?x${BUILD}`, `?${BUILD}x`, `?${BUILD.replace(".", "x")}`];
    const others = [
      ...foreign, "?again=", "?again=1&again=2", "?again=x",
    ].map((query) => `${FOLDER}x.mjs${query}`);
    for (const no of [...others, itself, `${itself}?${BUILD}`, `${itself}?again=1`]) {
      await assert.rejects(checkBeside(no, SCRIPT), says(/only what lies beside/));
    }
    assert.equal(asked, queries.length);
  } finally {
    globalThis.fetch = fetch;
  }
});

test("Fault 722: a worker takes the wasm of its own build, and says of another which it is", async () => {
  const { fetch } = globalThis;
  // A section of that name, which says nothing.
  const bytes = (text: string): Uint8Array<ArrayBuffer> => {
    const name = new TextEncoder().encode(text);
    return Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, name.length + 1, name.length, ...name);
  };
  const digest = async (
    text: string,
  ): Promise<string> =>
    `sha256-${btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes(text)))))}`;
  const digests = `${await digest("mcp")} ${await digest("agents")}`;
  let served: () => Response;
  let kept: () => Response;
  const asked: (string | undefined)[] = [];
  const taken = async (url: string, from: () => Response, cached = from): Promise<string> => {
    [served, kept] = [from, cached];
    asked.length = 0;
    return ownWasm(url, digests).then(
      async (own) => {
        if (own instanceof WebAssembly.Module) {
          const has = (name: string): boolean => WebAssembly.Module.customSections(own, name).length > 0;
          return `compiled ${["mcp", "agents"].find(has)}`;
        }
        return `${own.status} ${(await own.text()).slice(11)}`;
      },
      ({ code, message }: HoldfastError) => `${code}: ${message}`,
    );
  };
  try {
    globalThis.fetch = async (_, init) => {
      asked.push(init?.cache);
      return init?.cache ? served() : kept();
    };
    const other = (text: string) => (): Response => new Response(bytes(text));
    const typed = { headers: { "content-type": "application/wasm" } };
    const url = "https://cdn.test/holdfast.wasm";
    for (const own of [() => new Response(bytes("agents"), typed), other("agents")]) {
      assert.equal(await taken(url, own), "compiled agents");
      assert.deepEqual(asked, [undefined]);
    }
    assert.equal(
      await taken(url, other("agents"), other("before")), "200 agents", "a cache had kept another one",
    );
    assert.deepEqual(asked, [undefined, "reload"]);
    assert.equal(
      await taken(url, other("mcp"), () => { throw new TypeError("Failed to fetch"); }), "200 mcp",
    );
    matches(
      await taken(url, other("...holdfast-wasm/0.0.7;...")),
      /^load_failed: load: the wasm is version 0.0.7, the script is version \S+: deploy both from one build$/,
    );
    matches(
      await taken(url, other(`holdfast-wasm/${BUILD.split("-")[0]};`)),
      /^load_failed: load: the wasm is version \S+, of another build, the script is version /,
    );
    matches(
      await taken(url, other("what somebody else has made")),
      /^load_failed: load: the wasm is version unknown, /,
    );
    assert.equal(await taken(url, () => new Response("", { status: 503 })), "503 ");
    matches(
      await taken(url, () => { throw new TypeError("no network"); }),
      /^load_failed: load: the wasm could not be loaded: no network$/,
    );
    for (const no of ["data:application/wasm;base64,AGFzbQ==", "blob:https://app.test/1", ""]) {
      matches(
        await taken(no, other("mcp")),
        /^load_failed: load: a worker fetches its wasm over http, and takes none from /,
      );
      assert.deepEqual(asked, []);
    }
  } finally {
    globalThis.fetch = fetch;
  }
});
