//go:build !js

// Command bench runs Holdfast beside the other MCP clients of npm, in Chrome:
//
//	make bench
//	go run ./e2e/bench -only burst -rounds 3
//
// Every contender is bundled with esbuild, minified, and runs in a browser
// profile of its own; all of them run in every round, one after another, each
// round beginning with another one, so that what the machine does meanwhile
// meets them all. What counts is the ratio of two contenders within one round.
//
// The server is scripted and prepares its bytes beforehand; how fast it is by
// itself is part of the report. The rig in the page (page/rig.ts) is the same
// for all, and asks of a contender what page/contender.ts says.
package main
