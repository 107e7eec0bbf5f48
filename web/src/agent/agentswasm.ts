import type { WasmFile } from "../runtime/beside.js";
import { located } from "../runtime/located.js";

/** The wasm for agents. It is named here alone: what has no agents has no such file (docs/bundlers.md). */
export const agentsWasm: WasmFile = {
  name: "holdfast-agents.wasm",
  agents: true,
  beside: located("holdfast-agents.wasm", () => new URL("./holdfast-agents.wasm", import.meta.url)),
};
