// The script-tag build: <script src="holdfast.js"></script> gives a global
// `holdfast` with the module's names. esbuild's --global-name makes it.
export * from "./index.js";
