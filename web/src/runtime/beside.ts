import { located } from "./located.js";

declare const HOLDFAST_VERSION: string;

/** Version of this build; the wasm has to be of the same. */
export const version: string = HOLDFAST_VERSION;

// At the top level and in this literal form: document.currentScript, which the
// script-tag build reads here, is null later, and bundlers look for the form.
/** Where the wasm is, if the app does not say. */
export const wasmBeside: URL = located("holdfast.wasm", () => new URL("./holdfast.wasm", import.meta.url));

/** Where the validator is, if the app does not say. */
export const validatorBeside: URL = located("holdfast-validate.mjs", () => new URL("./holdfast-validate.mjs", import.meta.url));
