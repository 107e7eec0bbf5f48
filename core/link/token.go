package link

// Sendable reports whether a bearer token is RFC 6750's b64token in spirit:
// visible ASCII only, which a header field can carry.
func Sendable(token string) bool {
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return false
		}
	}
	return token != ""
}
