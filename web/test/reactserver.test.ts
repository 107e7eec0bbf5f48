import assert from "node:assert/strict";
import { test } from "node:test";
import { createElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { HoldfastError } from "../src/base/errors.js";
import { useAgent, useAgentSession } from "../packages/react/agentreact.js";
import {
  HoldfastProvider, useCall, useCalls, useElicitation, useMcp, useSuspenseMcp, useTools,
} from "../packages/react/react.js";

function All(): ReactNode {
  const states = [
    useMcp().state, useTools().state, useCalls().state, useCall("a").state, useElicitation().length,
    useAgentSession(useAgent("https://a.example/acp").client).state,
  ];
  return createElement("p", null, states.join(" "));
}

test("a server that renders the page draws what there is before there is a client, and connects to nothing", () => {
  const page = renderToString(
    createElement(HoldfastProvider, { url: "https://a.example/mcp" }, createElement(All)),
  );
  assert.equal(page, "<p>connecting loading looking looking 0 looking</p>");
  assert.equal(
    renderToString(createElement(HoldfastProvider, { client: undefined }, createElement(All))), page,
  );
});

for (const [name, hook] of Object.entries({ useMcp, useTools, useCalls, useCall: () => useCall("a") })) {
  test(`${name} without a provider says so`, () => {
    const Alone = (): ReactNode => void hook();
    assert.throws(
      () => renderToString(createElement(Alone)),
      (error) => error instanceof HoldfastError && error.code === "bad_argument" && error.op === name &&
        /no HoldfastProvider/.test(error.message) && /<HoldfastProvider url/.test(error.hint!),
    );
  });
}

test("a server leaves what suspends to the browser", () => {
  const Suspends = (): ReactNode => useSuspenseMcp("https://a.example/mcp").state;
  assert.throws(
    () => renderToString(createElement(Suspends)),
    (error) => error instanceof HoldfastError && error.code === "host_unavailable",
  );
});
