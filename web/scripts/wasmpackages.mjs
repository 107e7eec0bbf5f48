// Reads what each Go package weighs out of a wasm that still has its names.

// packages returns [package, bytes of code], the largest first, and last the
// bytes of data: the tables of functions and types, the texts.
export function packages(module) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = module[at++];
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) return value;
    }
  };
  const text = () => {
    const length = number();
    return module.toString("utf8", at, (at += length));
  };
  const sizes = [];
  const names = new Map();
  let imported = 0;
  let data = 0;
  while (at < module.length) {
    const id = module[at++];
    const length = number();
    const end = at + length;
    if (id === 2) {
      imported = number(); // Go imports functions only
    } else if (id === 10) {
      for (let count = number(); count > 0; count--) {
        const size = number();
        sizes.push(size);
        at += size;
      }
    } else if (id === 11) {
      data = length;
    } else if (id === 0 && text() === "name") {
      while (at < end) {
        const kind = module[at++];
        const part = number();
        const after = at + part;
        if (kind === 1) {
          for (let count = number(); count > 0; count--) names.set(number(), text());
        }
        at = after;
      }
    }
    at = end;
  }
  if (names.size === 0) throw new Error("the wasm has no names: it was built with -s");
  const code = new Map();
  sizes.forEach((size, index) => {
    const name = packageOf(names.get(imported + index) ?? "");
    code.set(name, (code.get(name) ?? 0) + size);
  });
  return { code: [...code].sort((a, b) => b[1] - a[1]), data };
}

// packageOf cuts a function's name down. Go's linker writes an underscore for
// each character that is none of letters, digits, dot and underscore, so that
// a path's slashes are gone.
function packageOf(name) {
  const own = /^github\.com_(?:holdfast_mcp_holdfast_)?([^.]+)\./.exec(name);
  if (own) return own[1].replace(/^core_/, "core/");
  const dot = name.indexOf(".");
  if (dot <= 0) return "(made by the linker)";
  const path = name.slice(0, dot);
  return path === "main" ? "wasm" : path.startsWith("type_") ? "(comparisons of types)" : path.replaceAll("_", "/");
}
