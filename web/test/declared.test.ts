import assert from "node:assert/strict";
import { test } from "node:test";
import { capabilitiesOf } from "../src/input/handlers.js";
import { HoldfastError } from "../src/shared/errors.js";
import type { Open } from "../src/shared/mcp.js";

const TASKS = "io.modelcontextprotocol/tasks";

test("Fault 343: what the app declares stands for what its handler could do, and extensions go apart", () => {
  const elicitation = (): { action: "cancel" } => ({ action: "cancel" });
  const whole = { elicitation: { form: {}, url: {} } };
  const rows: [declared: Open | undefined, capabilities: Open, extensions: Open][] = [
    [undefined, whole, {}],
    [{}, whole, {}],
    [{ elicitation: { form: {} } }, { elicitation: { form: {} } }, {}],
    [{ experimental: { a: {} } }, { ...whole, experimental: { a: {} } }, {}],
    // The client's own extension is the core's to declare, which would say it twice.
    [{ extensions: { "io.modelcontextprotocol/ui": { a: 1 }, [TASKS]: {} } }, whole, { "io.modelcontextprotocol/ui": { a: 1 } }],
  ];
  for (const [declared, capabilities, extensions] of rows) assert.deepEqual(capabilitiesOf({ elicitation }, declared), { capabilities, extensions });
  for (const name of ["sampling", "roots"]) {
    assert.throws(
      () => capabilitiesOf({ elicitation }, { [name]: {} }),
      (error) => error instanceof HoldfastError && error.code === "bad_argument" && error.message.includes(`capabilities.${name} needs handlers.${name}`),
    );
  }
});
