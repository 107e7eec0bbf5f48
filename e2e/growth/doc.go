//go:build !js

// Package growth measures how cost grows with the number of calls under way, of
// calls in the journal and of updates in a transcript, and draws it: `make growth`
// writes docs/growth.md and docs/growth.svg.
//
// It runs the core's own benchmarks (BenchmarkGrowth... in core/mcp and core/acp),
// and with -growth.chrome measures in Chrome, too, with its IndexedDB and HTTP/2.
// Times are of the processor where they can be: a clock on the wall says something
// of the machine's other work.
package growth
