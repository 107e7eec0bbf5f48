import { version } from "../runtime/loadruntime.js";
import type { Validator } from "./verdict.js";

// At the top level and in this literal form, as runtime/loadruntime.ts has it.
/** Where the validator is, if the app does not say. */
export const validatorBeside: URL = new URL("./holdfast-validate.mjs", import.meta.url);

/** ms until a chunk that does not come is given up: a result waits for it. */
const PATIENCE = 10_000;

const loading = new Map<string, Promise<Validator>>();

/** Loads the validator once per page. A failed load is forgotten, so that the next result tries again. */
export function loadValidator({ href: url }: URL = validatorBeside): Promise<Validator> {
  let chunk = loading.get(url);
  if (!chunk) {
    chunk = start(url).catch((error: unknown) => {
      loading.delete(url);
      throw error;
    });
    loading.set(url, chunk);
  }
  return chunk;
}

async function start(url: string): Promise<Validator> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it did not come in time")), PATIENCE);
  });
  try {
    // Where the chunk lies is known by its URL alone: bundlers leave the import as it is.
    const chunk = (await Promise.race([import(/* webpackIgnore: true */ /* @vite-ignore */ url), late])) as Validator;
    if (chunk.version !== version) throw new Error(`it is version ${chunk.version}, the script is version ${version}`);
    return chunk;
  } finally {
    clearTimeout(timer);
  }
}
