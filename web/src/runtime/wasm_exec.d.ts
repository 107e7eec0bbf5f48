// What wasm_exec.js, copied from the GOROOT that built the wasm, defines.
declare class Go {
  importObject: WebAssembly.Imports & Record<string, Record<string, unknown>>;
  exit: (code: number) => void;
  /** Runs what waits in Go; called by every function that Go gave to JavaScript. */
  _resume: () => void;
  run(instance: WebAssembly.Instance): Promise<void>;
}
