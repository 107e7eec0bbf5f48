import { validatorBeside } from "../runtime/beside.js";
import { FileBeside } from "../runtime/filebeside.js";
import type { Validator } from "./verdict.js";

const validator = new FileBeside<Validator>(validatorBeside, "validate", ofThePackage);

/** Loads the validator once per page, from the app's address where it names one. A failed load is forgotten, so that the next result tries again. */
export function loadValidator(named?: URL): Promise<Validator> {
  return validator.load(named);
}

/** The package's own: bundlers see by the literal that it is a part of the app. The build leaves it as it is (Makefile). */
function ofThePackage(): Promise<Validator> {
  return import("./holdfast-validate.mjs").catch((error: unknown) => {
    throw error; // without a catch esbuild wants the file to be there
  });
}
