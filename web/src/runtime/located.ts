/**
 * Vite 5 to 7 serve packages from there in development, bundled by esbuild, which leaves behind what a
 * module loads by its address. The package's own files are served as well.
 */
const PREBUNDLED = /\/\.vite\/deps[^/]*\/(?=[^/]*$)/;

/** The worker and the script-tag build are one file. */
declare const HOLDFAST_ONE_FILE: boolean;

/** Where the package has its files. */
const FILES = "/holdfast/web/dist/";

// At the top level: document.currentScript is null later.
/**
 * Address in the place of import.meta.url, for a bundle that is a classic script or a module without an
 * address.
 */
const scriptAddress = (globalThis.document?.currentScript as HTMLScriptElement | null | undefined)?.src ||
  globalThis.location?.href;

/**
 * Where the file of that name is. `literal` gives its address in the form that bundlers look for,
 * `new URL("./name", import.meta.url)`, and throws where nothing has put an address into it: then the file
 * is looked for beside the script. Never throws: where a server imports the module, nothing is loaded.
 */
export function located(name: string, literal: () => URL): URL {
  let address = name;
  try {
    address = literal().href;
  } catch {
    // No bundler has put an address in.
  }
  try {
    // Turbopack's address on a server is no URL: it is relative, and no part of it can be set.
    const url = new URL(address, scriptAddress);
    if (!HOLDFAST_ONE_FILE) url.pathname = url.pathname.replace(PREBUNDLED, FILES); // no bundler has one file
    return url;
  } catch {
    return new URL(name, "file:///");
  }
}

/** The name of a file at its address. A worker needs no more: the file is beside its script. */
export function fileName(url: string | URL): string {
  const { pathname } = new URL(url);
  return pathname.slice(pathname.lastIndexOf("/") + 1);
}
