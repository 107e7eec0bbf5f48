import { importAt } from "../shared/importat.js";
import { type LateModule, loadLate } from "../shared/latemodule.js";
import { validatorBeside, version } from "../runtime/beside.js";
import type { Validator } from "./verdict.js";

/** ms until a chunk that does not come is given up: a result waits for it. */
const PATIENCE = 10_000;

/** What is one file knows the validator by its address. */
declare const HOLDFAST_ONE_FILE: boolean;

/** The chunk at each address, and who waits for it. */
const chunks = new Map<string, LateModule<Validator>>();
const loading = new Map<string, Promise<Validator>>();

/** Loads the validator once per page, from the app's address where it names one. A failed load is forgotten, so that the next result tries again. */
export function loadValidator(named?: URL): Promise<Validator> {
  const { href } = named ?? validatorBeside;
  let chunk = loading.get(href);
  if (!chunk) {
    const late: LateModule<Validator> = chunks.get(href) ?? {};
    chunks.set(href, late);
    chunk = inTime(loadLate(late, () => (named || HOLDFAST_ONE_FILE ? importAt(href) : ofThePackage()))).catch((error: unknown) => {
      loading.delete(href);
      throw error;
    });
    loading.set(href, chunk);
  }
  return chunk;
}

/** The package's own: bundlers see by the literal that it is a part of the app. The build leaves it as it is (Makefile). */
function ofThePackage(): Promise<Validator> {
  return import("./holdfast-validate.mjs").catch((error: unknown) => {
    throw error; // without a catch esbuild wants the file to be there
  });
}

async function inTime(coming: Promise<Validator>): Promise<Validator> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it did not come in time")), PATIENCE);
  });
  try {
    const chunk = await Promise.race([coming, late]);
    if (chunk.version !== version) throw new Error(`it is version ${chunk.version}, the script is version ${version}`);
    return chunk;
  } finally {
    clearTimeout(timer);
  }
}
