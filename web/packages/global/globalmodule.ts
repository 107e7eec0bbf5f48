/**
 * `import "holdfast/global"`: the module and that for agents, and a global `holdfast` with the names of both,
 * as the script-tag build has it: for the console, and for scripts that are no modules.
 *
 * @module
 */
import {
  connect, HoldfastError, IDEMPOTENCY_KEY, oauth, oauthProgram, preload, version, wipe,
} from "holdfast";
import { connectAgent, ElicitationRequest, isA, PermissionRequest, preloadAgent } from "holdfast/agent";

declare global {
  var holdfast: typeof import("holdfast") & typeof import("holdfast/agent");
}

// Each by its name: what names all at once has the module itself keep an object for it.
globalThis.holdfast = {
  connect, connectAgent, ElicitationRequest, HoldfastError, IDEMPOTENCY_KEY, isA, oauth, oauthProgram,
    PermissionRequest,
  preload, preloadAgent, version, wipe,
};

export { ElicitationRequest } from "holdfast"; // both have it: some bundlers take that for two
export * from "holdfast";
export * from "holdfast/agent";
