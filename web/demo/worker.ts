// The demo's worker: the runtime's own, which can be killed for show. An app that serves the
// worker itself needs the second line alone, or just the file.

import { endWhenAsked } from "./ear.js";
import "../holdfast-worker.mjs";

endWhenAsked();
