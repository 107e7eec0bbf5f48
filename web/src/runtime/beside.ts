import { located } from "./located.js";

declare const HOLDFAST_VERSION: string;

/** Version of this build; the wasm has to be of the same. */
export const version: string = HOLDFAST_VERSION;

// At the top level and in this literal form: document.currentScript, which the
// script-tag build reads here, is null later, and bundlers look for the form.
/** A file that the runtime is in. */
export interface WasmFile {
  /**
   * Name of the file in the package. Each copy of the loader knows the file by this name
   * (web/scripts/joinchunks).
   */
  readonly name: string;
  /** Where it is, if the app does not say. */
  readonly beside: URL;
  /** True if the file speaks to agents, and to MCP servers as well. */
  readonly agents?: true;
}

/** For MCP alone. */
export const mcpWasm: WasmFile = {
  name: "holdfast.wasm", beside: located("holdfast.wasm", () => new URL("./holdfast.wasm", import.meta.url)),
};

/**
 * The runtimes of this page by the name of their file (loadruntime.ts): those of each kind of client, whose
 * chunks are apart.
 */
export const runtimes: Map<string, object> = new Map();

/** Where what records is, if the app does not say. */
export const recorderBeside: URL = located(
  "holdfast-record.mjs", () => new URL("./holdfast-record.mjs", import.meta.url),
);

/** Where the validator is, if the app does not say. */
export const validatorBeside: URL = located(
  "holdfast-validate.mjs", () => new URL("./holdfast-validate.mjs", import.meta.url),
);
