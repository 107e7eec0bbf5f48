//go:build !js

package main

// A contender is one client in one setting.
type contender struct {
	name   string // in tables and on the command line
	what   string // for the reader of the report
	bundle string // page/<bundle>.ts
	dist   string // folder of the built module, of Holdfast's
	options

	progress bool // hands progress to the app
}

// options are those of page/contender.ts.
type options struct {
	Revision string `json:"revision,omitempty"`
	Journal  *bool  `json:"journal,omitempty"`
	Host     string `json:"host,omitempty"`
}

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// The names that goals are stated in.
const (
	raw         = "raw"
	official    = "official"
	holdfast    = "holdfast"
	holdfastOff = "holdfast-off"
	// Behind the name of one that is in the page: the same in a SharedWorker.
	shared = "-shared"
)

// contenders are all that take part; dist is where the built module is.
func contenders(dist string) []contender {
	off := false
	return []contender{
		{name: raw, bundle: "raw", progress: true,
			what: "fetch, eventsource-parser, JSON.parse: the practical floor"},
		{name: official, bundle: "official", options: options{Revision: legacy}, progress: true,
			what: "@modelcontextprotocol/client, " + legacy + " (its default)"},
		{name: official + "-" + modern, bundle: "official", options: options{Revision: modern},
			progress: true,
			what:     "@modelcontextprotocol/client, " + modern},
		{name: "sdk-v1", bundle: "sdk", options: options{Revision: legacy}, progress: true,
			what: "@modelcontextprotocol/sdk, " + legacy},
		{name: "ai-sdk", bundle: "aisdk", options: options{Revision: modern},
			what: "@ai-sdk/mcp, " + modern + " (its default)"},
		{name: holdfast, bundle: "holdfast", dist: dist, options: options{Revision: legacy}, progress: true,
			what: "Holdfast, " + legacy + ", every call kept in IndexedDB (its default)"},
		{name: holdfastOff, bundle: "holdfast", dist: dist, options: options{Revision: legacy, Journal: &off},
			progress: true,
			what:     "Holdfast, " + legacy + ", calls not kept"},
		{name: holdfast + "-" + modern, bundle: "holdfast", dist: dist, options: options{Revision: modern},
			progress: true,
			what:     "Holdfast, " + modern + ", every call kept"},
		{name: holdfast + shared, bundle: "holdfast", dist: dist,
			options: options{Revision: legacy, Host: "shared"}, progress: true,
			what: "Holdfast in a SharedWorker, " + legacy + ", every call kept"},
		{name: holdfastOff + shared, bundle: "holdfast", dist: dist,
			options: options{Revision: legacy, Journal: &off, Host: "shared"}, progress: true,
			what: "Holdfast in a SharedWorker, " + legacy + ", calls not kept"},
	}
}
