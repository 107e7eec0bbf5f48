import assert from "node:assert/strict";
import { test } from "node:test";
import { httpHint, place } from "../src/diagnosis/network.js";
import { readProtectedResource } from "../src/auth/protectedresource.js";
import { shownPath } from "../src/shared/plainpath.js";

test("Fault 122: an error or a hint shows of a path what endpoints have everywhere, and leaves out the rest", () => {
  for (const path of ["/", "/mcp", "/api/v1/mcp/", "/.well-known/oauth-protected-resource/mcp", "/.well-known/openid-configuration"]) assert.equal(shownPath(path), path);
  for (const [path, shown] of [["/k3y/mcp", "/…/mcp"], ["/mcp/k3y", "/mcp/…"], ["/v1/k3y/sse/", "/v1/…/sse/"], ["/.well-known/oauth-protected-resource/k3y/mcp", "/.well-known/oauth-protected-resource/…/mcp"], ["/mcpk3y", "/…"], ["/v123", "/…"]]) assert.equal(shownPath(path!), shown);
  const secret = "https://a.example/k3y/mcp?k3y=k3y";
  const said = [place(secret), ...[300, 403, 404, 405, 503, 418].map((status) => httpHint(secret, status, "MCP", "/mcp"))];
  try {
    readProtectedResource({ resource: "https://b.example/" }, new URL(secret));
  } catch (error) {
    const { fields, message } = error as { fields: { hint?: string }; message: string };
    said.push(message, fields.hint!);
  }
  assert.equal(said.length, 9);
  assert.deepEqual(said.filter((words) => words.includes("k3y")), []);
});
