// Proves that slim leaves the same program: the wasm as Go's linker wrote it, and as slim left it, get the
// same inputs and have to have the same effects, byte for byte. What they play are the scripts of
// core/coretest, the vectors of the parsers, and inputs at random.
//
//	node slim.mjs linked slim inputs [seed]

import { readdirSync, readFileSync } from "node:fs";
import { playChance } from "./chance.js";
import type { Protocol } from "./client.js";
import { Pair } from "./program.js";
import { playScript } from "./scripts.js";
import { playVectors } from "./vectors.js";

declare const process: { argv: string[] };

const [
  linked = "", slim = "", count = "", seed = String(Math.floor(Math.random() * 2 ** 32)),
] = process.argv.slice(2);
/** The scripts that have to go as they do natively: those about tabs go by a simpler store. */
const LEAST_AS_GOLDEN = 0.85;

const scripts = (["mcp", "acp"] as const).flatMap((protocol) => {
  const folder = `core/coretest/testdata/${protocol}`;
  return readdirSync(folder).map(
    (name) => ({ name, protocol, text: readFileSync(`${folder}/${name}`, "utf8") }),
  );
});
const bodies: Record<Protocol, string[]> = { mcp: [], acp: [] };
for (const { protocol, text } of scripts)
  bodies[protocol].push(
    ...[
      ...text.matchAll(/^(?:chunk x\d+|socket x\d+ message) (.*)$/gm)
    ].map(([, body]) => body!.replaceAll("\\n", "\n"))
  );

for (
  const [file, protocols] of [
    ["holdfast.wasm", ["mcp"]], ["holdfast-agents.wasm", ["mcp", "acp"]],
  ] as [string, Protocol[]][]
) {
  const pair = new Pair(readFileSync(`${linked}/${file}`), readFileSync(`${slim}/${file}`));
  const played = scripts.filter(({ protocol }) => protocols.includes(protocol));
  const asGolden = played.filter(({ protocol, text }) => {
    const { effects, golden } = playScript(pair, protocol, text);
    return effects === golden;
  });
  if (asGolden.length < LEAST_AS_GOLDEN * played.length)
    throw new Error(
      `${file}: ${asGolden.length} of ${played.length} scripts have as many effects as natively`,
    );
  playVectors(pair);
  const scripted = pair.inputs;
  try {
    playChance(pair, +seed, +count, bodies, protocols);
  } catch (error) {
    throw new Error(`${file}, seed ${seed}, input ${pair.inputs - scripted}: ${String(error)}`);
  }
  console.log(
    `slim: ${file}: ${played.length} scripts and the vectors (${scripted} inputs), ` +
      `${pair.inputs - scripted} at random (seed ${seed}): ${pair.effects} effects, ${pair.bytes} bytes of ` +
      "them, the same",
  );
}
