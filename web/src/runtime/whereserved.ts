/** What a person does where a file of the package is not where it is looked for; `option` says where it is. */
export function whereServed(file: string, option: string): string {
  const entry = option === "wasm" ? " with --loader:.wasm=copy" : "";
  return `Serve the package's ${file} there, or say where it is by the option ${option}. Vite 5 to 7: optimizeDeps: { exclude: ["holdfast"] }. esbuild: the entry point holdfast/${file}${entry}. See docs/bundlers.md.`;
}

/** What a person does where nothing could be fetched. */
export function whyNothingCame(url: string): string {
  return `Nothing came from ${url}: no network, no connect-src for it (CSP), or no CORS.`;
}

/** Whether bytes begin as a wasm does. */
export function beginsAsWasm(bytes: ArrayBuffer): boolean {
  return bytes.byteLength > 4 && new DataView(bytes).getUint32(0) === 0x0061736d;
}
