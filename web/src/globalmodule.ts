/**
 * `import "holdfast/global"`: the module, and a global `holdfast` with the same names, as the script-tag
 * build has it: for the console, and for scripts that are no modules.
 *
 * @module
 */
import {
  connect, connectAgent, ElicitationRequest, HoldfastError, IDEMPOTENCY_KEY, isA, oauth, oauthProgram,
  PermissionRequest, preload, version, wipe,
} from "./index.js";

declare global {
  var holdfast: typeof import("./index.js");
}

// Each by its name: what names all at once has the module itself keep an object for it.
globalThis.holdfast = {
  connect, connectAgent, ElicitationRequest, HoldfastError, IDEMPOTENCY_KEY, isA, oauth, oauthProgram,
  PermissionRequest, preload, version, wipe,
};

export * from "./index.js";
