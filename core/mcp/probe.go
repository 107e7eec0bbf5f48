package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// maxProbes is how often a server is asked: one that names a version and then
// refuses it is not asked a third time.
const maxProbes = 2

// discoveredCandidate reports whether a result of server/discover has the
// candidate's form: who the server is stands at its top, not in its _meta.
func discoveredCandidate(result []byte) bool {
	meta, _ := jsonrpc.Member(result, "_meta")
	return hasMember(result, "serverInfo") && !hasMember(meta, metaKey+"serverInfo")
}

// probeVerdict is what the answer to server/discover means.
type probeVerdict uint8

const (
	probeLegacy      probeVerdict = iota // no evidence of a modern server: initialize
	probeModern                          // it speaks the version that came with the verdict
	probeRetry                           // ask once more with the version that came with it
	probeUnsupported                     // modern, and no version in common
	probeFailed                          // no evidence at all: down, forbidden, unauthorized, too slow
)

// String says what follows from the verdict, for people.
func (v probeVerdict) String() string {
	return [...]string{"initialize", "modern", "retry", "unsupported", "failed"}[v]
}

// probeAnswer is what became of a server/discover, as far as it decides.
type probeAnswer struct {
	status    int      // HTTP status; 0 where fetch failed
	timeout   bool     // no answer in time
	result    []byte   // the raw result, if there was one
	code      int64    // of a JSON-RPC error, in whatever status; 0 for none
	data      []byte   // that error's raw data
	supported []string // versions named in the result or in the error's data
	probes    int      // how many were sent so far
}

// classifyProbe decides by the answer alone; it implements the table of
// spec/mcp 2.3 step 1. A fetch that failed may be a preflight that a legacy
// server's allow list refused (it lacks Mcp-Method), so it is not an outage
// yet: initialize finds out.
func classifyProbe(a probeAnswer) (probeVerdict, string) {
	modern, legacy := common(a.supported)
	switch {
	case a.timeout:
		return probeFailed, ""
	case a.result != nil:
		switch {
		case len(a.supported) == 0: // 200 {}: no DiscoverResult at all
			return probeLegacy, ""
		case modern != "":
			return probeModern, modern
		case legacy != "":
			return probeLegacy, ""
		}
		return probeUnsupported, ""
	case a.code == unsupportedVersion, a.code == unsupportedVersionRC && len(a.supported) > 0:
		switch {
		case modern != "" && a.probes < maxProbes:
			return probeRetry, modern
		case modern == "" && legacy != "":
			return probeLegacy, ""
		}
		return probeUnsupported, ""
	case a.code == headerMismatch, a.code == missingCapability, a.code == missingCapabilityRC && hasMember(a.data, "requiredCapabilities"):
		if a.probes < maxProbes {
			return probeRetry, newest(true).name
		}
		return probeUnsupported, ""
	case a.status == 401, a.status == 403, a.code == 0 && a.status >= 500:
		return probeFailed, ""
	}
	return probeLegacy, ""
}

// common returns the newest modern and the newest legacy version that both
// sides speak; "" for none.
func common(supported []string) (modern, legacy string) {
	for i := range revisions {
		r := &revisions[i]
		if !slices.Contains(supported, r.name) {
			continue
		}
		if r.selfDescribing && modern == "" {
			modern = r.name
		}
		if !r.selfDescribing && legacy == "" {
			legacy = r.name
		}
	}
	return modern, legacy
}

// versions reads an array of strings from a JSON object.
func versions(object []byte, key string) []string {
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
