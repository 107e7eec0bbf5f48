import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error it is a script, as npm publishes it
import { addressFaults, answerFaults, main, metadataFaults, metadataFor } from "../bin/clientmetadata.mjs";

const ADDRESS = "https://app.example/client.json";
const good = (): Record<string, unknown> => metadataFor(ADDRESS, ["https://app.example/app"], "My app");

/** Runs the command; what it prints, and its exit code. */
async function run(
  args: string[], answer: () => Promise<Response> = () => Promise.reject(new Error("no")),
): Promise<[code: number, out: string, err: string]> {
  const [out, err]: [string[], string[]] = [[], []];
  const code: number = await main(args, {
    out: (line: string) => out.push(line), err: (line: string) => err.push(line), fetch: answer,
  });
  return [code, out.join("\n"), err.join("\n")];
}

const json = (value: unknown, init: ResponseInit = {}): (() => Promise<Response>) => () => Promise.resolve(
  new Response(JSON.stringify(value), { headers: { "content-type": "application/json" }, ...init }),
);

test("an address that no authorization server would fetch, or take for a client id, is refused with what to do", () => {
  assert.deepEqual(addressFaults(ADDRESS), []);
  for (const [address, word] of [
    ["app", "no URL"],
    ["http://localhost:5173/client.json", "localhost"],
    ["https://app.example", "a path"],
    ["https://app.example/client.json#x", "fragment"],
    ["https://u:p@app.example/client.json", "password"],
    ["https://app.example/a/../client.json", "written as https://app.example/client.json"],
    ["https://APP.example/client.json", "written as"],
  ] as const) {
    assert.ok(addressFaults(address).join().includes(word), address);
  }
});

test("metadata is checked member by member", () => {
  assert.deepEqual(metadataFaults(ADDRESS, good()), []);
  for (const [change, word] of [
    [{ client_id: `${ADDRESS}/` }, "client_id"],
    [{ redirect_uris: [] }, "at least one"],
    [{ redirect_uris: ["http://app.example/app"] }, "has to be https"],
    [{ redirect_uris: ["javascript:alert(1)"] }, "has to be https"],
    [{ redirect_uris: ["https://app.example/app#x"] }, "no fragment"],
    [{ redirect_uris: [7] }, "is no URL"],
    [{ token_endpoint_auth_method: "client_secret_basic" }, "no secret"],
    [{ client_secret: "s" }, "anybody can read it"],
    [{ grant_types: ["refresh_token"] }, "authorization_code"],
    [{ grant_types: ["authorization_code"] }, "sign in again"],
    [{ response_types: ["token"] }, "response_types"],
    [{ client_name: "" }, "client_name"],
  ] as const) {
    const faults: string[] = metadataFaults(ADDRESS, { ...good(), ...change });
    assert.ok(faults.length === 1 && faults[0]!.includes(word), JSON.stringify([change, faults]));
  }
  assert.deepEqual(metadataFaults(ADDRESS, ["x"]), ["it is no JSON object"]);
  assert.deepEqual(
    metadataFaults(ADDRESS, {
      ...good(), redirect_uris: ["http://localhost:5173/app", "http://127.0.0.1/app", "http://[::1]/app"],
    }),
    [],
  );
});

test("so is the answer that it comes with", async () => {
  for (const [answer, word] of [
    [json(good(), { status: 302, headers: { location: "/" } }), "redirect"],
    [json(good(), { status: 404 }), "status 404"],
    [json(good(), { headers: { "content-type": "text/html; charset=utf-8" } }), "text/html"],
    [json({ ...good(), more: "x".repeat(6_000) }), "bytes long"],
    [
      () => Promise.resolve(new Response("<html>", { headers: { "content-type": "application/json" } })),
      "no JSON object",
    ],
  ] as const) {
    const faults: string[] = await answerFaults(ADDRESS, await answer());
    assert.ok(faults.length === 1 && faults[0]!.includes(word), JSON.stringify([word, faults]));
  }
});

test("the command writes what it finds nothing wrong with", async () => {
  const [code, out, err] = await run([ADDRESS, "--redirect", "https://app.example/app", "--name", "My app"]);
  assert.deepEqual([code, JSON.parse(out), err], [0, good(), ""]);
  assert.deepEqual(
    (await run(["--check", ADDRESS], json(JSON.parse(out)))).slice(0, 2), [0, `${ADDRESS}: as it should be`],
  );
  assert.deepEqual((await run(["--check", ADDRESS], json({})))[0], 1);
  assert.ok((await run(["--check", ADDRESS]))[2].includes("cannot be reached"));
  for (
    const args of [
      [], [ADDRESS], ["--check"], [ADDRESS, "--check", "--redirect", "x"], ["--redirect"],
      ["--what", ADDRESS],
    ]
  )
    assert.equal((await run(args))[0], 2, args.join(" "));
  assert.equal((await run(["http://localhost/client.json", "--redirect", "http://localhost/app"]))[0], 1);
});
