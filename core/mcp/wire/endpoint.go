package wire

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// ResolveEndpoint resolves the endpoint that an HTTP+SSE server names against
// the URL of its stream (2024-11-05 basic/transports): an absolute URL, a path,
// or a path relative to the stream's. One of another origin is refused ("" is
// returned): whoever answers there is not the server that the app named.
func ResolveEndpoint(stream, endpoint string) string {
	endpoint = strings.TrimSpace(endpoint)
	scheme, rest, ok := strings.Cut(stream, "://")
	if !ok || endpoint == "" {
		return ""
	}
	host, path, _ := strings.Cut(rest, "/")
	origin := scheme + "://" + host
	path, _, _ = strings.Cut("/"+path, "?")
	switch {
	case strings.HasPrefix(endpoint, "//"):
		endpoint = scheme + ":" + endpoint
		fallthrough
	case strings.Contains(beforeAny(endpoint, "/?#"), ":"):
		if originOf(endpoint) != originOf(origin) {
			return ""
		}
		return endpoint
	case endpoint[0] == '/':
		return origin + endpoint
	case endpoint[0] == '?':
		return origin + path + endpoint
	}
	return origin + path[:strings.LastIndexByte(path, '/')+1] + endpoint
}

// originOf returns the origin of an absolute URL as browsers write it: in small letters, and without
// the port that its scheme has by itself.
func originOf(url string) string {
	scheme, rest, _ := strings.Cut(engine.Lower(url), "://")
	return scheme + "://" + strings.TrimSuffix(beforeAny(rest, "/?#"),
		map[string]string{"http": ":80", "https": ":443"}[scheme])
}

// beforeAny returns what stands before the first of the given characters.
func beforeAny(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}
