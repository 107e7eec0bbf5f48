package wire

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// maxProbes is how often a server is asked: one that names a version and then
// refuses it is not asked a third time.
const maxProbes = 2

// SpeaksCandidate reports whether a result of server/discover has the
// candidate's form: who the server is stands at its top, not in its _meta.
func SpeaksCandidate(result []byte) bool {
	meta, _ := jsonrpc.Member(result, "_meta")
	return hasMember(result, "serverInfo") && !hasMember(meta, MetaPrefix+"serverInfo")
}

// ProbeVerdict is what the answer to server/discover means.
type ProbeVerdict uint8

const (
	ProbeLegacy      ProbeVerdict = iota // no evidence of a modern server: initialize
	ProbeModern                          // it speaks the version that came with the verdict
	ProbeRetry                           // ask once more with the version that came with it
	ProbeUnsupported                     // modern, and no version in common
	ProbeFailed                          // no evidence at all: down, forbidden, unauthorized, too slow
)

// String says what follows from the verdict, for people.
func (v ProbeVerdict) String() string {
	return [...]string{"initialize", "modern", "retry", "unsupported", "failed"}[v]
}

// ProbeAnswer is what became of a server/discover, as far as it decides.
type ProbeAnswer struct {
	Status    int      // HTTP status; 0 where fetch failed
	Timeout   bool     // no answer in time
	Result    []byte   // the raw result, if there was one
	Code      int64    // of a JSON-RPC error, in whatever status; 0 for none
	Data      []byte   // that error's raw data
	Supported []string // versions named in the result or in the error's data
	Probes    int      // how many were sent so far
}

// ClassifyProbe decides by the answer alone; it implements MCP 2026-07-28
// "Streamable HTTP", Backward Compatibility. A fetch that failed may be a preflight that a legacy
// server's allow list refused (it lacks Mcp-Method), so it is not an outage
// yet: initialize finds out.
func ClassifyProbe(a ProbeAnswer) (ProbeVerdict, string) {
	modern, legacy := Common(a.Supported)
	switch {
	case a.Timeout:
		return ProbeFailed, ""
	case a.Result != nil:
		switch {
		case len(a.Supported) == 0: // 200 {}: no DiscoverResult at all
			return ProbeLegacy, ""
		case modern != "":
			return ProbeModern, modern
		case legacy != "":
			return ProbeLegacy, ""
		}
		return ProbeUnsupported, ""
	case a.Code == unsupportedVersion, a.Code == unsupportedVersionRC && len(a.Supported) > 0:
		switch {
		case modern != "" && a.Probes < maxProbes:
			return ProbeRetry, modern
		case modern == "" && legacy != "":
			return ProbeLegacy, ""
		}
		return ProbeUnsupported, ""
	case a.Code == HeaderMismatch, a.Code == missingCapability,
		a.Code == missingCapabilityRC && hasMember(a.Data, "requiredCapabilities"):
		if a.Probes < maxProbes {
			return ProbeRetry, NewestRevision(true).Name
		}
		return ProbeUnsupported, ""
	case a.Status == 401, a.Status == 403, a.Code == 0 && (a.Status >= 500 || Busy(a.Status)):
		return ProbeFailed, ""
	}
	return ProbeLegacy, ""
}

// Common returns the newest modern and the newest legacy version that both
// sides speak; "" for none.
func Common(supported []string) (modern, legacy string) {
	for i := range revisions {
		r := &revisions[i]
		if !slices.Contains(supported, r.Name) {
			continue
		}
		if r.SelfDescribing && modern == "" {
			modern = r.Name
		}
		if !r.SelfDescribing && legacy == "" {
			legacy = r.Name
		}
	}
	return modern, legacy
}

// ReadVersions reads an array of strings from a JSON object.
func ReadVersions(object []byte, key string) []string {
	value, ok := jsonrpc.Member(object, key)
	if !ok {
		return nil
	}
	var list []string
	for _, element := range jsonrpc.Elements(value) {
		if name, ok := jsonrpc.String(element); ok {
			list = append(list, name)
		}
	}
	return list
}

func hasMember(object []byte, key string) bool {
	_, ok := jsonrpc.Member(object, key)
	return ok
}
