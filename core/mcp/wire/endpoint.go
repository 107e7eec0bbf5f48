package wire

import "strings"

// ResolveEndpoint resolves the endpoint that an HTTP+SSE server names against
// the URL of its stream (2024-11-05 basic/transports): an absolute URL, a path,
// or a path relative to the stream's. One of another origin is refused ("" is
// returned): whoever answers there is not the server that the app named.
func ResolveEndpoint(stream, endpoint string) string {
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
		if endpoint != origin && !strings.HasPrefix(endpoint, origin+"/") && !strings.HasPrefix(endpoint, origin+"?") {
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

// beforeAny returns what stands before the first of the given characters.
func beforeAny(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}
