//go:build !js

package conformance

import (
	"slices"
	"strings"
)

// Revisions of MCP that the suite has scenarios for.
const (
	march2025    = "2025-03-26"
	november2025 = "2025-11-25"
	july2026     = "2026-07-28"
)

var (
	onlyMarch    = []string{march2025}
	onlyNovember = []string{november2025}
	onlyJuly     = []string{july2026}
	both         = []string{november2025, july2026}
)

// Run is one scenario at one revision: what is judged, and counted, as one.
type Run struct {
	Scenario string
	Revision string
}

// Auth reports whether the scenario is about authorization.
func (r Run) Auth() bool { return strings.HasPrefix(r.Scenario, "auth/") }

// interactions are the ways in which a page has a person sign in: the runs of auth are made in each of
// them, and pass if they pass in all.
var interactions = []string{"popup", "redirect"}

// interactions of a run; "" where nobody signs in.
func (r Run) interactions() []string {
	if !r.Auth() || slices.Contains(unattended, r.Scenario) {
		return []string{""}
	}
	return interactions
}

// unattended are the scenarios in which a program signs in, and no person.
var unattended = []string{
	"auth/client-credentials-jwt", "auth/client-credentials-basic", "auth/enterprise-managed-authorization",
	"auth/wif-jwt-bearer",
}

// scenario is a row of the suite's list of client scenarios.
type scenario struct {
	name      string
	revisions []string
	// mayFail: the client has something to refuse, so its exit status does not
	// count (allowClientError in the suite).
	mayFail bool
}

// scenarios are those of the suite's 0.2.0-alpha.12, in its order. The
// extensions (sep-2640-*, and the last six of auth) are on no revision's list:
// they run on both wires.
var scenarios = []scenario{
	{name: "initialize", revisions: onlyNovember},
	{name: "tools_call", revisions: both},
	{name: "elicitation-sep1034-client-defaults", revisions: onlyNovember},
	{name: "sse-retry", revisions: onlyNovember},
	{name: "request-metadata", revisions: onlyJuly},
	{name: "sep-2322-client-request-state", revisions: onlyJuly},
	{name: "http-standard-headers", revisions: onlyJuly},
	{name: "http-custom-headers", revisions: onlyJuly},
	{name: "http-invalid-tool-headers", revisions: onlyJuly, mayFail: true},
	{name: "json-schema-ref-no-deref", revisions: onlyJuly},
	{name: "json-schema-2020-12-preservation", revisions: both},
	{name: "sep-2640-client-no-prefetch", revisions: both},
	{name: "sep-2640-client-verify-digest", revisions: both, mayFail: true},
	{name: "sep-2640-client-verify-size", revisions: both, mayFail: true},
	{name: "sep-2640-client-verify-frontmatter", revisions: both, mayFail: true},

	{name: "auth/metadata-default", revisions: both},
	{name: "auth/metadata-var1", revisions: both},
	{name: "auth/metadata-var2", revisions: both},
	{name: "auth/metadata-var3", revisions: both},
	{name: "auth/basic-cimd", revisions: both},
	{name: "auth/scope-from-www-authenticate", revisions: both},
	{name: "auth/scope-from-scopes-supported", revisions: both},
	{name: "auth/scope-omitted-when-undefined", revisions: both},
	{name: "auth/scope-step-up", revisions: both},
	{name: "auth/scope-retry-limit", revisions: both, mayFail: true},
	{name: "auth/token-endpoint-auth-basic", revisions: both},
	{name: "auth/token-endpoint-auth-post", revisions: both},
	{name: "auth/token-endpoint-auth-none", revisions: both},
	{name: "auth/pre-registration", revisions: both},
	{name: "auth/2025-03-26-oauth-metadata-backcompat", revisions: onlyMarch},
	{name: "auth/2025-03-26-oauth-endpoint-fallback", revisions: onlyMarch},
	{name: "auth/resource-mismatch", revisions: onlyJuly, mayFail: true},
	{name: "auth/offline-access-scope", revisions: onlyJuly},
	{name: "auth/offline-access-not-supported", revisions: onlyJuly},
	{name: "auth/authorization-server-migration", revisions: onlyJuly},
	{name: "auth/iss-supported", revisions: onlyJuly},
	{name: "auth/iss-not-advertised", revisions: onlyJuly},
	{name: "auth/iss-supported-missing", revisions: onlyJuly, mayFail: true},
	{name: "auth/iss-wrong-issuer", revisions: onlyJuly, mayFail: true},
	{name: "auth/iss-unexpected", revisions: onlyJuly, mayFail: true},
	{name: "auth/iss-normalized", revisions: onlyJuly, mayFail: true},
	{name: "auth/metadata-issuer-mismatch", revisions: onlyJuly, mayFail: true},
	{name: "auth/client-credentials-jwt", revisions: both},
	{name: "auth/client-credentials-basic", revisions: both},
	{name: "auth/enterprise-managed-authorization", revisions: both},
	{name: "auth/dpop", revisions: both},
	{name: "auth/dpop-nonce", revisions: both},
	{name: "auth/wif-jwt-bearer", revisions: both},
}
