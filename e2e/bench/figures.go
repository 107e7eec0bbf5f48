//go:build !js

package main

import "fmt"

// A section is one table of the report: a row for each contender, a column for
// each figure.
type section struct {
	title   string
	note    string
	base    string // the contender that the others are compared with; "" where none is
	figures []figure
}

// A figure is one column. bare ones are not compared: a ratio of them would say
// nothing.
type figure struct {
	name, title string
	digits      int
	bare        bool
}

// sections are the tables, in their order; events is how long a burst is.
func sections(events int) []section {
	all := []section{
		{
			title: "To download, in KB", base: official,
			note: "What a page has downloaded once it is connected: minified bundles, as an app that " +
				"imports the client has them; for Holdfast the wasm as well, and in the shared host " +
				"the worker.",
			figures: []figure{
				{name: "size raw", title: "raw"}, {name: "size gzip", title: "gzip -9"},
				{name: "size brotli", title: "brotli -11"},
				{name: "js brotli", title: "JavaScript of the page", digits: 1, bare: true},
				{name: "wasm brotli", title: "wasm of that", bare: true},
			},
		},
		{
			title: "Import to connected, in ms", base: official,
			note: "From `import()` until the client is ready for a call; the files come compressed with " +
				"brotli from loopback. " +
				"Cold: a new browser profile. Warm: the third visit. Second page: `connect()` alone, in one " +
				"more page beside that one; preloaded: once `preload()` has resolved there.",
			figures: []figure{{name: "connect cold", title: "cold"}, {name: "connect warm", title: "warm"},
				{name: "connect second", title: "second page", digits: 1, bare: true},
				{name: "connect preloaded", title: "preloaded", digits: 1, bare: true}},
		},
	}
	all = append(all, section{
		title: "What the first connection waits for, in ms since import()",
		note: "Of the cold visit. Of a page in a shared host all but the first and the last are its " +
			"worker's, and the page does not see them. The first request is the handshake; `raw` has none.",
		figures: []figure{
			{name: "phase imported", title: "module is there", bare: true},
			{name: "phase compiled", title: "wasm is compiled", bare: true},
			{name: "phase asked", title: "first request leaves", bare: true},
			{name: "phase answered", title: "its answer comes", bare: true},
			{name: "phase connected", title: "connected", bare: true},
		},
	})
	for _, l := range loads(events) {
		all = append(all, section{
			title: fmt.Sprintf("%d %s", events, l.title), base: raw,
			figures: []figure{
				{name: l.name + " rate", title: "events/s"},
				{name: l.name + " cpu", title: "main-thread CPU, us/event", digits: 1},
				{name: l.name + " longest", title: "longest task, ms (0: none of 50)", bare: true},
				{name: l.name + " gap", title: "longest gap of a 4 ms timer, ms"},
			},
		})
	}
	return append(all,
		section{
			title: "Small calls", base: raw,
			note: "One after another, of a tool that may do anything and of one that reads only, and 32 in " +
				"flight over the browser's six connections. " +
				"Commits: transactions that write, and locks: requests for a Web Lock, each in the page and " +
				"per call.",
			figures: []figure{
				{name: "call p50", title: "p50, ms", digits: 2},
				{name: "call p95", title: "p95, ms", digits: 2},
				{name: "call cpu", title: "main-thread CPU, ms/call", digits: 2},
				{name: "calls 32", title: "32 in flight, calls/s"},
				{name: "call commits", title: "commits", digits: 2, bare: true},
				{name: "call locks", title: "locks", digits: 2, bare: true},
				{name: "calls 32 commits", title: "commits, 32 in flight", digits: 2, bare: true},
				{name: "read p50", title: "reading, p50, ms", digits: 2},
				{name: "read cpu", title: "reading, main-thread CPU, ms/call", digits: 2},
				{name: "read commits", title: "reading, commits", digits: 2, bare: true},
			},
		},
		section{
			title: "Small calls over HTTP/2", base: raw,
			note: "The same over TLS with HTTP/2, of a tool that may do anything: there is no bound of six " +
				"connections, and no Web Lock.",
			figures: []figure{
				{name: "h2 p50", title: "p50, ms", digits: 2}, {name: "h2 p95", title: "p95, ms", digits: 2},
				{name: "h2 cpu", title: "main-thread CPU, ms/call", digits: 2},
				{name: "h2 32", title: "32 in flight, calls/s"},
				{name: "h2 100", title: "100 in flight, calls/s"},
				{name: "h2 locks", title: "locks", digits: 2, bare: true},
			},
		},
		section{
			title: "One large result", base: raw,
			note: "1 MB is 1,000,000 bytes of text. Peak: by how much the resident memory of a fresh page's " +
				"process grew at most.",
			figures: []figure{
				{name: "1MB json", title: "1 MB body, ms", digits: 1},
				{name: "1MB sse", title: "1 MB over SSE, ms", digits: 1},
				{name: "16MB json", title: "16 MB body, ms"}, {name: "16MB json peak", title: "its peak, MB"},
				{name: "16MB sse", title: "16 MB over SSE, ms"},
				{name: "16MB sse peak", title: "its peak, MB"},
			},
		},
		section{
			title: "Memory of the page, in KB", base: official,
			note: "JavaScript's heap after a collection, and the wasm's memory.",
			figures: []figure{
				{name: "connected memory", title: "once connected"},
				{name: "50,000 memory", title: "after 50,000 events"},
				{name: "memory growth", title: "growth with 50,000 more", bare: true},
			},
		},
		section{
			title: "A stream that breaks", base: official,
			note: "200 events, cut after 100; the server has event ids and resumes. `retry`: the server " +
				"says 100 ms. " +
				"Cut twice, and three times: the resumption breaks before a new event, and so does the " +
				"next; from the last of these cuts until the request that mends it. The drop has no " +
				"event id and cannot be resumed.",
			figures: []figure{
				{name: "cut", title: "cut to first event, own policy, ms"},
				{name: "cut lost", title: "lost", bare: true},
				{name: "cut doubled", title: "doubled", bare: true},
				{name: "cut retry", title: "with `retry`, ms"},
				{name: "cut retry lost", title: "lost", bare: true},
				{name: "cut twice", title: "cut twice, ms"},
				{name: "cut twice lost", title: "lost", bare: true},
				{name: "cut twice after", title: "after the 2nd cut, ms", bare: true},
				{name: "cut thrice after", title: "after the 3rd, ms", bare: true},
				{name: "cut thrice lost", title: "lost", bare: true},
				{name: "drop", title: "drop reported after, ms", bare: true},
				{name: "drop says", title: "as", bare: true},
			},
		},
	)
}
