#!/usr/bin/env node
// Writes and checks the metadata of an OAuth client.
//
//   holdfast-client-metadata https://app.example/client.json --redirect https://app.example/app [--name "My app"]
//   holdfast-client-metadata --check https://app.example/client.json

import { main } from "./clientmetadata.mjs";

process.exitCode = await main(process.argv.slice(2), { out: console.log, err: console.error, fetch });
