//go:build !js

package conformance

import "slices"

// required are the runs that have to pass: make conformance fails without them.
// The others are run and shown. A run that has come to pass gets its row here; those of auth all have.
var required = slices.Concat(authRuns(), []Run{
	{"initialize", november2025},
	{"tools_call", november2025},
	{"tools_call", july2026},
	{"elicitation-sep1034-client-defaults", november2025},
	{"sse-retry", november2025},
	{"request-metadata", july2026},
	{"sep-2322-client-request-state", july2026},
	{"http-standard-headers", july2026},
	{"http-custom-headers", july2026},
	{"http-invalid-tool-headers", july2026},
	{"json-schema-ref-no-deref", july2026},
	{"json-schema-2020-12-preservation", november2025},
	{"json-schema-2020-12-preservation", july2026},
	{"sep-2640-client-no-prefetch", november2025},
	{"sep-2640-client-no-prefetch", july2026},
})

// authRuns are all runs that are about authorization.
func authRuns() (runs []Run) {
	for _, s := range scenarios {
		for _, revision := range s.revisions {
			if run := (Run{s.name, revision}); run.Auth() {
				runs = append(runs, run)
			}
		}
	}
	return runs
}
