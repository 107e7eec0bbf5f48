#!/usr/bin/env node
// Writes the types of a server's tools, for withToolTypes of holdfast/tools.
//
//   holdfast-tool-types https://example.com/mcp > src/tools.ts
//   holdfast-tool-types https://example.com/mcp --header "Authorization: Bearer $TOKEN" --name GitHubTools > src/github.ts
//   holdfast-tool-types tools.json > src/tools.ts          # the result of tools/list, in a file

import { readFile } from "node:fs/promises";
import { main } from "./tooltypes.mjs";

process.exitCode = await main(process.argv.slice(2), { out: console.log, err: console.error, fetch, readFile });
