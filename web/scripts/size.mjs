// The files that are weighed, and the bytes that each may have. `make size` prints them (printsize.mjs),
// `make figures` writes what the pages say of them (figures.mjs).
import { appBundle } from "./appbundle.mjs";
import { chunk, loaded } from "./chunks.mjs";

const app = appBundle();
const module = "web/dist/holdfast.mjs";
const agent = "web/dist/holdfast-agent.mjs";
const pageHost = (of) => [...new Set([...loaded(of), ...loaded(chunk(of, "connect"))])];
const pageSide = (of) => [...new Set([...loaded(of), ...loaded(chunk(of, "connectthere"))])];
const beside = (name, others, of = module) => more(loaded(chunk(of, name)), others);
const more = (paths, others) => [...paths].filter((path) => !new Set(others).has(path));

// Sizes are bytes of brotli -11. A budget is what was reached and room for a few fixes. A commit that raises a
// budget says in its message what the bytes are for. The goal is where the file should be.
//
// A page loads a wasm and the JavaScript of one host. A page with its own host loads "connect(), page host". A page
// whose runtime is in a worker loads "before the host" and the page's side; its worker loads holdfast-worker.mjs,
// and no page's main thread parses that file. The script holdfast.js has all of them.
//
// The same code compresses differently beside other code: a change elsewhere moves a wasm by up to 2 KB. Names of
// chunks change with their content, and move what names them by some bytes. raw is what the browser gets of a wasm
// behind the compression: Chrome hands it to the page at 25 to 45 ms a MB.
//
// Each chunk is one file, with copies of what it needs (web/scripts/joinchunks): one file compresses better than
// ten, and a page with its own host is connected a tenth sooner. A page that has clients and agents in itself loads
// 30 KB twice, which few pages do.
export const files = [
  { name: "holdfast.wasm", budget: 528_400, goal: 600_000, raw: 2_555_000 },
  { name: "holdfast-agents.wasm", budget: 644_500, goal: 700_000, raw: 3_205_000 },
  { name: "connect(), before the host", paths: loaded(app), budget: 10_500, goal: 10_000 },
  { name: "connect(), chunk of the page's side", paths: beside("connectthere", loaded(app), app), budget: 17_800, goal: 12_000 },
  { name: "connect(), page host", paths: pageHost(app), budget: 66_100, goal: 45_000 },
  { name: "the module, before the host", paths: loaded(module), budget: 13_450, goal: 10_000 },
  { name: "the module, shared host", paths: pageSide(module), budget: 31_350, goal: 22_000 },
  { name: "the module, page host", paths: pageHost(module), budget: 69_100, goal: 45_000 },
  { name: "holdfast/agent, before the host", paths: more(loaded(agent), loaded(module)), budget: 750, goal: 2_000 },
  { name: "connectAgent, chunk of the page's side", paths: beside("connectagentthere", loaded(agent), agent), budget: 16_400, goal: 8_000 },
  { name: "connectAgent, chunk of the page host", paths: beside("connectagent", loaded(agent), agent), budget: 43_400, goal: 8_000 },
  { name: "chunk of the diagnosis", paths: [chunk(module, "diagnosis")], budget: 2_560, goal: 2_000 },
  { name: "chunk of clients with auth", paths: [chunk(module, "authorization")], budget: 5_200, goal: 1_800 },
  { name: "chunk of the sign-in", paths: beside("opensignin", loaded(module)), budget: 18_200, goal: 12_000 },
  { name: "chunk of a sign-in in a worker", paths: beside("remotesignin", pageSide(module)), budget: 2_400, goal: 2_500 },
  { name: "holdfast-oauth.mjs", budget: 18_300, goal: 12_000 },
  { name: "holdfast.js", budget: 88_500, goal: 50_000 },
  { name: "holdfast-worker.mjs", budget: 85_300, goal: 45_000 },
  { name: "holdfast-store.mjs", budget: 4_300, goal: 5_000 },
  { name: "holdfast-react.mjs", budget: 1_050, goal: 2_000 },
  { name: "holdfast-agent-store.mjs", budget: 3_150, goal: 3_000 },
  { name: "holdfast-agent-react.mjs", budget: 400, goal: 500 },
  { name: "holdfast-tools.mjs", budget: 1_300, goal: 1_500 },
  { name: "holdfast-ai.mjs", budget: 2_400, goal: 2_500 },
  { name: "holdfast-trace.mjs", budget: 2_300, goal: 2_000 },
  { name: "holdfast-testing.mjs", budget: 3_500, goal: 3_500 },
  { name: "holdfast-diagnose.mjs", budget: 3_900, goal: 3_500 },
  { name: "holdfast-recorder.mjs", budget: 2_450, goal: 2_000 },
  { name: "holdfast-record.mjs", budget: 4_400, goal: 3_000 },
  { name: "holdfast-hub.mjs", budget: 1_950, goal: 2_000 },
  { name: "holdfast-validate.mjs", budget: 8_300, goal: 9_000 },
];
