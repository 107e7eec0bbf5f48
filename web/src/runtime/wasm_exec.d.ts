// wasm_exec.js of the GOROOT that built the wasm, as a function (Makefile): it defines
// Go on the object that it takes for the global one, and returns it.
declare module "*/wasm_exec.mjs" {
  export function defineGo(scope: object): new () => import("./goscope.js").GoProgram;
}
