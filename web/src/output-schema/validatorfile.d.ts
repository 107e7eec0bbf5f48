// The validator's chunk, as the import of it names it: a file of its own build (validate.ts).
declare module "*/holdfast-validate.mjs" {
  export const version: import("./verdict.js").Validator["version"];
  export const validate: import("./verdict.js").Validator["validate"];
}
