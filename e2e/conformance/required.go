//go:build !js

package conformance

// required are the runs that have to pass: make conformance fails without them.
// The others are run and shown. A run that has come to pass gets its row here.
var required = []Run{
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
}
