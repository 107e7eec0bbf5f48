// holdfast-record.mjs: what records (the option `record`). The runtime loads it, in a page or in a worker,
// where no import map says what "holdfast" is: it imports nothing.

declare const HOLDFAST_VERSION: string;

/** Version of this build; the module that loads it has to be of the same. */
export const version: string = HOLDFAST_VERSION;

export { record } from "./networkrecording.js";
