// Ends the WebAssembly instance for real: its exports are noted as it is made,
// and one of them is called with a length that makes no sense. The Go program
// panics, as it would with a bug of its own.

let exports: WebAssembly.Exports | undefined;

function noteInstances(): void {
  const { instantiateStreaming, instantiate } = WebAssembly;
  if (instantiateStreaming) {
    WebAssembly.instantiateStreaming = async (source, imports) => {
      const made = await instantiateStreaming(source, imports);
      exports = made.instance.exports;
      return made;
    };
  }
  WebAssembly.instantiate = (async (source: BufferSource, imports?: WebAssembly.Imports) => {
    const made = await instantiate(source, imports);
    exports = made.instance.exports;
    return made;
  }) as typeof WebAssembly.instantiate;
}

noteInstances();

/** Makes the Go program panic. Whoever talks to it next finds it dead. */
export function panic(): void {
  const chunk = exports?.["chunk"] as (
    (client: number, exchange: number, length: number, more: number) => number
  ) | undefined;
  if (!chunk) throw new Error("there is no runtime in this page yet");
  try {
    chunk(1, 1, 0x7fffffff, 0);
  } catch {
    // A trap ends it as well.
  }
}
