import { located } from "./located.js";

declare const HOLDFAST_VERSION: string;

/** Version of this build; the wasm has to be of the same. */
export const version: string = HOLDFAST_VERSION;

// At the top level and in this literal form: document.currentScript, which the
// script-tag build reads here, is null later, and bundlers look for the form.
/** A file that the runtime is in. */
export interface WasmFile {
  /** What the package calls it. */
  readonly name: string;
  /** Where it is, if the app does not say. */
  readonly beside: URL;
  /** The runtime of this page that is of it: each kind of client has what loads it once more (loadruntime.ts), and may have the same one. */
  loaded?: object | undefined;
}

/** For MCP alone. */
export const mcpWasm: WasmFile = { name: "holdfast.wasm", beside: located("holdfast.wasm", () => new URL("./holdfast.wasm", import.meta.url)) };

/** For agents, and for MCP as well: a page that has it needs no other. */
export const agentsWasm: WasmFile = { name: "holdfast-agents.wasm", beside: located("holdfast-agents.wasm", () => new URL("./holdfast-agents.wasm", import.meta.url)) };

/** Where what records is, if the app does not say. */
export const recorderBeside: URL = located("holdfast-record.mjs", () => new URL("./holdfast-record.mjs", import.meta.url));

/** Where the validator is, if the app does not say. */
export const validatorBeside: URL = located("holdfast-validate.mjs", () => new URL("./holdfast-validate.mjs", import.meta.url));
