// esbuild puts this in the place of the global RegExp throughout the chunk
// (--inject): the validator makes one for each `pattern` and patternProperties.
export { LinearRegExp as RegExp } from "./linear.js";
