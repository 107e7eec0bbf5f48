// What parts one sign-in from another: server, user, client.

import assert from "node:assert/strict";
import { test } from "node:test";

import { oauth } from "../src/auth/oauth.js";
import { signInKey } from "../src/auth/opensignin.js";
import { otherSubject } from "../src/connect/userstores.js";
import { AuthRows } from "../src/storage/authrows.js";
import { digest } from "../src/storage/digest.js";
import { makeKey } from "../src/storage/seal.js";
import { openDatabase } from "../src/storage/open.js";
import { identify } from "../src/storage/keys.js";
import { Shim } from "./storeshim.js";

const url = "https://mcp.example/tenant/mcp?key=1";

test("Fault 715: a sign-in is of server, user and client: another one of any is another sign-in, and its key says nothing", async () => {
  const words = [
    {}, { clientName: "App" }, { clientMetadataUrl: "https://app.example/client.json" }, { clientId: "App" },
  ].map((options) => oauth({ redirectUrl: "https://app.example/", ...options }).client);
  const keys = new Set<string>();
  for (const at of [url, "https://mcp.example/tenant/mcp"]) {
    for (const principal of [undefined, "ada", "bob", '["itself"]']) {
      for (const client of words) keys.add(await signInKey({ digest }, { url: at, principal, client }));
    }
  }
  assert.equal(keys.size, 2 * 4 * 4);
  assert.ok([...keys].every((key) => /^[0-9a-f]{64}$/.test(key)));
  const other = oauth({
    redirectUrl: "https://app.example/other", scopes: ["files"], interaction: "manual", clientId: "App",
    clientName: "else",
  });
  assert.equal(other.client, words[3], "what is asked for, and how, makes no other client");
});

test("Fault 715: a subject that is known, and is not whom the app has named, is told", () => {
  const bob = JSON.stringify(["https://as.example", "bob"]);
  assert.deepEqual(otherSubject(bob, "ada"), { issuer: "https://as.example", subject: "bob" });
  for (
    const [user, named] of [
      [bob, "bob"], [bob, bob], [bob, undefined], [undefined, "ada"],
      [JSON.stringify(["https://as.example", { signIn: "x" }]), "ada"],
    ] as const
  ) {
    assert.equal(otherSubject(user, named), undefined);
  }
});

test("Fault 716: rows of earlier builds, whose names have the address of a server, are deleted; those of this one stay", async () => {
  const shim = new Shim();
  const db = await openDatabase(() => {});
  const { mark } = (await identify(db, "auth"))!;
  const key = (await makeKey())!;
  const rows = new AuthRows(() => Promise.resolve({ db, key, mark }));
  const here = `grant/${await digest(["a"])}`;
  for (
    const name of [
      here, `grant/${url}`, `epoch/${url}`, `round/${url}`,
      'client/["https://as.example","https://app.example/"]', "issuer/app", "flow/state",
    ]
  )
    await rows.set(name, 0, { url });
  const [mine, former] = await Promise.all(
    ["mine", "former"].map(async (state) => `flow/${await digest([state])}`),
  );
  await rows.set(mine!, 0, { url, signIn: "s" });
  await rows.set(former!, 0, { url }); // its name is as those of now
  await rows.dropFormer();
  assert.deepEqual(await rows.keys(""), [mine, here]);
  assert.ok(!JSON.stringify((await shim.dump())["keys"]!.map(({ name }) => name)).includes("tenant"));
  db.close();
});
