package wire

import (
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// lengthWords are what servers and proxies say, in small letters, to a request whose body has no
// Content-Length.
var lengthWords = []string{"content-length", "content length", "length required", "transfer-encoding",
	"transfer encoding", "chunked"}

// MayWantLength reports whether a refusal with that status may be for want of a Content-Length, which its
// text says.
func MayWantLength(status int) bool { return status == 400 || status == 413 || status == 501 }

// WantsLength reports whether a request was refused, and not run, because its body is a stream: by its
// status, or by the text of the refusal.
func WantsLength(status int, text []byte) bool {
	if status == 411 { // Length Required (RFC 9110 15.5.12)
		return true
	}
	small := engine.Lower(string(text))
	return MayWantLength(status) && slices.ContainsFunc(
		lengthWords, func(words string) bool { return strings.Contains(small, words) })
}
