import { validatorBeside, version } from "../runtime/beside.js";
import type { Validator } from "./verdict.js";

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
