/**
 * `holdfast/recorder`: an optional record of what crosses the network, redacted, which outlives the page.
 *
 * @module
 */
export { clearTrace, exportTrace, recorder, type Recorder, type RecorderOptions } from "./recorder.js";
